// SPDX-License-Identifier: Apache-2.0
// A profile on TVM's own server: our probe is the instrument of its virtual machine.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "engine/base/clock.h"
#include "engine/profile/bare_repeats.h"
#include "engine/profile/run_facts.h"
#include "engine/profile/shape_table.h"
#include "engine/report/overhead.h"
#include "engine/session/compiled_watch.h"
#include "engine/session/probe_library.h"
#include "engine/session/probe_records.h"
#include "engine/session/remote_profile.h"
#include "engine/session/remote_traffic.h"

namespace opscope::session {

namespace {

class ProbeRecording {
 public:
  ProbeRecording(const RemoteProfile& profile, RemoteProgram& program)
      : m_profile(profile),
        m_program(program),
        m_client(program.board().client()),
        m_records(*profile.file.file.data),
        m_compiled(profile.file, program),
        m_bare(profile.request.overhead, profile.request.repeats) {
    for (const CallSequence::Step& step : profile.sequence.steps()) {
      m_entries.push_back(step.isGlobal ? -1 : vm::findFunction(*profile.file.file.data, step.function));
    }
  }

  profile::Measurement record() {
    profile::Measurement measurement;
    if (auto done = recordAll(); !done) {
      measurement.error = std::move(done).error();
    }
    stop();
    if (!m_records.repeats().empty()) {
      measurement.run = makeRun(measurement.error);
    }
    return measurement;
  }

 private:
  static constexpr std::int64_t kFirstCapacity = std::int64_t{1} << 16;

  base::Result<> recordAll() {
    m_startedAt = profile::utcNow();
    OPSCOPE_TRY(load());
    OPSCOPE_TRY_ASSIGN(m_sequence, RemoteSequence::prepare(m_program, m_profile.sequence));
    OPSCOPE_TRY(start(kFirstCapacity));
    OPSCOPE_TRY(listen(true));
    OPSCOPE_TRY(warmUp());
    m_stageBeginNs = base::monotonicNs();
    for (std::uint32_t done = 0; done < m_profile.request.repeats; ++done) {
      tell(profile::Stage::Measure, done);
      OPSCOPE_TRY(m_profile.checkStop());
      m_repeat = done;
      if (m_bare.runsBefore(done)) {
        OPSCOPE_TRY(runBare(done));
      }
      OPSCOPE_TRY(runRecorded());
      if (done == 0) {
        m_bare.plan(totalNs(m_records.repeats().front()));
      }
      if (m_bare.runsAfter(done)) {
        OPSCOPE_TRY(runBare(done));
      }
    }
    tell(profile::Stage::Measure, m_profile.request.repeats);
    return {};
  }

  base::Result<> load() {
    OPSCOPE_TRY_ASSIGN(ProbeLibrary probe,
                       ProbeLibrary::load(m_program.board(), m_profile.file.info->architecture));
    m_probe.emplace(std::move(probe));
    OPSCOPE_TRY_ASSIGN(m_instrument, function("instrument"));
    OPSCOPE_TRY_ASSIGN(m_step, function("step"));
    OPSCOPE_TRY_ASSIGN(m_report, function("report"));
    OPSCOPE_TRY_ASSIGN(m_clear, function("clear"));
    OPSCOPE_TRY_ASSIGN(const rpc::RemoteFunction cost, function("cost"));
    OPSCOPE_TRY_ASSIGN(const rpc::CallResult ns, cost({}));
    const auto* const value = std::get_if<double>(&ns.value);
    m_costNs = value != nullptr ? std::max(*value, 0.0) : 0;
    return m_compiled.prepare(*m_probe);
  }

  base::Result<rpc::RemoteFunction> function(const char* name) { return m_probe->function(name); }

  base::Result<> start(std::int64_t capacity) {
    m_capacity = capacity;
    OPSCOPE_TRY_ASSIGN(const rpc::RemoteFunction begin, function("start"));
    const DLDevice device = m_program.device();
    OPSCOPE_TRY(begin({capacity, std::int64_t{device.device_type}, std::int64_t{device.device_id}}));
    return {};
  }

  base::Result<> listen(bool on) {
    OPSCOPE_TRY_ASSIGN(const rpc::FunctionHandle set, m_program.function("set_instrument"));
    OPSCOPE_TRY(m_client.call(set, {on ? rpc::Value(m_instrument.get()) : rpc::Value()}));
    return m_compiled.listen(on);
  }

  /// Runs all steps once and brings their report.
  base::Result<> runOnce(report::TrafficPhase phase) {
    enterPhase(m_program.board(), phase, m_repeat);
    OPSCOPE_TRY(m_clear({}));
    StepDriver driver(m_client, m_step.get());
    OPSCOPE_TRY(m_sequence->runOnce(driver));
    enterPhase(m_program.board(), report::TrafficPhase::Records, m_repeat);
    OPSCOPE_TRY_ASSIGN(m_reported, m_report({}));
    const auto bytes = m_reported.bytes();
    OPSCOPE_TRY_ASSIGN(m_parsed, readProbeReport(bytes.value_or(std::string_view())));
    return {};
  }

