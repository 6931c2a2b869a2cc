// SPDX-License-Identifier: Apache-2.0
// Shows the calls that compiled functions (exec_mode="compiled") make: machine code that the virtual machine
// does not see into. Kernels are met by a patch of the machine's library, builtins in the slot through which
// the library calls functions of the runtime. Patches while it lives and restores at its end: a machine
// without one runs as if this did not exist. Made, used and destroyed on the machine's thread while nothing
// of the machine's library runs; the machine and the observer outlive it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/code/kernel_patch.h"
#include "engine/code/kernel_tap.h"
#include "engine/profile/compiled_call_tracker.h"
#include "engine/profile/gap_calls.h"

namespace opscope::profile {

/// What a report says of it.
struct CompiledFacts {
  bool hasCompiledFunctions = false;
  std::string way;    ///< how kernels are met: "slots", "call sites", "gaps", "slots and gaps", "not"
  std::string unmet;  ///< what the functions call and is not met, or why; empty when all is
  std::vector<std::string> names;  ///< name i is of function number executable().functions.size() + i
};

/// True when some of the executable's functions are machine code (exec_mode="compiled").
bool hasCompiledFunctions(const vm::ExecutableData& data);

class CompiledCalls final : private code::KernelTap {
 public:
  struct Options {
    code::KernelPatch::Limits limits;
    bool gaps = true;
    code::PageAccess* pages = nullptr;  ///< nullptr: the system's
  };

  /// The observer hears of calls with these in CallSite: `instruction` counts the places of calls in order of
  /// their first call, after the executable's instructions; `function` is beyond the executable's table, see
  /// CompiledFacts. A call of a kernel or builtin from within one is none of the executable's and is not
  /// shown. After VirtualMachine::requestStop no further call begins.
  CompiledCalls(vm::VirtualMachine& machine, vm::CallObserver& observer, CompiledCallHook* hook,
                const Options& options);
  CompiledCalls(vm::VirtualMachine& machine, vm::CallObserver& observer, CompiledCallHook* hook = nullptr);
  ~CompiledCalls() override;

  /// For an executable whose functions are all bytecode nothing is done.
  CompiledFacts facts() const { return {m_isNeeded, way(), unmet(), m_tracker.names()}; }

 private:
  struct Replacements;  // the functions that take the place of the runtime's

  Answer beginKernel(const code::KernelCall& call) noexcept override;
  bool endKernel(const code::KernelCall& call, bool succeeded) noexcept override;
  int callFunction(void* function, TVMFFIAny* args, std::int32_t count, TVMFFIAny* result,
                   const void* returnAddress);

  void patch(void* handle, const Options& options);
  void patchRuntimeSlots();
  void nameGlobalFunctions();
  void watchGaps();
  std::string way() const;
  std::string unmet() const;

  bool m_isNeeded = false;
  std::string m_problem;  // why something is not met
  CompiledCallTracker m_tracker;
  code::PageAccess m_systemPages;
  code::PageAccess* m_pages = nullptr;
  std::unique_ptr<code::LoadedLibrary> m_library;
  std::unique_ptr<code::WordPatches> m_runtimeSlots;
  std::unique_ptr<code::KernelPatch> m_patch;
  std::unique_ptr<GapCalls> m_gaps;
  std::unique_ptr<code::KernelTapScope> m_scope;
};

}  // namespace opscope::profile
