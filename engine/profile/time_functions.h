// SPDX-License-Identifier: Apache-2.0
// The time evaluator as functions of the ffi registry. Threads as what is measured.
// Behaviour: seed 004, WrapTimeEvaluator; seed 001, runtime.RPCTimeEvaluator.
#pragma once

#include <tvm/ffi/function.h>

#include <optional>

#include "engine/profile/time_settings.h"

namespace opscope::profile {

/// A function that takes the arguments of `measured`, measures it with them, and gives the mean seconds of a
/// call as one double a repeat, in bytes of this machine's order. `prepare` gets the arguments before each
/// repeat. Raises ValueError for settings out of range, and what `measured` raises as it is. A repeat too
/// short for the clock is 0, as TVM's clients expect.
tvm::ffi::Function wrapTimeEvaluator(tvm::ffi::Function measured, DLDevice device,
                                     const TimeSettings& settings,
                                     std::optional<tvm::ffi::Function> prepare = std::nullopt);

/// Registers `runtime.RPCTimeEvaluator(module or none, name, device type, device id, number, repeat,
/// min_repeat_ms, limit_zero_time_iterations, cooldown_interval_ms, repeats_to_cooldown, cache_flush_bytes,
/// name of a registered function or "")` over modules of this process (imports too) and registered functions,
/// and `cache_flush_cpu_non_first_arg`. Called by the program beside registerProfilerModule.
void registerTimeFunctions();

}  // namespace opscope::profile
