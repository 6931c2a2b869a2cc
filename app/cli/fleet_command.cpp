// SPDX-License-Identifier: Apache-2.0
// `profile --all`: every free board of a tracker's key at once, and one comparison at the end.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "app/cli/document_output.h"
#include "app/cli/exit_status.h"
#include "app/cli/fleet_command.h"
#include "app/cli/run_saving.h"
#include "app/cli/text_table.h"
#include "app/cli/words.h"
#include "engine/base/printable.h"
#include "engine/report/measuring_limit.h"
#include "engine/report/quantity_words.h"
#include "engine/report/scaling.h"
#include "engine/session/fleet.h"

namespace opscope::cli {

namespace {

/// "samples.json" of board 10.0.0.7:9090 is "samples-10.0.0.7_9090.json".
std::string pathFor(const std::string& path, std::string board) {
  std::ranges::replace_if(
      board, [](char c) { return c == ':' || c == '/' || c == '[' || c == ']' || c == ' '; }, '_');
  const std::filesystem::path given(path);
  return (given.parent_path() / (given.stem().string() + "-" + board + given.extension().string())).string();
}

/// Files of each board, as soon as its result is there.
bool writeFiles(const ProfileOptions& options, const session::FleetResult& result, Console& console) {
  bool done = true;
  if (result.document.run == nullptr) {
    return done;
  }
  Destinations wanted;
  for (const auto& [id, path] : options.outputs) {
    if (!path.empty()) {
      wanted[id] = pathFor(path, result.board);
    }
  }
  if (!wanted.empty()) {
    done = writeFormats(wanted, result.document, options.wide, console);
  }
  if (options.save.wanted) {
    SaveOptions save = options.save;
    save.notes.note += (save.notes.note.empty() ? "" : ", ") + result.board;
    const bool outputIsFree =
        std::ranges::none_of(options.outputs, [](const auto& output) { return output.second == "-"; });
    done = saveRun(save, result.document, outputIsFree, console) && done;
  }
  return done;
}

/// "100 repeats", "8 of 100 repeats".
std::string repeatsWords(const report::Run& run) {
  const std::string wanted = countText(run.repeatsWanted, "repeat", "repeats");
  return run.repeats < run.repeatsWanted ? fmt::format("{} of {}", run.repeats, wanted) : wanted;
}

std::string comparisonText(const std::vector<session::FleetResult>& results, const Console& console,
                           bool wide) {
  std::vector<report::ScalingPoint> points;
  TextTable table;
  table.titles = {"Op"};
  for (const session::FleetResult& result : results) {
    if (result.document.run != nullptr) {
      points.push_back({static_cast<std::int64_t>(points.size()) + 1, result.document});
      table.titles.push_back(base::printable(result.board));
    }
  }
  table.titles.emplace_back("Slowest/fastest");
  const report::Scaling scaling = report::buildScaling(points);
  const auto cells = [&](const report::ScalingRow& row) {
    std::vector<std::string> line = {base::printable(row.name)};
    double least = 0;
    double most = 0;
    bool all = true;
    for (std::size_t i = 0; i < row.us.size(); ++i) {
      line.push_back(row.tooShort[i] ? std::string(report::kTooShort)
                     : row.us[i]     ? report::timeWords(*row.us[i])
                                     : "not there");
      all = all && row.us[i] && !row.tooShort[i];
      least = i == 0 ? row.us[i].value_or(0) : std::min(least, row.us[i].value_or(0));
      most = std::max(most, row.us[i].value_or(0));
    }
    line.push_back(all && least > 0 ? fmt::format("{:.2f}", most / least) : "");
    return line;
  };
  for (const report::ScalingRow& row : scaling.rows) {
    table.rows.push_back(cells(row));
  }
  table.rows.push_back(cells(scaling.total));
  return console.headed(toText(table, wide ? std::nullopt : console.width()));
}

}  // namespace

int profileAll(const ProfileOptions& options, const session::ProfileRequest& request, Console& console,
               Interrupts& interrupts) {
  std::stop_source stop;
  interrupts.onFirst([&stop] { stop.request_stop(); });
  bool done = true;
  session::FleetOptions how;
  how.stop = stop.get_token();
  how.onResult = [&](const session::FleetResult& result) {
    done = writeFiles(options, result, console) && done;
    if (result.error && result.error->code != base::ErrorCode::Cancelled) {
      base::Error error = *result.error;
      error.message = fmt::format("{}: {}", result.board, error.message);
      console.error(error);
      done = false;
    } else if (result.document.run != nullptr) {
      console.note(fmt::format("{}: {} measured", result.board, repeatsWords(*result.document.run)));
    }
  };
  const auto results = session::profileFleet(request, how);
  interrupts.onFirst({});
  if (!results) {
    console.error(results.error());
    return kWorkFailed;
  }
  const bool any = std::ranges::any_of(
      *results, [](const session::FleetResult& result) { return result.document.run != nullptr; });
  if (any && !console.quiet()) {
    done = static_cast<bool>(console.write(comparisonText(*results, console, options.wide))) && done;
  }
  if (interrupts.seen()) {
    console.note("interrupted");
  }
  return interrupts.seen() ? kInterrupted : done ? kDone : kWorkFailed;
}

}  // namespace opscope::cli
