// SPDX-License-Identifier: Apache-2.0
// Names of events that Linux counts, and what they are to the kernel. Any thread, one at a time (libpfm).
#pragma once

#include <linux/perf_event.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"

namespace opscope::profile {

/// An event that every machine has, or could have: a visible list, one row each.
struct KnownEvent {
  std::string_view name;  ///< as perf writes it: "cache-misses"
  std::string_view description;
  std::uint32_t type = 0;
  std::uint64_t config = 0;
  bool inKernel = false;  ///< happens in the kernel, so that counting in user space alone would see nothing
};
std::span<const KnownEvent> knownEvents();

struct PerfEvent {
  std::string name;  ///< as it was asked for: "cycles", "perf::CYCLES"
  perf_event_attr attributes{};
  bool isHardware = false;  ///< needs counters of the processor
  bool isTime = false;      ///< counts nanoseconds
};

/// "cycles,instructions": names of perf, also as "perf::CYCLES", and libpfm's names of this processor's own
/// events with their attributes. Hardware is counted in user space only, unless a name asks for more
/// (":k"). Errors: InvalidArgument: none, one twice, an unknown one with its near matches.
base::Result<std::vector<PerfEvent>> parsePerfEvents(std::string_view text);

}  // namespace opscope::profile
