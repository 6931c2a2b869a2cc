// SPDX-License-Identifier: Apache-2.0
// Begin and end of the calls that compiled functions make, as an observer of the machine hears of them: their
// places, names and nesting. However the calls are met, they come here. On the machine's thread.
#pragma once

#include <tvm/ffi/c_api.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

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

class CompiledCallTracker {
 public:
  using Site = CallSiteTable::Site;
  using Answer = code::KernelTap::Answer;

  CompiledCallTracker(vm::VirtualMachine& machine, vm::CallObserver& observer, CompiledCallHook* hook);

  /// Its number is that of the kernel when all kernels come before anything else.
  void addKernel(std::string_view name) { m_names.emplace_back(name); }
  /// A function of the runtime that may be called.
  void nameFunction(void* function, std::string_view name) { m_namesOfFunctions.try_emplace(function, name); }
  /// Names by the numbers of functions, without the executable's own.
  const std::vector<std::string>& names() const { return m_names; }

  /// The place of a call. Site::function is the caller's to set for kernels. Throws std::bad_alloc.
  Site& kernelSite(const void* returnAddress, std::uint32_t kernel);
  Site& functionSite(const void* returnAddress, void* function);

  /// Frames of the machine; a call in progress of another count is that of an outer function.
  std::uint32_t frames() const { return m_machine.frameCount(); }
  /// Ignore: a kernel or builtin makes the call. Refuse: stop was requested, or the hook failed the call;
  /// the error is raised. Throws std::bad_alloc.
  Answer begin(const Site& site, const TVMFFIAny* args, std::int32_t count);
  /// `result` is null when the call failed. False: the hook failed it; the error is raised.
  bool end(const Site& site, const TVMFFIAny* args, std::int32_t count, const TVMFFIAny* result);

 private:
  std::uint32_t numberOf(void* function);
  vm::CallSite callSite(const Site& site) const;

  vm::VirtualMachine& m_machine;
  vm::CallObserver& m_observer;
  CompiledCallHook* m_hook;
  std::uint32_t m_firstInstruction = 0;
  std::uint32_t m_firstFunction = 0;
  std::vector<std::string> m_names;
  std::unordered_map<void*, std::uint32_t> m_numbers;         // of functions that were called
  std::unordered_map<void*, std::string> m_namesOfFunctions;  // of functions that may be called
  CallSiteTable m_sites;
  std::vector<std::uint32_t> m_openFrames;  // frames of the machine around each call in progress
};

}  // namespace opscope::profile
