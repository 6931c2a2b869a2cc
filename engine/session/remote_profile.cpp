// SPDX-License-Identifier: Apache-2.0
#include "engine/session/remote_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "engine/base/clock.h"
#include "engine/profile/noise_rules.h"
#include "engine/report/remote_words.h"
#include "engine/report/sample_warnings.h"
#include "engine/session/compiled_watch.h"

namespace opscope::session {

namespace {

/// One way to profile on a board: a visible list, the best first.
struct Way {
  const char* name;
  const char* words;
};
constexpr Way kFull = {"recorder", "Recorded by opscope-server, as a local run is."};
constexpr Way kProbe = {"probe", "Recorded by our probe as the instrument of the board's virtual machine."};
constexpr Way kProbeSlots = {"probe-slots",
                             "Recorded by our probe, in the slots of the library through which its compiled "
                             "functions make their calls."};
constexpr Way kTvmProfiler = {"tvm-profiler", "Recorded by the profiler of the board's TVM 0.21."};
constexpr Way kKernels = {
    "kernels",
    "Each kernel was timed on its own by the board's time evaluator: the calls were not "
    "made in the model's order."};

/// True for errors that another way may not have.
bool cannotRunThere(const profile::Measurement& measurement) {
  return !measurement.run && measurement.error &&
         (measurement.error->code == base::ErrorCode::Unsupported ||
          measurement.error->code == base::ErrorCode::MissingFunction);
}

void tellWay(const RemoteProfile& profile, const Way& way, profile::Measurement& measurement) {
  if (!measurement.run) {
    return;
  }
  report::RemoteFacts& remote = measurement.run->remote.emplace();
  remote.way = way.name;
  remote.words = way.words;
  remote.board = profile.board.facts();
  std::ranges::copy(profile.board.warnings(), std::back_inserter(measurement.run->warnings));
  std::vector<report::Fact>& environment = measurement.run->environment;
  environment.insert(environment.begin(), {"Way", way.words});
  // What the run tells itself (its threads) is not told again.
  const auto isTold = [&environment](const report::Fact& fact) {
    return std::ranges::find(environment, fact.name, &report::Fact::name) != environment.end();
  };
  std::vector<report::Fact> board;
  std::ranges::remove_copy_if(remote.board, std::back_inserter(board), isTold);
  environment.insert(environment.begin(), board.begin(), board.end());
}

/// What the other ways than our own server's cannot tell, in words.
void warnOfMissing(const RemoteProfile& profile, profile::Measurement& measurement) {
  if (!measurement.run) {
    return;
  }
  const std::array<std::pair<bool, const char*>, 3> wanted = {
      std::pair(profile.request.recordMemory, "memory"), std::pair(profile.request.recordLanes, "threads"),
      std::pair(!profile.request.collectors.empty(), "counters")};
  for (const auto& [asked, what] : wanted) {
    if (asked) {
      measurement.run->warnings.push_back(
          {fmt::format("The board's server tells nothing of {}.", what), report::kOurServerTells});
    }
  }
}

profile::Measurement byMachine(const RemoteProfile& profile) {
  auto program = RemoteProgram::load(profile.board, profile.file, profile.request.settings,
                                     RemoteMachine::kPlain, profile.uploading);
  if (!program) {
    return {std::nullopt, std::move(program).error()};
  }
  if (profile.board.isOurs()) {
    auto measurement = recordInFull(profile, **program);
    tellWay(profile, kFull, measurement);
    return measurement;
  }
  auto measurement = recordByProbe(profile, **program);
  if (!cannotRunThere(measurement)) {
    tellWay(profile, profile::hasCompiledFunctions(*profile.file.file.data) ? kProbeSlots : kProbe,
            measurement);
    warnOfMissing(profile, measurement);
    return measurement;
  }
  const base::Error why = *measurement.error;
  measurement = recordByKernels(profile, **program);
  tellWay(profile, kKernels, measurement);
  warnOfMissing(profile, measurement);
  if (measurement.run) {
    measurement.run->warnings.push_back({why.message, why.detail});
  }
  return measurement;
}

}  // namespace

base::Result<> RemoteProfile::checkStop() const {
  return stopRequested && stopRequested()
             ? base::Result<>(base::Error{base::ErrorCode::Cancelled, "Stopped.", "", ""})
             : base::Result<>();
}

void RemoteProfile::tell(profile::Stage stage, std::uint32_t done, std::int64_t stageBeginNs) const {
  if (progress) {
    progress(stage, done, static_cast<double>(base::monotonicNs() - stageBeginNs));
  }
}

report::Run beginRun(const RemoteProfile& profile, const std::string& startedAt,
                     const std::optional<base::Error>& error) {
  report::Run run;
  run.startedAt = startedAt;
  run.warmup = profile.request.warmup;
  run.repeatsWanted = profile.request.repeats;
  run.steps = profile.sequence.stepNames();
  if (error) {
    run.failure = error->code == base::ErrorCode::Cancelled ? "Stopped on request." : error->message;
  }
  return run;
}

void finishRun(report::Run& run) {
  run.configuration.set("Executor", std::string("VM"));
  run.configuration.set("Repeats", report::Count{run.repeats});
  run.configuration.set("Warm-up", report::Count{run.warmup});
  std::ranges::move(report::sampleWarnings(run), std::back_inserter(run.warnings));
  if (run.repeats == 0) {
    return;
  }
  // The board's own state is not known: what the totals tell is all there is.
  run.noise = profile::gradeNoise(profile::sampleReadings(run));
  std::ranges::move(profile::noiseWarnings(*run.noise), std::back_inserter(run.warnings));
  std::ranges::move(report::countWarnings(run), std::back_inserter(run.warnings));
}

std::uint32_t indexIn(std::vector<std::string>& texts, const std::string& text) {
  const auto place = std::ranges::find(texts, text);
  const auto index = static_cast<std::uint32_t>(place - texts.begin());
  if (place == texts.end()) {
    texts.push_back(text);
  }
  return index;
}

profile::Measurement profileOnBoard(const RemoteProfile& profile) {
  if (profile.board.client().server().kind != rpc::ServerKind::Tvm021) {
    return byMachine(profile);
  }
  auto measurement = recordByTvmProfiler(profile);
  tellWay(profile, kTvmProfiler, measurement);
  warnOfMissing(profile, measurement);
  return measurement;
}

}  // namespace opscope::session
