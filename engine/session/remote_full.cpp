// SPDX-License-Identifier: Apache-2.0
// A profile on our own server, which records as we do here.
#include <fmt/format.h>

#include <utility>

#include "engine/base/clock.h"
#include "engine/base/rhythm.h"
#include "engine/profile/remote_recorder.h"
#include "engine/report/repeat_times.h"
#include "engine/report/run_append.h"
#include "engine/report/sample_warnings.h"
#include "engine/report/samples_json.h"
#include "engine/session/remote_profile.h"
#include "engine/session/remote_traffic.h"

namespace opscope::session {

namespace {

profile::RemoteSettings settingsOf(const RemoteProfile& profile) {
  profile::RemoteSettings settings;
  settings.warmup = profile.request.warmup;
  settings.repeats = profile.request.repeats;
  settings.steps = profile.sequence.stepNames();
  settings.overhead = profile.request.overhead;
  settings.recordMemory = profile.request.recordMemory;
  settings.recordLanes = profile.request.recordLanes;
  settings.collectors = profile.request.collectors;
  for (const vm::KernelInfo& kernel : profile.file.file.kernels) {
    settings.kernels.push_back(kernel.name);
  }
  settings.tvmVersion = profile.file.file.tvmVersion;
  return settings;
}

/// What came over of a recording: all that was told at some time, and calls and times of the repeats behind.
class ReceivedRepeats {
 public:
  std::uint32_t repeats() const { return m_repeats; }

  /// Everything up to now.
  void set(std::optional<report::Run> whole) {
    if (whole) {
      m_repeats = whole->repeats;
      m_whole = std::move(whole);
      m_pieces.clear();
    }
  }
  /// Repeats from repeats() on.
  void add(std::optional<report::Run> more) {
    if (more) {
      m_repeats += more->repeats;
      m_pieces.push_back(*std::move(more));
    }
  }

  /// All of them as one run; behind a piece that makes other calls than those before it nothing can be added.
  std::optional<report::Run> run(const std::string& failure) {
    std::optional<report::Run> run = std::move(m_whole);
    std::vector<report::Warning> before = run ? report::repeatWarnings(*run) : std::vector<report::Warning>();
    for (report::Run& piece : m_pieces) {
      if (!run) {
        run = std::move(piece);
        before = report::repeatWarnings(*run);
      } else if (!report::appendRepeats(*run, piece)) {
        break;
      }
    }
    if (run) {
      if (run->failure.empty()) {
        run->failure = failure;
      }
      report::renewRepeatWarnings(*run, before);
    }
    return run;
  }

 private:
  std::uint32_t m_repeats = 0;
  std::optional<report::Run> m_whole;
  std::vector<report::Run> m_pieces;
};

class FullRecording {
 public:
  FullRecording(const RemoteProfile& profile, RemoteProgram& program)
      : m_profile(profile), m_program(program), m_client(program.board().client()) {}

  profile::Measurement record() {
    profile::Measurement measurement;
    auto done = recordAll();
    if (!done) {
      measurement.error = std::move(done).error();
    }
    enterPhase(m_program.board(), report::TrafficPhase::Records, m_done > 0 ? m_done - 1 : report::kNone);
    if (!m_recorder.empty() && !m_client.failure()) {
      auto run = take("end", {reasonOf(measurement.error)});
      if (run) {
        measurement.run = std::move(*run);
      } else if (!measurement.error) {
        measurement.error = std::move(run).error();
      }
    }
    if (!measurement.run) {
      measurement.run = m_received.run(failureOf(measurement.error));
    }
    if (measurement.run && measurement.run->failure.empty()) {
      measurement.run->failure = failureOf(measurement.error);
    }
    return measurement;
  }

 private:
  static std::string reasonOf(const std::optional<base::Error>& error) {
    return !error ? "" : error->code == base::ErrorCode::Cancelled ? "stopped" : error->message;
  }

  static std::string failureOf(const std::optional<base::Error>& error) {
    return !error ? "" : error->code == base::ErrorCode::Cancelled ? "Stopped on request." : error->message;
  }

