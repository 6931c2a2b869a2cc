// SPDX-License-Identifier: Apache-2.0
#include "engine/report/trace_lanes.h"

#include <fmt/format.h>

#include <algorithm>

namespace opscope::report {

std::vector<LaneEvent> laneEvents(const LaneTrack& lanes, const std::vector<RepeatPlace>& places) {
  std::vector<LaneEvent> events;
  events.reserve(lanes.launches.size() + lanes.tasks.size());
  for (std::uint32_t index = 0; index < lanes.launches.size(); ++index) {
    const Launch& launch = lanes.launches[index];
    const std::int64_t offset = places[launch.repeat].startNs;
    LaneEvent event{offset + wholeNs(launch.startNs), offset + wholeNs(launch.startNs + launch.durationNs), 0,
                    index, nullptr};
    // A nested launch is made by a task and runs on that task's lane.
    if (launch.kind == LaunchKind::Nested && launch.taskCount > 0) {
      event.lane = lanes.tasks[launch.firstTask].lane;
    }
    events.push_back(event);
    for (std::uint32_t i = 0; i < launch.taskCount; ++i) {
      const LaneTask& task = lanes.tasks[launch.firstTask + i];
      events.push_back({offset + wholeNs(task.startNs), offset + wholeNs(task.startNs + task.durationNs),
                        task.lane, index, &task});
    }
  }
  std::ranges::stable_sort(events, [](const LaneEvent& a, const LaneEvent& b) {
    return a.startNs != b.startNs ? a.startNs < b.startNs : a.endNs > b.endNs;
  });
  return events;
}

std::string laneTitle(std::uint32_t lane, std::uint32_t threads) {
  if (lane == 0) return "calling thread";
  return lane < threads ? fmt::format("worker {}", lane) : fmt::format("helper {}", lane);
}

}  // namespace opscope::report
