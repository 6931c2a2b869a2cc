// SPDX-License-Identifier: Apache-2.0
// Shows the calls that compiled functions (exec_mode="compiled") make: machine code that the virtual machine
// does not see into. Kernels are met by a patch of the machine's library, builtins in the slot through which
// the library calls functions of the runtime. Patches while it lives and restores at its end: a machine
// without one runs as if this did not exist. Made, used and destroyed on the machine's thread while nothing
// of the machine runs; the machine and the observer outlive it.
#pragma once

#include <tvm/ffi/c_api.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/code/kernel_patch.h"
#include "engine/code/kernel_tap.h"
#include "engine/profile/call_site_table.h"
#include "engine/vm/virtual_machine.h"

namespace opscope::profile {

/// Sees arguments and results, and may fail a call. It is asked before the observer and after it, as the
/// machine's instrument is.
class CompiledCallHook {
 public:
  virtual ~CompiledCallHook() = default;
  /// What they throw (tvm::ffi::Error) becomes the call's error.
  virtual void beforeCall(std::string_view name, const TVMFFIAny* args, std::int32_t count) = 0;
  virtual void afterCall(std::string_view name, const TVMFFIAny& result, const TVMFFIAny* args,
                         std::int32_t count) = 0;
};

/// What a report says of it.
struct CompiledFacts {
  bool hasCompiledFunctions = false;
  std::string way;    ///< how kernels are met: "slots", "call sites", "slots and call sites", "not"
  std::string unmet;  ///< what the functions call and is not met, or why; empty when all is
  std::vector<std::string> names;  ///< name i is of function number executable().functions.size() + i
};

class CompiledCalls final : private code::KernelTap {
 public:
  struct Options {
    code::KernelPatch::Limits limits;
    code::PageAccess* pages = nullptr;  ///< nullptr: the system's
  };

  /// The observer hears of calls with these in CallSite: `instruction` counts the places of calls in order of
  /// their first call, after the executable's instructions; `function` is beyond the executable's table, see
  /// CompiledFacts. A call of a kernel or builtin from within one is none of the executable's and is not
  /// shown.
  CompiledCalls(vm::VirtualMachine& machine, vm::CallObserver& observer, CompiledCallHook* hook,
                const Options& options);
  CompiledCalls(vm::VirtualMachine& machine, vm::CallObserver& observer, CompiledCallHook* hook = nullptr);
  ~CompiledCalls() override;

  /// For an executable whose functions are all bytecode nothing is done.
  CompiledFacts facts() const { return {m_isNeeded, way(), unmet(), m_names}; }

 private:
  struct Packed;  // the functions that take the place of the runtime's

  Answer beginKernel(const code::KernelCall& call) noexcept override;
  bool endKernel(const code::KernelCall& call, bool succeeded) noexcept override;
  Answer begin(CallSiteTable::Site& site, const TVMFFIAny* args, std::int32_t count);
  bool end(const CallSiteTable::Site& site, const TVMFFIAny* args, std::int32_t count,
           const TVMFFIAny* result);
  int callFunction(void* function, TVMFFIAny* args, std::int32_t count, TVMFFIAny* result,
                   const void* returnAddress);

  void patch(void* handle, const Options& options);
  void patchRuntimeSlots();
  void nameGlobalFunctions();
  void nameFunction(void* function, std::string_view name);
  std::uint32_t numberOf(void* function);
  std::string way() const;
  std::string unmet() const;
  vm::CallSite siteOf(const CallSiteTable::Site& site) const;
  std::string_view nameOf(const CallSiteTable::Site& site) const;

  vm::VirtualMachine& m_machine;
  vm::CallObserver& m_observer;
  CompiledCallHook* m_hook;
  std::uint32_t m_firstInstruction = 0;
  std::uint32_t m_firstFunction = 0;
  bool m_isNeeded = false;
  std::string m_problem;  // why nothing is met
  std::vector<std::string> m_names;
  std::unordered_map<void*, std::uint32_t> m_numbers;         // of packed functions that were called
  std::unordered_map<void*, std::string> m_namesOfFunctions;  // of packed functions that may be called
  CallSiteTable m_sites;
  std::vector<std::uint32_t> m_openFrames;  // frames of the machine around each call in progress
  code::PageAccess m_systemPages;
  std::unique_ptr<code::LoadedLibrary> m_library;
  std::unique_ptr<code::WordPatches> m_runtimeSlots;
  std::unique_ptr<code::KernelPatch> m_patch;
  std::unique_ptr<code::KernelTapScope> m_scope;
};

}  // namespace opscope::profile
