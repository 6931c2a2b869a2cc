// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/thread_functions.h"

#include <gtest/gtest.h>
#include <tvm/ffi/function.h>

#include <cstdlib>

#include "engine/runtime/cpu_topology.h"
#include "engine/runtime/run_context.h"

namespace opscope::runtime {

namespace {

std::int64_t told() {
  return tvm::ffi::Function::GetGlobalRequired("runtime.NumThreads")().cast<std::int64_t>();
}

}  // namespace

TEST(ThreadFunctions, TheCountIsThatOfThePoolAtWorkOrOfTheNextOne) {
  registerThreadFunctions();
  registerThreadFunctions();
  EXPECT_EQ(told(), chooseThreadCount(0));
  ::setenv("TVM_NUM_THREADS", "3", 1);
  EXPECT_EQ(told(), 3);
  ::unsetenv("TVM_NUM_THREADS");
  RunContext context({.threads = 5});
  {
    const RunContextScope scope(context);
    EXPECT_EQ(told(), 5);
  }
  EXPECT_EQ(told(), chooseThreadCount(0));
}

}  // namespace opscope::runtime
