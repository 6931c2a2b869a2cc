// SPDX-License-Identifier: Apache-2.0
// How the time evaluator measures, and what it gives. Plain values; any thread. Behaviour: seed 004,
// WrapTimeEvaluator.
#pragma once

#include <cstdint>

#include "engine/base/result.h"

namespace opscope::profile {

inline constexpr std::int64_t kMostCalls = 1'000'000'000;  ///< of one repeat, also where it grows

struct TimeSettings {
  std::int64_t number = 10;                    ///< calls of one repeat
  std::int64_t repeat = 1;                     ///< measured values
  std::int64_t minRepeatMs = 0;                ///< `number` grows until a repeat takes as long
  std::int64_t limitZeroTimeIterations = 100;  ///< then no longer, when the clock shows nothing so often
  std::int64_t cooldownIntervalMs = 0;         ///< pause between repeats; 0: none
  std::int64_t repeatsToCooldown = 1;          ///< after each so many repeats, from the first on
  std::int64_t cacheFlushBytes = 0;            ///< copied before each repeat, to push data out of caches
};

/// Errors: InvalidArgument naming the value and its range.
base::Result<> checkTimeSettings(const TimeSettings& settings);

struct RepeatTime {
  double nsPerCall = 0;
  std::int64_t calls = 0;    ///< `number` as it was when the repeat was measured
  std::int64_t totalNs = 0;  ///< of all of them
  bool tooShort = false;     ///< not longer than what the timer needs for itself: it tells nothing
};

}  // namespace opscope::profile
