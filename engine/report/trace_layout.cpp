// SPDX-License-Identifier: Apache-2.0
#include "engine/report/trace_layout.h"

#include <algorithm>

namespace opscope::report {

bool isPlacedByTraffic(const Run& run) {
  return run.traffic && run.repeats > 0 && run.traffic->repeats.size() >= run.repeats &&
         std::ranges::all_of(run.traffic->repeats,
                             [](const TrafficRepeat& place) { return place.zeroNs >= 0; });
}

std::vector<RepeatPlace> placeRepeats(const Run& run) {
  std::vector<RepeatPlace> places(run.repeats);
  const auto reaches = [&places](std::uint32_t repeat, double endNs) {
    if (repeat < places.size()) {
      places[repeat].lengthNs = std::max(places[repeat].lengthNs, wholeNs(endNs));
    }
  };
  for (const DeviceTotal& total : run.totals) {
    for (std::uint32_t repeat = 0; repeat < total.totalNs.size(); ++repeat) {
      reaches(repeat, total.totalNs[repeat]);
    }
  }
  for (const Span& span : run.spans) reaches(span.repeat, span.startNs + span.durationNs);
  if (run.memory) {
    for (const MemorySeries* series : {&run.memory->storage, &run.memory->tensors, &run.memory->workspaces}) {
      for (const MemoryPoint& point : series->points) reaches(point.repeat, point.ns);
    }
  }
  if (run.lanes) {
    for (const Launch& launch : run.lanes->launches) {
      reaches(launch.repeat, launch.startNs + launch.durationNs);
      for (std::uint32_t task = 0; task < launch.taskCount; ++task) {
        const LaneTask& each = run.lanes->tasks[launch.firstTask + task];
        reaches(launch.repeat, each.startNs + each.durationNs);
      }
    }
  }
  if (isPlacedByTraffic(run)) {
    std::int64_t end = 0;
    for (std::size_t repeat = 0; repeat < places.size(); ++repeat) {
      places[repeat].startNs = std::max(wholeNs(run.traffic->repeats[repeat].zeroNs), end);
      end = places[repeat].startNs + places[repeat].lengthNs;
    }
    return places;
  }
  std::int64_t longest = 0;
  for (const RepeatPlace& place : places) longest = std::max(longest, place.lengthNs);
  constexpr std::int64_t kPart = 100;
  constexpr std::int64_t kNsPerUs = 1000;
  const std::int64_t gap = (longest / kPart / kNsPerUs + 1) * kNsPerUs;
  for (std::size_t repeat = 1; repeat < places.size(); ++repeat) {
    places[repeat].startNs = places[repeat - 1].startNs + places[repeat - 1].lengthNs + gap;
  }
  return places;
}

}  // namespace opscope::report
