// SPDX-License-Identifier: Apache-2.0
// A run from a trace of another program. For sources of this module.
#pragma once

#include <string_view>

#include "engine/base/result.h"
#include "engine/report/run.h"
#include "engine/report/trace_events.h"

namespace opscope::report {

/// Errors: as documentFromTraceJson.
base::Result<Document> readForeignTrace(std::string_view text, const TraceOutline& outline,
                                        std::string_view fileForMessages, const TraceLimits& limits);

/// PyTorch's "Input Dims" and "Input type" as one text: "float32[1, 3], int64[2]"; empty where they tell no
/// tensor.
std::string tensorShapesText(std::string_view dims, std::string_view types);

}  // namespace opscope::report
