// SPDX-License-Identifier: Apache-2.0
// A profile on a server of TVM 0.21, whose machine has a profiler: it warms up once and measures once each
// time it is asked, and gives durations without start times.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "engine/base/clock.h"
#include "engine/profile/run_facts.h"
#include "engine/report/report_json.h"
#include "engine/report/run_report.h"
#include "engine/session/remote_profile.h"
#include "engine/session/remote_traffic.h"

namespace opscope::session {

namespace {

/// Puts imported reports of one repeat each together: the same call of each is a sample.
class ReportCollection {
 public:
  void add(const report::Run& imported) {
    std::map<std::pair<std::string, std::string>, int> seen;
    for (const report::Call& call : imported.calls) {
      const std::string shapes = call.shapes == report::kNone ? std::string() : imported.shapes[call.shapes];
      const int occurrence = seen[{imported.names[call.name], shapes}]++;
      Key key{imported.names[call.name], shapes, occurrence};
      const auto [place, isNew] = m_numbers.try_emplace(std::move(key), m_calls.size());
      if (isNew) {
        m_calls.push_back({call, imported.names[call.name], shapes, deviceOf(imported, call), {}});
      }
      for (std::uint64_t i = 0; i < call.sampleCount; ++i) {
        m_calls[place->second].samples.push_back({m_repeats, imported.ownNs[call.firstSample + i]});
      }
    }
    for (const report::DeviceTotal& total : imported.totals) {
      std::vector<double>& values = m_totals[total.device];
      values.resize(m_repeats, 0);
      values.push_back(total.totalNs.empty() ? 0 : total.totalNs.front());
    }
    ++m_repeats;
  }

  std::uint32_t repeats() const { return m_repeats; }

  void fill(report::Run& run) {
    run.hasStartTimes = false;
    run.repeats = m_repeats;
    for (auto& [device, values] : m_totals) {
      values.resize(m_repeats, 0);
      run.devices.push_back(device);
      run.totals.push_back({device, values});
    }
    for (const Collected& collected : m_calls) {
      report::Call call = collected.call;
      call.name = indexIn(run.names, collected.name);
      call.shapes = collected.shapes.empty() ? report::kNone : indexIn(run.shapes, collected.shapes);
      call.device = collected.device.empty() ? report::kNone : indexIn(run.devices, collected.device);
      call.firstSample = run.ownNs.size();
      call.sampleCount = static_cast<std::uint32_t>(collected.samples.size());
      for (const auto& [repeat, ns] : collected.samples) {
        run.ownNs.push_back(ns);
        run.inclusiveNs.push_back(ns);
        run.sampleRepeat.push_back(repeat);
      }
      run.calls.push_back(call);
    }
  }

 private:
  using Key = std::tuple<std::string, std::string, int>;
  struct Collected {
    report::Call call;
    std::string name;
    std::string shapes;
    std::string device;
    std::vector<std::pair<std::uint32_t, double>> samples;
  };

  static std::string deviceOf(const report::Run& run, const report::Call& call) {
    return call.device == report::kNone ? std::string() : run.devices[call.device];
  }

  std::map<Key, std::size_t> m_numbers;
  std::vector<Collected> m_calls;
  std::map<std::string, std::vector<double>> m_totals;
  std::uint32_t m_repeats = 0;
};

class TvmRecording {
 public:
  explicit TvmRecording(const RemoteProfile& profile)
      : m_profile(profile), m_client(profile.board.client()) {}

  profile::Measurement record() {
    profile::Measurement measurement;
    m_startedAt = profile::utcNow();
    if (auto done = recordAll(); !done) {
      measurement.error = std::move(done).error();
    }
    if (m_reports.repeats() > 0) {
      measurement.run = makeRun(measurement.error);
    }
    return measurement;
  }

 private:
  base::Result<> recordAll() {
    if (m_profile.sequence.steps().size() != 1 || m_profile.sequence.steps().front().isGlobal) {
      return base::Error{base::ErrorCode::Unsupported, "TVM 0.21's profiler cannot profile a scenario.",
                         "It runs each function twice, which state does not bear.",
                         "Run opscope-server on the board, or profile one function."};
    }
    OPSCOPE_TRY_ASSIGN(m_program,
                       RemoteProgram::load(m_profile.board, m_profile.file, m_profile.request.settings,
                                           RemoteMachine::kProfiler, m_profile.uploading));
    OPSCOPE_TRY_ASSIGN(m_sequence, RemoteSequence::prepare(*m_program, m_profile.sequence));
    OPSCOPE_TRY(m_sequence->giveInputs(0));
    PlainDriver driver(m_client);
    const std::int64_t begin = base::monotonicNs();
    for (std::uint32_t done = 1; done < m_profile.request.warmup; ++done) {
      m_profile.tell(profile::Stage::WarmUp, done, begin);
      OPSCOPE_TRY(m_profile.checkStop());
      enterPhase(m_profile.board, report::TrafficPhase::WarmUp);
      OPSCOPE_TRY(m_sequence->runOnce(driver));
    }
    const std::int64_t first = base::monotonicNs();
    for (std::uint32_t done = 0; done < m_profile.request.repeats; ++done) {
      m_profile.tell(profile::Stage::Measure, done, first);
      OPSCOPE_TRY(m_profile.checkStop());
      enterPhase(m_profile.board, report::TrafficPhase::Repeat, done);
      OPSCOPE_TRY(repeat());
    }
    m_profile.tell(profile::Stage::Measure, m_profile.request.repeats, first);
    return {};
  }

  base::Result<> repeat() {
    OPSCOPE_TRY_ASSIGN(const rpc::FunctionHandle profiled, m_program->function("profile"));
    OPSCOPE_TRY_ASSIGN(const rpc::CallResult result,
                       m_client.call(profiled, {m_profile.sequence.steps().front().function}));
    OPSCOPE_TRY_ASSIGN(const std::string json, rpc::stringOf(m_client, result, "the board's profile"));
    OPSCOPE_TRY_ASSIGN(report::Report parsed, report::reportFromJson(json, "the board's profile"));
    m_reports.add(*report::importReport(std::move(parsed)).run);
    return {};
  }

  report::Run makeRun(const std::optional<base::Error>& error) {
    report::Run run = beginRun(m_profile, m_startedAt, error);
    m_reports.fill(run);
    for (report::Call& call : run.calls) {
      call.kernel = std::ranges::find(m_profile.file.file.kernels, run.names[call.name],
                                      &vm::KernelInfo::name) != m_profile.file.file.kernels.end();
    }
    finishRun(run);
    return run;
  }

  const RemoteProfile& m_profile;
  rpc::Client& m_client;
  std::string m_startedAt;
  std::unique_ptr<RemoteProgram> m_program;
  std::unique_ptr<RemoteSequence> m_sequence;
  ReportCollection m_reports;
};

}  // namespace

profile::Measurement recordByTvmProfiler(const RemoteProfile& profile) {
  return TvmRecording(profile).record();
}

}  // namespace opscope::session
