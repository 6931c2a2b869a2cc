// SPDX-License-Identifier: Apache-2.0
// The virtual machine: runs the functions of one executable. Made, used and destroyed on one thread (the
// session's worker); requestStop alone may be called from any thread. Owns its registers, constants and
// frames; shares the executable and the library's code. Behaviour: seed 000, VirtualMachineImpl.
#pragma once

#include <tvm/ffi/any.h>
#include <tvm/ffi/extra/module.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/runtime/options.h"
#include "engine/runtime/storage.h"
#include "engine/vm/call_observer.h"
#include "engine/vm/executable_file.h"

namespace opscope::runtime {
class RunContext;
}

namespace opscope::vm {

class VirtualMachine {
 public:
  struct Options {
    std::vector<DLDevice> devices = {DLDevice{kDLCPU, 0}};  ///< the first runs the function, the host is last
    runtime::AllocatorKind allocator = runtime::AllocatorKind::Pooled;
    /// One for each device, where they differ; empty: `allocator` for all.
    std::vector<runtime::AllocatorKind> deviceAllocators = {};
    std::uint32_t recursionLimit = 10'000;  ///< most calls of the executable's functions in progress
  };

  /// Loads the library's code from a private copy of `file.content`, decodes once into a dense form, resolves
  /// every function (imports first, then the ffi registry) and copies constants to aligned memory. Errors:
  /// MissingFunction listing every name that nothing provides (and the kernel that asks for it where known);
  /// Unsupported, Format. `context` gives thread pool and workspaces and must outlive the machine.
  static base::Result<std::unique_ptr<VirtualMachine>> create(const ExecutableFile& file,
                                                              const Options& options,
                                                              runtime::RunContext& context);
  virtual ~VirtualMachine() = default;

  /// Runs `function` with `arguments`; tensors on other devices are copied first. Errors: InvalidArgument
  /// (unknown function, number of arguments), KernelFailed (a callee raised; the message names function,
  /// callee and instruction), Cancelled after requestStop.
  virtual base::Result<tvm::ffi::Any> invoke(std::string_view function,
                                             std::span<const tvm::ffi::Any> arguments) = 0;

  /// Calls a function of the ffi registry with `arguments` in this machine's context (a scenario's "global"
  /// step).
  virtual base::Result<tvm::ffi::Any> invokeGlobal(std::string_view name,
                                                   std::span<const tvm::ffi::Any> arguments) = 0;

  /// Sets the hook around calls, or removes it with nullptr. Not while a function runs.
  virtual void setObserver(CallObserver* observer) = 0;

  /// Makes the machine's memory, and the thread pool and workspaces of its context, write what happens to the
  /// logs, which must live until others are set. Not while a function runs.
  virtual void setLogs(const runtime::RuntimeLogs& logs) = 0;

  /// Makes the current or next invoke return Cancelled at its next instruction. Any thread.
  virtual void requestStop() = 0;
  /// Forgets a requested stop.
  virtual void clearStop() = 0;

  virtual const ExecutableData& executable() const = 0;

  /// The loader's handle of the library whose code this machine runs, nullptr when it is not known.
  virtual void* libraryHandle() const { return nullptr; }
  /// Calls of the executable's functions that are in progress. On the machine's thread, also while one runs.
  virtual std::uint32_t frameCount() const { return 0; }
  /// The executable's function that runs at this moment, "" when none does. As frameCount.
  virtual std::string_view runningFunction() const { return {}; }
  /// True between requestStop and clearStop. Any thread.
  virtual bool stopRequested() const { return false; }

  /// Memory of this machine's storages: intermediate tensors, results and copied inputs, without constants.
  virtual runtime::AllocatorCounters allocatorCounters() const = 0;
};

}  // namespace opscope::vm
