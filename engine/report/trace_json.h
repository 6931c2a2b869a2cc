// SPDX-License-Identifier: Apache-2.0
// A run's time axis in the format of chrome://tracing and Perfetto. Any thread; pure function.
#pragma once

#include <string>

#include "engine/base/result.h"
#include "engine/report/run.h"

namespace opscope::report {

/// Complete events (ph "X"), ts and dur in us; each repeat is a process, each depth of VM frames a thread.
/// Errors: Unsupported when the run has no start times (imported from a report).
base::Result<std::string> toTraceJson(const Run& run);

}  // namespace opscope::report
