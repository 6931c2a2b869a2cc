// SPDX-License-Identifier: Apache-2.0
// Launches and tasks of the pool as they stand on the tracks of a trace. Any thread; pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/report/lanes.h"
#include "engine/report/trace_layout.h"

namespace opscope::report {

/// A task, or a launch on the lane of the thread that made it.
struct LaneEvent {
  std::int64_t startNs = 0;  ///< on the trace's axis
  std::int64_t endNs = 0;
  std::uint32_t lane = 0;
  std::uint32_t launch = 0;        ///< index into LaneTrack::launches
  const LaneTask* task = nullptr;  ///< null for the launch itself
};

/// Sorted by start; of those that begin together the longest first, so that what is within another one
/// follows it.
std::vector<LaneEvent> laneEvents(const LaneTrack& lanes, const std::vector<RepeatPlace>& places);

/// "calling thread", "worker 1", "helper 3".
std::string laneTitle(std::uint32_t lane, std::uint32_t threads);

}  // namespace opscope::report
