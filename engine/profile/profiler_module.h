// SPDX-License-Identifier: Apache-2.0
// The module of a machine with `profile`, behind the executable's vm_profiler_load_executable. Threads and
// ownership as vm::MachineModuleObj. Behaviour: seed 000, VirtualMachineProfiler::GetFunction.
//
// profile(function, [collectors], inputs...) runs the function once to warm up and once measured, with the
// inputs that set_input gave it or, when there are none, with those given. It gives TVM's report as JSON text
// (report::toJson), as TVM does because its RPC carries no report objects: stock clients read it with
// Report.from_json. `collectors`, which may be left out, is an array of metric collectors (report_objects.h),
// whose metrics become columns.
#pragma once

namespace opscope::profile {

/// Registers vm::kProfilerFactory in the ffi registry. Called by the program beside vm::registerBuiltins;
/// again is harmless.
void registerProfilerModule();

}  // namespace opscope::profile
