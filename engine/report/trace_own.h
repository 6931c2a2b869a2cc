// SPDX-License-Identifier: Apache-2.0
// A run from a trace that we wrote. For sources of this module.
#pragma once

#include <string_view>

#include "engine/base/result.h"
#include "engine/report/run.h"
#include "engine/report/trace_events.h"

namespace opscope::report {

/// Whether the text of "otherData" is ours, of any version.
bool isOwnTrace(std::string_view otherData);

/// Errors: as documentFromTraceJson.
base::Result<Document> readOwnTrace(std::string_view text, const TraceOutline& outline,
                                    std::string_view fileForMessages, const TraceLimits& limits);

}  // namespace opscope::report
