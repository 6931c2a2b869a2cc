// SPDX-License-Identifier: Apache-2.0
#include "engine/report/trace_traffic.h"

#include <algorithm>

#include "engine/report/trace_format.h"

namespace opscope::report {

namespace {

/// The first track that is free again at `startNs`, which is then taken until `endNs`.
std::uint32_t freeTrack(std::vector<std::int64_t>& ends, std::int64_t startNs, std::int64_t endNs) {
  auto place = std::ranges::find_if(ends, [startNs](std::int64_t end) { return end <= startNs; });
  if (place == ends.end()) {
    if (ends.size() < kMostRpcTracks) ends.push_back(0);
    place = ends.end() - 1;
  }
  *place = std::max(*place, endNs);
  return static_cast<std::uint32_t>(place - ends.begin());
}

}  // namespace

std::vector<TrafficTraceEvent> trafficEvents(const Run& run, const std::vector<RepeatPlace>& places) {
  if (!run.traffic) return {};
  const TrafficTrack& traffic = *run.traffic;
  const bool placed = isPlacedByTraffic(run);
  std::vector<TrafficTraceEvent> events;
  events.reserve(traffic.events.size());
  for (std::uint32_t index = 0; index < traffic.events.size(); ++index) {
    const TrafficEvent& event = traffic.events[index];
    std::int64_t shift = 0;
    if (placed && event.repeat < places.size()) {
      shift = places[event.repeat].startNs - wholeNs(traffic.repeats[event.repeat].zeroNs);
    }
    events.push_back(
        {wholeNs(event.startNs) + shift, wholeNs(event.startNs + event.durationNs) + shift, 0, index});
  }
  std::ranges::stable_sort(events, {}, &TrafficTraceEvent::startNs);
  std::vector<std::int64_t> ends;
  for (TrafficTraceEvent& event : events) event.track = freeTrack(ends, event.startNs, event.endNs);
  return events;
}

}  // namespace opscope::report
