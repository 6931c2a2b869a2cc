// SPDX-License-Identifier: Apache-2.0
// Values of reports from files that no profiler could have measured. Any thread; pure functions.
#pragma once

#include <vector>

#include "engine/report/report.h"
#include "engine/report/run.h"

namespace opscope::report {

inline constexpr double kMostImportedNs = 1e18;  ///< 31 years; beyond it sums could overflow

/// One warning for each column with such values (durations, percents, counts, in this order): how many rows,
/// the first with its number from 1 and its name, what was found, what may stand there and how it is taken.
std::vector<Warning> impossibleValues(const Report& report);

}  // namespace opscope::report
