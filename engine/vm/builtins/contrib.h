// SPDX-License-Identifier: Apache-2.0
// Functions that kernels and executables ask the ffi registry for by name and that TVM has in extra libraries
// or in Python. Each register function is called once a process, from registerBuiltins; a name that somebody
// registered before is left alone. The registered functions may be called from any thread.
#pragma once

namespace opscope::vm {

/// tvm.contrib.sort.argsort, argsort_nms, sort, topk.
void registerSortFunctions();
/// tvm.contrib.random.uniform, normal, randint, random_fill, random_fill_for_measure, seed.
void registerRandomFunctions();
/// relax.run.print, assert_op, shape_to_tensor, unique, nonzero.
void registerRelaxRunFunctions();

}  // namespace opscope::vm
