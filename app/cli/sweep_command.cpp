// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "app/cli/commands.h"
#include "app/cli/exit_status.h"
#include "app/cli/run_saving.h"
#include "app/cli/session_client.h"
#include "app/cli/sweep_output.h"
#include "engine/base/atomic_file.h"
#include "engine/base/near_match.h"

namespace opscope::cli {

namespace {

constexpr std::string_view kStandardOutput = "-";

session::SweepRequest requestOf(const SweepOptions& options) {
  session::SweepRequest request;
  request.profile.path = options.file;
  request.profile.plan = options.plan;
  request.profile.settings = options.settings;
  request.profile.warmup = options.warmup;
  request.profile.repeats = options.repeats;
  request.over = options.over;
  request.values = options.values;
  return request;
}

report::Scaling scalingOf(const session::SweepFinished& finished) {
  std::vector<report::ScalingPoint> points;
  for (const session::SweepPoint& point : finished.points) {
    points.push_back({point.value, point.document});
  }
  return report::buildScaling(points);
}

bool writeResults(const SweepOptions& options, const session::SweepFinished& finished, Console& console) {
  const report::Scaling scaling = scalingOf(finished);
  bool done = true;
  if (options.csv == kStandardOutput) {
    done = writeOut(console, sweepCsv(options, scaling)) == kDone;
  } else if (!options.csv.empty()) {
    if (auto written = base::writeFileAtomically(options.csv, sweepCsv(options, scaling)); !written) {
      console.error(written.error());
      done = false;
    }
  }
  if (options.json) {
    return writeOut(console, sweepJson(options, finished, scaling)) == kDone && done;
  }
  if (options.csv != kStandardOutput && !console.quiet()) {
    const auto width = options.wide ? std::nullopt : console.width();
    return writeOut(console, sweepText(options, scaling, console, width)) == kDone && done;
  }
  return done;
}

/// Each value's run with the value in its note.
bool saveRuns(const SweepOptions& options, const session::SweepFinished& finished, Console& console) {
  const bool outputIsFree = !options.json && options.csv != kStandardOutput;
  bool saved = true;
  for (const session::SweepPoint& point : finished.points) {
    if (!options.save.wanted || point.document.run == nullptr) {
      continue;
    }
    SaveOptions save = options.save;
    save.notes.note += (save.notes.note.empty() ? "" : ", ") + pointName(options, point.value);
    saved = saveRun(save, point.document, outputIsFree, console) && saved;
  }
  return saved;
}

/// Values that failed the same way.
struct FailedValues {
  base::Error error;
  std::vector<std::string> names;
};

bool isSame(const base::Error& one, const base::Error& other) {
  return one.message == other.message && one.detail == other.detail && one.hint == other.hint;
}

/// What failed, with the values it failed at. False when something did.
bool tellErrors(const SweepOptions& options, const session::SweepFinished& finished, Console& console) {
  std::vector<FailedValues> failures;
  for (const session::SweepPoint& point : finished.points) {
    if (point.error && point.error->code != base::ErrorCode::Cancelled) {
      const auto same = std::ranges::find_if(
          failures, [&](const FailedValues& each) { return isSame(each.error, *point.error); });
      FailedValues& failure =
          same != failures.end() ? *same : failures.emplace_back(FailedValues{*point.error, {}});
      failure.names.push_back(pointName(options, point.value));
    }
  }
  for (FailedValues& failure : failures) {
    failure.error.message = fmt::format("{}: {}", base::joinNames(failure.names), failure.error.message);
    console.error(failure.error);
  }
  return failures.empty();
}

bool anyMeasured(const session::SweepFinished& finished) {
  for (const session::SweepPoint& point : finished.points) {
    if (point.document.run != nullptr) {
      return true;
    }
  }
  return false;
}

}  // namespace

int sweep(const SweepOptions& options, Console& console, Interrupts& interrupts) {
  if (!options.csv.empty() && options.csv != kStandardOutput) {
    if (auto writable = base::checkWritable(options.csv); !writable) {
      console.error(writable.error());
      return kWorkFailed;
    }
  }
  if (auto possible = checkSaving(options.save); !possible) {
    console.error(possible.error());
    return kWorkFailed;
  }
  SessionClient client(console, interrupts);
  const Answer answer = client.sweep(requestOf(options));
  const auto* finished = std::get_if<session::SweepFinished>(&answer);
  if (finished == nullptr) {
    return tellFailure(console, interrupts, answer);
  }
  bool done = saveRuns(options, *finished, console);
  if (anyMeasured(*finished)) {
    done = writeResults(options, *finished, console) && done;
  }
  done = tellErrors(options, *finished, console) && done;
  const bool whole = finished->points.size() == options.values.size() &&
                     std::ranges::none_of(finished->points, [](const session::SweepPoint& point) {
                       return point.error && point.error->code == base::ErrorCode::Cancelled;
                     });
  if (!whole) {
    console.note(
        fmt::format("interrupted at {} of {} values", finished->points.size(), options.values.size()));
    return kInterrupted;
  }
  return done ? kDone : kWorkFailed;
}

}  // namespace opscope::cli
