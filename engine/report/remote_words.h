// SPDX-License-Identifier: Apache-2.0
// Why a run on a board holds less than a local one, in words. Any thread; pure functions.
#pragma once

#include <string>

#include "engine/report/run.h"

namespace opscope::report {

inline constexpr const char* kOurServerTells =
    "opscope-server on the board records everything that a local run does.";

/// Of a run on a board whose server tells nothing of memory, threads and counters, why: "A board with TVM's
/// server does not tell this: ...". Empty for runs that would have them when they are asked for, and for
/// imported reports.
std::string whyNotRecorded(const Run& run);

}  // namespace opscope::report
