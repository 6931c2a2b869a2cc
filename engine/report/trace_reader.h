// SPDX-License-Identifier: Apache-2.0
// Reads traces in Chrome's format: ours, and those of other programs as far as they tell what a run is. Any
// thread; pure functions.
#pragma once

#include <string_view>

#include "engine/base/result.h"
#include "engine/report/run.h"
#include "engine/report/trace_events.h"

namespace opscope::report {

/// Our own traces come back as the run that they were written from: texts, repeats, calls, samples, spans,
/// totals, counters, memory over time, launches and tasks, times to the nanosecond. What holds the peak of
/// memory is not in them. Of other programs' traces each event with a duration becomes a call of one repeat,
/// each thread a device; a warning says what is left out. A file that is cut off gives what stands before the
/// cut, with a warning.
/// Errors: Format, naming the place; Unsupported for what is too large or of a newer version; OutOfMemory.
base::Result<Document> documentFromTraceJson(std::string_view text, std::string_view fileForMessages,
                                             const TraceLimits& limits = {});

}  // namespace opscope::report
