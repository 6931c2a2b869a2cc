// SPDX-License-Identifier: Apache-2.0
// What is too short to measure: such times are told in words, not as numbers that look exact. Any thread;
// pure functions.
#pragma once

#include <cstdint>

#include "engine/report/run.h"

namespace opscope::report {

/// Shown in tables in place of a time.
inline constexpr std::string_view kTooShort = "too short";

/// A call that takes less cannot be told from its recording: the larger of 10 ticks of the clock and of what
/// recording adds to a call. 0 when the run does not tell (then nothing is too short but 0).
double leastMeasurableNs(const Run& run);

/// Whether the time of `calls` calls together is too short to measure.
bool isTooShort(const Run& run, double ns, std::int64_t calls);

}  // namespace opscope::report
