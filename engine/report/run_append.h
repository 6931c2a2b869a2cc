// SPDX-License-Identifier: Apache-2.0
// Puts the repeats of one run behind those of another: what a board told piece by piece. Plain values; any
// thread.
#pragma once

#include "engine/report/run.h"

namespace opscope::report {

/// Adds the repeats of `more`, which were measured behind those of `run`: samples, spans, totals, steps. What
/// `run` says of the machine and of how it was measured stays; counters tell nothing of the new repeats, and
/// memory and lanes stay those of the ones before. False when the two do not make the same calls: `run` is
/// then as it was.
bool appendRepeats(Run& run, const Run& more);

}  // namespace opscope::report
