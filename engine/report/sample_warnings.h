// SPDX-License-Identifier: Apache-2.0
// What the repeats of a run warn of: their number, drift, two modes, outliers. Any thread; pure functions.
// Definitions in docs/statistics.md.
#pragma once

#include <vector>

#include "engine/report/run.h"

namespace opscope::report {

/// One sentence for each finding in the total, and one for all ops together that have it (ops of at least 1 %
/// of the time). Nothing for a run without samples.
std::vector<Warning> sampleWarnings(const Run& run);

/// Repeats that are missing, and one that stands alone. The hint is the run's failure.
std::vector<Warning> countWarnings(const Run& run);

/// The run's warnings of both kinds told anew: `before` are those that it had when it had other repeats.
/// Others stay.
void renewRepeatWarnings(Run& run, const std::vector<Warning>& before);

/// countWarnings and sampleWarnings.
std::vector<Warning> repeatWarnings(const Run& run);

}  // namespace opscope::report