  /// The room for records grows until all have it.
  base::Result<bool> hadRoom() {
    const base::ProbeHeader& header = m_parsed.header;
    if (header.droppedMarks > 0) {
      return base::Error{base::ErrorCode::Unsupported, "The scenario has too many steps for the probe.", "",
                         "Run opscope-server on the board."};
    }
    if (header.dropped == 0) {
      return true;
    }
    const auto needed = static_cast<std::int64_t>(header.records + header.dropped);
    if (needed <= m_capacity) {
      return base::Error{base::ErrorCode::Unsupported, "The probe could not keep all calls.",
                         fmt::format("{} of {} were dropped.", header.dropped, needed),
                         "Run opscope-server on the board."};
    }
    OPSCOPE_TRY(start(needed + needed / 4));
    return false;
  }

  base::Result<> warmUp() {
    m_stageBeginNs = base::monotonicNs();
    for (std::uint32_t done = 0; done < m_profile.request.warmup; ++done) {
      tell(profile::Stage::WarmUp, done);
      OPSCOPE_TRY(m_profile.checkStop());
      OPSCOPE_TRY(runOnce(report::TrafficPhase::WarmUp));
      OPSCOPE_TRY(hadRoom());
    }
    return {};
  }

  base::Result<> runRecorded() {
    for (;;) {
      OPSCOPE_TRY(runOnce(report::TrafficPhase::Repeat));
      OPSCOPE_TRY_ASSIGN(const bool complete, hadRoom());
      if (complete) {
        m_resolutionNs = std::max(1.0, m_parsed.header.clockResolutionNs);
        return m_records.addRepeat(m_parsed, m_entries);
      }
    }
  }

  base::Result<> runBare(std::uint32_t partner) {
    enterPhase(m_program.board(), report::TrafficPhase::Bare, m_repeat);
    OPSCOPE_TRY(listen(false));
    OPSCOPE_TRY(runOnce(report::TrafficPhase::Bare));
    enterPhase(m_program.board(), report::TrafficPhase::Bare, m_repeat);
    OPSCOPE_TRY(listen(true));
    m_bare.add(partner, static_cast<std::uint64_t>(markedNs(m_parsed)));
    return {};
  }

  static double totalNs(const profile::RepeatMarks& marks) {
    double ns = 0;
    for (const profile::StepMark& mark : marks) {
      ns += static_cast<double>(mark.endTicks - mark.beginTicks);
    }
    return ns;
  }

  /// Nothing stays behind. What fails here is told by what failed before.
  void stop() {
    if (m_client.failure() || !m_probe) {
      return;
    }
    (void)listen(false);
    if (auto end = function("stop"); end) {
      (void)(*end)({});
    }
  }

  void tell(profile::Stage stage, std::uint32_t done) const { m_profile.tell(stage, done, m_stageBeginNs); }

  report::Run makeRun(const std::optional<base::Error>& error) const {
    report::Run run = beginRun(m_profile, m_startedAt, error);
    const DLDevice device = m_program.device();
    const profile::BuildInput input{m_records.records(),
                                    m_records.shapes(),
                                    m_records.repeats(),
                                    m_profile.file.file,
                                    base::TickScale({}, {}, 1.0),
                                    static_cast<std::uint32_t>(run.steps.size()),
                                    {profile::deviceText(device.device_type, device.device_id)},
                                    &m_records.moreFunctions()};
    profile::RunPlaces places;
    profile::buildCalls(input, run, places);
    run.timing = report::Timing{m_resolutionNs, m_costNs};
    report::Overhead& overhead = run.overhead.emplace();
    m_bare.fill(overhead, run.repeats, 1.0);
    overhead.calls = static_cast<double>(run.ownNs.size()) / std::max(run.repeats, 1U);
    addFacts(run);
    finishRun(run);
    m_compiled.addFacts(m_costNs, run);
    return run;
  }

  void addFacts(report::Run& run) const {
    run.environment.push_back({"Timer", fmt::format("steady clock of the board, {:.0f} ns", m_resolutionNs)});
    run.environment.push_back({"Recording", fmt::format("the probe takes about {:.0f} ns a call", m_costNs)});
    if (const std::string words = report::overheadWords(run); !words.empty()) {
      run.environment.push_back({"Profiling", words});
    }
    if (const std::string words = report::vmShareWords(run); !words.empty()) {
      run.environment.push_back({"Outside of kernels", words});
    }
  }

  const RemoteProfile& m_profile;
  RemoteProgram& m_program;
  rpc::Client& m_client;
  ProbeRecords m_records;
  CompiledWatch m_compiled;
  profile::BareRepeats m_bare;
  std::vector<std::int64_t> m_entries;
  std::string m_startedAt;
  std::int64_t m_stageBeginNs = 0;
  std::int64_t m_capacity = 0;
  std::uint32_t m_repeat = report::kNone;  // of the traffic
  double m_costNs = 0;
  double m_resolutionNs = 1;
  std::optional<ProbeLibrary> m_probe;
  rpc::RemoteFunction m_instrument;
  rpc::RemoteFunction m_step;
  rpc::RemoteFunction m_report;
  rpc::RemoteFunction m_clear;
  std::unique_ptr<RemoteSequence> m_sequence;
  rpc::CallResult m_reported;  // what m_parsed points into
  ProbeReport m_parsed;
};

}  // namespace

profile::Measurement recordByProbe(const RemoteProfile& profile, RemoteProgram& program) {
  return ProbeRecording(profile, program).record();
}

}  // namespace opscope::session
