// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/backend_symbols.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <tvm/ffi/any.h>
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/extra/module.h>
#include <tvm/ffi/function.h>

#include <array>
#include <atomic>
#include <cstring>
#include <map>

#include "engine/runtime/run_context.h"
#include "engine/runtime/thread_pool.h"
#include "engine/runtime/workspace_pool.h"

namespace opscope::runtime {
namespace {

/// The function as a loaded library finds it: by name, in the program's exported symbols.
template <class F>
F* exported(const char* name) {
  return reinterpret_cast<F*>(dlsym(RTLD_DEFAULT, name));
}

std::string takeRaisedKind() {
  const tvm::ffi::Error error = tvm::ffi::detail::MoveFromSafeCallRaised();
  return static_cast<const tvm::ffi::ObjectRef&>(error).get() == nullptr ? "" : error.kind();
}

using AllocWorkspace = void*(int, int, std::uint64_t, int, int);
using FreeWorkspace = int(int, int, void*);
using Launch = int(ParallelTask, void*, int);
using Barrier = int(int, ParallelEnv*);
using AnyListMove = int(void*, int, TVMFFIAny*, int);
using AnyListReset = int(void*, int);

TEST(BackendSymbols, AreExportedByTheProgram) {
  for (const char* name : {"TVMBackendAllocWorkspace", "TVMBackendFreeWorkspace", "TVMBackendParallelLaunch",
                           "TVMBackendParallelBarrier", "TVMBackendGetFuncFromEnv",
                           "TVMBackendAnyListSetPackedArg", "TVMBackendAnyListMoveFromPackedReturn",
                           "TVMBackendAnyListResetItem", "TVMFFIErrorSetRaisedFromCStrParts"}) {
    EXPECT_NE(dlsym(RTLD_DEFAULT, name), nullptr) << name;
  }
}

TEST(BackendSymbols, AreRegisteredOnceForLibraries) {
  registerBackendSymbols();
  registerBackendSymbols();
  std::map<std::string, int> registered;
  tvm::ffi::Module::VisitContextSymbols(tvm::ffi::TypedFunction<void(tvm::ffi::String, void*)>(
      [&](const tvm::ffi::String& name, void* address) {
        EXPECT_NE(address, nullptr);
        ++registered[std::string(name)];
      }));
  for (const char* name :
       {"__TVMFFIFunctionCall", "__TVMFFIEnvModLookupFromImports", "__TVMFFIHandleInitOnce",
        "__TVMBackendGetFuncFromEnv", "__TVMBackendAllocWorkspace", "__TVMBackendFreeWorkspace",
        "__TVMBackendParallelLaunch", "__TVMBackendParallelBarrier", "__TVMFFIErrorSetRaisedFromCStr"}) {
    EXPECT_EQ(registered[name], 1) << name;
  }
}

TEST(BackendSymbols, WorkspacesComeFromTheContextOrWithoutOne) {
  auto* allocate = exported<AllocWorkspace>("TVMBackendAllocWorkspace");
  auto* release = exported<FreeWorkspace>("TVMBackendFreeWorkspace");
  for (const std::uint64_t bytes : {0, 10, 100000}) {
    void* data = allocate(kDLCPU, 0, bytes, 2, 32);
    ASSERT_NE(data, nullptr);
    std::memset(data, 1, bytes);
    EXPECT_EQ(release(kDLCPU, 0, data), 0);
  }
  RuntimeOptions options;
  options.threads = 1;
  RunContext context(options);
  const RunContextScope scope(context);
  void* data = allocate(kDLCPU, 0, 100, 2, 32);
  ASSERT_NE(data, nullptr);
  EXPECT_EQ(context.workspaces().counters().liveBytes, 100);
  EXPECT_EQ(release(kDLCPU, 0, data), 0);
  EXPECT_EQ(release(kDLCPU, 0, data), -1);
  EXPECT_EQ(takeRaisedKind(), "RuntimeError");
}

TEST(BackendSymbols, FailuresAreRaised) {
  auto* allocate = exported<AllocWorkspace>("TVMBackendAllocWorkspace");
  EXPECT_EQ(allocate(kDLCUDA, 0, 100, 2, 32), nullptr);
  EXPECT_EQ(takeRaisedKind(), "ValueError");
  EXPECT_EQ(allocate(kDLCPU, 0, std::uint64_t{1} << 62, 2, 32), nullptr);
  EXPECT_EQ(takeRaisedKind(), "MemoryError");
  RuntimeOptions options;
  options.threads = 1;
  RunContext context(options);
  const RunContextScope scope(context);
  EXPECT_EQ(allocate(kDLCPU, 0, ~std::uint64_t{0}, 2, 32), nullptr);
  EXPECT_EQ(takeRaisedKind(), "MemoryError");
  EXPECT_EQ(exported<Barrier>("TVMBackendParallelBarrier")(0, nullptr), -1);
  EXPECT_EQ(takeRaisedKind(), "ValueError");
}

int countTask(int /*task*/, ParallelEnv* /*env*/, void* data) {
  return static_cast<std::atomic<int>*>(data)->fetch_add(1), 0;
}

TEST(BackendSymbols, LaunchesRunWithAndWithoutAContext) {
  auto* launch = exported<Launch>("TVMBackendParallelLaunch");
  std::atomic<int> runs{0};
  EXPECT_EQ(launch(countTask, &runs, 5), 0);
  EXPECT_EQ(runs.load(), 5);
  RuntimeOptions options;
  options.threads = 2;
  RunContext context(options);
  const RunContextScope scope(context);
  EXPECT_EQ(launch(countTask, &runs, 0), 0);
  EXPECT_EQ(runs.load(), 7);
  EXPECT_EQ(launch(countTask, &runs, -3), -1);
  EXPECT_EQ(takeRaisedKind(), "ValueError");
}

TEST(BackendSymbols, AnyListsMoveAndLendValues) {
  auto* lend = exported<AnyListMove>("TVMBackendAnyListSetPackedArg");
  auto* move = exported<AnyListMove>("TVMBackendAnyListMoveFromPackedReturn");
  auto* reset = exported<AnyListReset>("TVMBackendAnyListResetItem");
  const tvm::ffi::Array<int> array{1, 2, 3};
  std::array<tvm::ffi::Any, 3> list{tvm::ffi::Any(), tvm::ffi::Any(array), tvm::ffi::Any(7)};
  std::array<TVMFFIAny, 4> arguments{};
  EXPECT_EQ(lend(list.data(), 1, arguments.data(), 2), 0);
  EXPECT_EQ(arguments[2].type_index, tvm::ffi::TypeIndex::kTVMFFIArray);
  EXPECT_EQ(array.use_count(), 2) << "an argument is not owned";

  tvm::ffi::Any result(array);
  arguments[3] = tvm::ffi::detail::AnyUnsafe::MoveAnyToTVMFFIAny(std::move(result));
  EXPECT_EQ(move(list.data(), 2, arguments.data(), 3), 0);
  EXPECT_EQ(list[2].cast<tvm::ffi::Array<int>>()[1], 2);
  EXPECT_EQ(arguments[3].type_index, tvm::ffi::TypeIndex::kTVMFFINone);
  EXPECT_EQ(array.use_count(), 3);
  EXPECT_EQ(reset(list.data(), 2), 0);
  EXPECT_EQ(reset(list.data(), 1), 0);
  EXPECT_EQ(array.use_count(), 1);
}

TEST(RunContext, ScopesNest) {
  RuntimeOptions options;
  options.threads = 1;
  RunContext outer(options);
  RunContext inner(options);
  EXPECT_EQ(RunContext::current(), nullptr);
  {
    const RunContextScope first(outer);
    EXPECT_EQ(RunContext::current(), &outer);
    {
      const RunContextScope second(inner);
      EXPECT_EQ(RunContext::current(), &inner);
    }
    EXPECT_EQ(RunContext::current(), &outer);
  }
  EXPECT_EQ(RunContext::current(), nullptr);
}

}  // namespace
}  // namespace opscope::runtime
