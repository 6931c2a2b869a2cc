// SPDX-License-Identifier: Apache-2.0
#include "engine/session/remote_traffic.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>

#include "engine/base/clock.h"

namespace opscope::session {

namespace {

/// What the functions that run one step of a repeat are called: the recorder's and the probe's.
constexpr std::string_view kStepFunctions[] = {"step", "opscope_probe_step"};

report::TrafficKind kindOf(const rpc::TrafficRecord& record) {
  switch (record.code) {
    case rpc::FrameCode::None:
      return report::TrafficKind::Open;
    case rpc::FrameCode::Call:
      return record.upload ? report::TrafficKind::Upload : report::TrafficKind::Call;
    case rpc::FrameCode::CopyToRemote:
      return report::TrafficKind::CopyTo;
    case rpc::FrameCode::CopyFromRemote:
      return report::TrafficKind::CopyFrom;
    case rpc::FrameCode::StreamSync:
      return report::TrafficKind::Sync;
    case rpc::FrameCode::FreeHandle:
    case rpc::FrameCode::FreeData:
      return report::TrafficKind::Free;
    default:
      return report::TrafficKind::System;
  }
}

bool isStep(const report::TrafficTrack& track, const report::TrafficEvent& event) {
  const std::string_view name = track.names[event.name];
  // What it is called comes before what it is given.
  return event.kind == report::TrafficKind::Call && event.phase == report::TrafficPhase::Repeat &&
         std::ranges::find(kStepFunctions, name.substr(0, name.find(' '))) != std::end(kStepFunctions);
}

/// How long the first step of a repeat took there.
std::optional<double> firstStepNs(const report::Run& run, std::uint32_t repeat) {
  const std::vector<double>* const times = !run.stepNs.empty()   ? &run.stepNs.front()
                                           : !run.totals.empty() ? &run.totals.front().totalNs
                                                                 : nullptr;
  return times != nullptr && repeat < times->size() ? std::optional((*times)[repeat]) : std::nullopt;
}

/// Where the repeats lie, from the events, which are in order.
class RepeatPlaces {
 public:
  RepeatPlaces(const report::TrafficTrack& track, const report::Run& run) : m_run(run) {
    m_steps.resize(run.repeats);
    m_starts.assign(run.repeats, -1);
    for (const report::TrafficEvent& event : track.events) {
      if (event.repeat >= run.repeats) continue;
      if (m_starts[event.repeat] < 0) m_starts[event.repeat] = event.startNs;
      if (isStep(track, event)) m_steps[event.repeat].push_back(&event);
    }
  }

  /// Of all repeats up to the first without an event.
  std::vector<report::TrafficRepeat> places() const {
    std::vector<report::TrafficRepeat> places;
    for (std::uint32_t repeat = 0; repeat < m_run.repeats && m_starts[repeat] >= 0; ++repeat) {
      report::TrafficRepeat& place = places.emplace_back();
      place.startNs = m_starts[repeat];
      const auto& steps = m_steps[repeat];
      const std::size_t count = std::max<std::size_t>(m_run.steps.size(), 1);
      const std::optional<double> stepNs = firstStepNs(m_run, repeat);
      if (!m_run.hasStartTimes || steps.size() < count || !stepNs) continue;
      // A repeat that was tried again counts as it was the last time.
      const report::TrafficEvent& step = *steps[steps.size() - count];
      place.doubtNs = std::max(step.durationNs - *stepNs, 0.0) / 2;
      place.zeroNs = step.startNs + place.doubtNs;
    }
    return places;
  }

 private:
  const report::Run& m_run;
  std::vector<std::vector<const report::TrafficEvent*>> m_steps;
  std::vector<double> m_starts;
};

}  // namespace

void enterPhase(RemoteBoard& board, report::TrafficPhase phase, std::uint32_t repeat) {
  if (board.traffic() != nullptr) {
    board.traffic()->enter(static_cast<std::uint32_t>(phase), repeat, phase == report::TrafficPhase::Records);
  }
}

report::TrafficTrack trafficTrack(const rpc::TrafficLog& log, const report::Run& run, double wallNs) {
  report::TrafficTrack track;
  track.names = log.names();
  track.notKept = log.notKept();
  track.requests = log.requests();
  track.bytesOut = log.bytesOut();
  track.bytesIn = log.bytesIn();
  track.wallNs = wallNs;
  track.transferNs = std::min(static_cast<double>(log.transferNs()), wallNs);
  for (const rpc::TrafficRecord& record : log.records()) {
    report::TrafficEvent event;
    event.startNs = static_cast<double>(std::max<std::int64_t>(record.beginNs - log.beginNs(), 0));
    event.durationNs = static_cast<double>(std::max<std::int64_t>(record.endNs - record.beginNs, 0));
    event.bytesOut = record.bytesOut;
    event.bytesIn = record.bytesIn;
    event.requests = record.requests;
    event.name = record.name;
    event.repeat = record.repeat;
    event.kind = kindOf(record);
    event.phase = static_cast<report::TrafficPhase>(record.stage);
    event.failed = record.failed;
    track.events.push_back(event);
  }
  std::ranges::stable_sort(track.events, {}, &report::TrafficEvent::startNs);
  track.repeats = RepeatPlaces(track, run).places();
  return track;
}

void addTraffic(RemoteBoard& board, report::Run& run) {
  const rpc::TrafficLog* const log = board.traffic();
  if (log == nullptr || !run.remote) {
    return;
  }
  run.traffic = trafficTrack(*log, run, static_cast<double>(base::monotonicNs() - log->beginNs()));
  run.environment.push_back({"RPC traffic", report::trafficWords(*run.traffic)});
}

}  // namespace opscope::session
