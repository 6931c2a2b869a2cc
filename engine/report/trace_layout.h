// SPDX-License-Identifier: Apache-2.0
// Where each repeat stands on the one time axis of a trace. Any thread; pure functions.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "engine/report/run.h"

namespace opscope::report {

/// Whole nanoseconds, as traces have them; what lies outside counts as the nearest.
inline std::int64_t wholeNs(double ns) {
  constexpr double kMost = 4e18;
  return ns > 0 ? std::llround(ns < kMost ? ns : kMost) : 0;
}

struct RepeatPlace {
  std::int64_t startNs = 0;
  std::int64_t lengthNs = 0;  ///< until the last of what was recorded in it
};

/// One place a repeat: where it was on the clock of its traffic when that is known for all of them, else
/// behind one another with a small gap.
std::vector<RepeatPlace> placeRepeats(const Run& run);
/// Whether they are placed by their traffic.
bool isPlacedByTraffic(const Run& run);

}  // namespace opscope::report
