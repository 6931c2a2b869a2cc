// SPDX-License-Identifier: Apache-2.0
// Requests to a board as they stand on the tracks of a trace. Any thread; pure functions.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/report/trace_layout.h"

namespace opscope::report {

struct TrafficTraceEvent {
  std::int64_t startNs = 0;  ///< on the axis of the trace
  std::int64_t endNs = 0;
  std::uint32_t track = 0;  ///< requests of one track do not overlap, but for the last of very many
  std::uint32_t event = 0;  ///< index into TrafficTrack::events
};

/// In order of start; none for a run without traffic. `places` are those of placeRepeats: requests stand
/// where they were beside the calls, or, when that is not known, on the clock of the traffic alone.
std::vector<TrafficTraceEvent> trafficEvents(const Run& run, const std::vector<RepeatPlace>& places);

}  // namespace opscope::report
