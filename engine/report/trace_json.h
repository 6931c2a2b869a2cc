// SPDX-License-Identifier: Apache-2.0
// A run's time axis in the format of chrome://tracing and Perfetto. Any thread; pure functions.
#pragma once

#include <string>

#include "engine/base/result.h"
#include "engine/report/chunked_text.h"
#include "engine/report/run.h"

namespace opscope::report {

/// The repeats one after another on one axis: the VM's calls nested on one track below their repeat and step,
/// the kernels again by device, launches and tasks by thread of the pool, memory as counters. Times are
/// microseconds with three decimals. What the axis cannot show (texts, totals, environment) is in otherData,
/// with the file's name in place of its path. Errors: Unsupported when the run has no start times; the
/// sink's.
base::Result<> writeTraceJson(const Run& run, const TextSink& sink);

/// The same as one text.
base::Result<std::string> toTraceJson(const Run& run);

}  // namespace opscope::report
