// SPDX-License-Identifier: Apache-2.0
// The timeline of one repeat, and memory over its time, as inline SVG. Any thread; pure functions.
#pragma once

#include <cstdint>
#include <string>

#include "engine/report/run.h"

namespace opscope::report {

/// The repeat whose total is nearest to the median; 0 where there is none.
std::uint32_t typicalRepeat(const Run& run);

struct HtmlTimeline {
  std::string svg;              ///< empty where nothing can be drawn
  std::size_t hiddenLanes = 0;  ///< there were more than fit
};

/// Lanes by depth (and by device, where there are several), then the pool's threads. Calls that are narrower
/// than a pixel are joined with their neighbours, so that the size does not grow with the number of calls.
HtmlTimeline timelineChart(const Run& run, std::uint32_t repeat);

/// Live bytes of storages over the time of a repeat. `run.memory` is set.
std::string memoryChart(const Run& run, std::uint32_t repeat);

}  // namespace opscope::report
