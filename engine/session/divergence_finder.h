// SPDX-License-Identifier: Apache-2.0
// Holds two recorded runs against each other. On the worker.
#pragma once

#include <functional>

#include "engine/base/result.h"
#include "engine/session/call_recording.h"
#include "engine/session/divergence.h"
#include "engine/session/executable_info.h"
#include "engine/session/outputs.h"
#include "engine/session/value_compare.h"

namespace opscope::session {

/// What one executable gave.
struct RecordedRun {
  const CallRecording* calls = nullptr;
  const Outputs* results = nullptr;
};

/// Pairs the calls and compares outputs and results; `stopRequested` ends it early. Errors: those of reading
/// what was kept; Cancelled.
base::Result<Divergence> findDivergence(const RecordedRun& a, const RecordedRun& b, Tolerance tolerance,
                                        const std::function<bool()>& stopRequested);

/// Both functions take the same: as many parameters, of the same types and sizes as far as these are known.
/// Errors: InvalidArgument naming the first difference.
base::Result<> checkSameParameters(const vm::Signature& a, const vm::Signature& b);

}  // namespace opscope::session
