// SPDX-License-Identifier: Apache-2.0
// The functions that TVM's runtime registers for profiling, with the same names and arguments, for clients
// that come over the ffi. Behaviour: seed 004, the registrations of profiling.cc, and ProfileFunction.
#pragma once

#include <tvm/ffi/container/array.h>
#include <tvm/ffi/extra/module.h>
#include <tvm/ffi/function.h>

#include <cstdint>
#include <string>

#include "engine/profile/report_objects.h"

namespace opscope::profile {

/// A function that calls `name` of `module` `warmup` times and once more with the collectors around it, and
/// gives the metrics of all as one map (of equal names the last collector's). Collectors that tell nothing
/// of the device are left out, those that began end also when the call raises. Raises ValueError here for a
/// negative `warmup`; when it is called: ValueError for a name that the module does not have, and what
/// function and collectors raise.
tvm::ffi::Function profileFunction(tvm::ffi::Module module, std::string name, DLDevice device,
                                   std::int64_t warmup, tvm::ffi::Array<MetricCollectorRef> collectors);

/// Registers runtime.profiling.{AsTable, AsCSV, AsJSON, FromJSON, Report, Count, Percent, Duration, Ratio,
/// DeviceWrapper, ProfileFunction} and opscope.profiling.MetricCollector, which makes one of ours by the name
/// that makeCollector takes. Called by the program beside registerProfilerModule; further calls do nothing
/// more.
void registerProfilingFunctions();

}  // namespace opscope::profile
