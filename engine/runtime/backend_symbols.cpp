// SPDX-License-Identifier: Apache-2.0
// The C functions that compiled kernels call. Failures raise an error first and then return non-zero or null:
// a caller that finds a failure without an error crashes. This file holds the process-wide set of context
// symbols.
#include "engine/runtime/backend_symbols.h"

#include <tvm/ffi/any.h>
#include <tvm/ffi/c_api.h>
#include <tvm/ffi/extra/c_env_api.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <string>
#include <utility>

#include "engine/runtime/run_context.h"
#include "engine/runtime/thread_pool.h"
#include "engine/runtime/workspace_pool.h"

#define OPSCOPE_BACKEND_EXPORT extern "C" __attribute__((visibility("default"), used))

using opscope::runtime::ParallelEnv;
using opscope::runtime::ParallelTask;
using opscope::runtime::RunContext;
using opscope::runtime::ThreadPool;
using opscope::runtime::WorkspacePool;

namespace {

int fail(const char* kind, const std::string& message) {
  TVMFFIErrorSetRaisedFromCStr(kind, message.c_str());
  return -1;
}

/// Workspaces for a kernel that is called where no run is current.
void* allocateWithoutContext(std::size_t bytes) {
  void* data = nullptr;
  const std::size_t size = bytes == 0 ? WorkspacePool::kWorkspaceAlignment : bytes;
  return posix_memalign(&data, WorkspacePool::kWorkspaceAlignment, size) == 0 ? data : nullptr;
}

void* allocateWorkspace(std::size_t bytes) {
  RunContext* context = RunContext::current();
  try {
    return context != nullptr ? context->workspaces().allocate(bytes) : allocateWithoutContext(bytes);
  } catch (const std::exception&) {
    return nullptr;
  }
}

}  // namespace

OPSCOPE_BACKEND_EXPORT void* TVMBackendAllocWorkspace(int deviceType, int deviceId, std::uint64_t bytes,
                                                      int /*codeHint*/, int /*bitsHint*/) {
  if (deviceType != kDLCPU) {
    fail("ValueError", "a kernel asked for a workspace on device (" + std::to_string(deviceType) +
                           "):" + std::to_string(deviceId) + ", this build has workspaces on the host only");
    return nullptr;
  }
  void* data = allocateWorkspace(bytes);
  if (data == nullptr) {
    fail("MemoryError",
         "memory is out: a kernel asked for a workspace of " + std::to_string(bytes) + " bytes");
  }
  return data;
}

OPSCOPE_BACKEND_EXPORT int TVMBackendFreeWorkspace(int /*deviceType*/, int /*deviceId*/, void* data) {
  RunContext* context = RunContext::current();
  if (context == nullptr) {
    std::free(data);
    return 0;
  }
  if (!context->workspaces().free(data)) {
    return fail("RuntimeError", "a kernel gave back a workspace that this thread did not take");
  }
  return 0;
}

OPSCOPE_BACKEND_EXPORT int TVMBackendParallelLaunch(ParallelTask function, void* data, int tasks) {
  RunContext* context = RunContext::current();
  return context != nullptr ? context->threadPool().launch(function, data, tasks)
                            : ThreadPool::launchSerially(function, data, tasks);
}

OPSCOPE_BACKEND_EXPORT int TVMBackendParallelBarrier(int task, ParallelEnv* env) {
  return ThreadPool::barrier(task, env);
}

// TVM up to 0.25. The function stays owned by the library's module.
OPSCOPE_BACKEND_EXPORT int TVMBackendGetFuncFromEnv(void* libraryContext, const char* name, void** function) {
  return TVMFFIEnvModLookupFromImports(libraryContext, name, function);
}

// Executables in compiled mode keep registers, constants and functions in arrays of ffi::Any and reach them
// only through these three.
OPSCOPE_BACKEND_EXPORT int TVMBackendAnyListSetPackedArg(void* list, int index, TVMFFIAny* arguments,
                                                         int to) {
  arguments[to] = static_cast<TVMFFIAny*>(list)[index];
  return 0;
}

OPSCOPE_BACKEND_EXPORT int TVMBackendAnyListMoveFromPackedReturn(void* list, int index, TVMFFIAny* arguments,
                                                                 int from) {
  static_cast<tvm::ffi::Any*>(list)[index] = std::move(reinterpret_cast<tvm::ffi::Any*>(arguments)[from]);
  return 0;
}

OPSCOPE_BACKEND_EXPORT int TVMBackendAnyListResetItem(void* list, int index) {
  static_cast<tvm::ffi::Any*>(list)[index] = tvm::ffi::Any();
  return 0;
}

namespace opscope::runtime {

namespace {

template <class F>
ContextSymbol symbol(const char* name, F* function) {
  return {name, reinterpret_cast<void*>(function)};
}

void registerAll() {
  for (const ContextSymbol& symbol : contextSymbols()) {
    TVMFFIEnvModRegisterContextSymbol(symbol.name, symbol.address);
  }
}

}  // namespace

std::span<const ContextSymbol> contextSymbols() {
  static const std::array kSymbols = {
      symbol("__TVMFFIFunctionCall", &TVMFFIFunctionCall),
      symbol("__TVMFFIErrorSetRaisedFromCStr", &TVMFFIErrorSetRaisedFromCStr),  // 0.21
      symbol("__TVMFFIErrorSetRaisedFromCStrParts", &TVMFFIErrorSetRaisedFromCStrParts),
      symbol("__TVMFFIEnvModLookupFromImports", &TVMFFIEnvModLookupFromImports),  // 0.26 and later
      symbol("__TVMFFIHandleInitOnce", &TVMFFIHandleInitOnce),                    // 0.26 and later
      symbol("__TVMBackendGetFuncFromEnv", &TVMBackendGetFuncFromEnv),            // up to 0.25
      symbol("__TVMBackendAllocWorkspace", &TVMBackendAllocWorkspace),
      symbol("__TVMBackendFreeWorkspace", &TVMBackendFreeWorkspace),
      symbol("__TVMBackendParallelLaunch", &TVMBackendParallelLaunch),
      symbol("__TVMBackendParallelBarrier", &TVMBackendParallelBarrier),
      symbol("__TVMBackendAnyListSetPackedArg", &TVMBackendAnyListSetPackedArg),
      symbol("__TVMBackendAnyListMoveFromPackedReturn", &TVMBackendAnyListMoveFromPackedReturn),
      symbol("__TVMBackendAnyListResetItem", &TVMBackendAnyListResetItem),
  };
  return kSymbols;
}

void registerBackendSymbols() {
  static std::once_flag once;
  std::call_once(once, registerAll);
}

}  // namespace opscope::runtime
