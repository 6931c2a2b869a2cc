// SPDX-License-Identifier: Apache-2.0
// What the samples of a run warn of: drift, two modes, outliers. Any thread; pure functions. Definitions in
// docs/statistics.md.
#pragma once

#include <vector>

#include "engine/report/run.h"

namespace opscope::report {

/// One sentence for each finding in the total, and one for all ops together that have it (ops of at least 1 %
/// of the time). Nothing for a run without samples.
std::vector<Warning> sampleWarnings(const Run& run);

}  // namespace opscope::report