  base::Result<> recordAll() {
    OPSCOPE_TRY_ASSIGN(const auto sequence, RemoteSequence::prepare(m_program, m_profile.sequence));
    OPSCOPE_TRY_ASSIGN(rpc::CallResult begun,
                       m_client.callGlobal(profile::kRecordBegin,
                                           {m_program.machine(), profile::toJson(settingsOf(m_profile))}));
    OPSCOPE_TRY_ASSIGN(m_recorder, rpc::moduleOf(m_client, std::move(begun), "the recorder"));
    OPSCOPE_TRY_ASSIGN(const rpc::RemoteFunction begin, function("repeat_begin"));
    OPSCOPE_TRY_ASSIGN(const rpc::RemoteFunction step, function("step"));
    OPSCOPE_TRY_ASSIGN(const rpc::RemoteFunction end, function("repeat_end"));
    StepDriver driver(m_client, step.get());
    for (;;) {
      tell();
      OPSCOPE_TRY(m_profile.checkStop());
      enter(isWarming() ? report::TrafficPhase::WarmUp : report::TrafficPhase::Repeat);
      OPSCOPE_TRY_ASSIGN(const rpc::CallResult told, begin({}));
      OPSCOPE_TRY_ASSIGN(const std::int64_t kind, rpc::intOf(m_client, told, "repeat_begin"));
      if (kind == 0) {
        return {};
      }
      enter(kind == kRecorded ? report::TrafficPhase::Repeat
            : kind == kWarmUp ? report::TrafficPhase::WarmUp
                              : report::TrafficPhase::Bare);
      if (auto ran = sequence->runOnce(driver); !ran) {
        if (!m_client.failure()) {
          (void)end({false});
        }
        return ran;
      }
      OPSCOPE_TRY(end({true}));
      OPSCOPE_TRY(count(kind));
    }
  }

  // What repeat_begin tells; others are bare.
  static constexpr std::int64_t kWarmUp = 1;
  static constexpr std::int64_t kRecorded = 2;

  void enter(report::TrafficPhase phase) const {
    enterPhase(m_program.board(), phase, isWarming() ? report::kNone : m_done);
  }
  bool isWarming() const { return m_warmupDone < m_profile.request.warmup; }

  base::Result<> count(std::int64_t kind) {
    const std::uint32_t repeat = m_done;
    m_warmupDone += kind == kWarmUp ? 1 : 0;
    m_done += kind == kRecorded ? 1 : 0;
    if (kind != kRecorded || m_done == m_profile.request.repeats) {
      return {};
    }
    enterPhase(m_program.board(), report::TrafficPhase::Records, repeat);
    OPSCOPE_TRY(bring(m_snapshots, [this]() -> base::Result<> {
      OPSCOPE_TRY_ASSIGN(std::optional<report::Run> whole, take("snapshot", {}));
      if (whole) {
        tellTimes(*whole, m_received.repeats(), m_received.repeats());
      }
      m_received.set(std::move(whole));
      return {};
    }));
    return bring(m_pieces, [this]() -> base::Result<> {
      OPSCOPE_TRY_ASSIGN(std::optional<report::Run> more,
                         take("since", {std::int64_t{m_received.repeats()}}));
      if (more) {
        tellTimes(*more, 0, m_received.repeats());
      }
      m_received.add(std::move(more));
      return {};
    });
  }

  /// What comes over from time to time, in case the connection is lost: at most one twentieth of the time
  /// goes into both.
  template <class Bring>
  static base::Result<> bring(base::Rhythm& rhythm, Bring&& body) {
    return rhythm.isDue() ? rhythm.turn(body) : base::Result<>();
  }

  /// Of the repeats of `run` from `from` on, which is the run's repeat `first`.
  void tellTimes(const report::Run& run, std::uint32_t from, std::uint32_t first) const {
    if (m_profile.measured && run.repeats > from) {
      m_profile.measured(report::repeatTimes(run, from, first));
    }
  }

  base::Result<rpc::RemoteFunction> function(const char* name) {
    return rpc::moduleFunction(m_client, m_recorder.get(), name);
  }

  base::Result<std::optional<report::Run>> take(const char* name,
                                                std::initializer_list<rpc::Value> arguments) {
    OPSCOPE_TRY_ASSIGN(const rpc::RemoteFunction take, function(name));
    OPSCOPE_TRY_ASSIGN(const rpc::CallResult result, take(arguments));
    const auto bytes = result.bytes();
    if (!bytes) {
      return std::optional<report::Run>();
    }
    OPSCOPE_TRY_ASSIGN(const auto run, report::runFromSamplesJson(*bytes, "the board's recording"));
    return std::optional(*run);
  }

  void tell() const {
    if (m_profile.received) {
      m_profile.received(m_received.repeats());
    }
    const bool warming = isWarming();
    m_profile.tell(warming ? profile::Stage::WarmUp : profile::Stage::Measure,
                   warming ? m_warmupDone : m_done, m_beginNs);
  }

  const RemoteProfile& m_profile;
  RemoteProgram& m_program;
  rpc::Client& m_client;
  rpc::RemoteModule m_recorder;
  ReceivedRepeats m_received;
  base::Rhythm m_snapshots{1'000'000'000};  // everything, which takes the longer the more there is
  base::Rhythm m_pieces{200'000'000};       // calls and times of the repeats since the last piece
  std::uint32_t m_warmupDone = 0;
  std::uint32_t m_done = 0;
  std::int64_t m_beginNs = base::monotonicNs();
};

}  // namespace

profile::Measurement recordInFull(const RemoteProfile& profile, RemoteProgram& program) {
  return FullRecording(profile, program).record();
}

}  // namespace opscope::session
