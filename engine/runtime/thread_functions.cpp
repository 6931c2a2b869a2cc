// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/thread_functions.h"

#include <tvm/ffi/function.h>

#include <cstdint>

#include "engine/runtime/cpu_topology.h"
#include "engine/runtime/run_context.h"
#include "engine/runtime/thread_pool.h"

namespace opscope::runtime {

namespace ffi = tvm::ffi;

int kernelThreadCount() {
  RunContext* const context = RunContext::current();
  return context != nullptr ? context->threadPool().threadCount() : chooseThreadCount(0);
}

void registerThreadFunctions() {
  ffi::Function::SetGlobal(
      "runtime.NumThreads",
      ffi::Function::FromTyped([] { return std::int64_t{kernelThreadCount()}; }, "runtime.NumThreads"),
      /*override=*/true);
}

}  // namespace opscope::runtime
