// SPDX-License-Identifier: Apache-2.0
// The hook that the virtual machine calls around every Call instruction. Lives as long as it is set on the
// machine; called on the machine's thread only. Must not throw, lock, log or allocate. Behaviour: seed 000,
// VirtualMachineProfiler::RunInstrCall.
#pragma once

#include <tvm/ffi/c_api.h>

#include <cstdint>

namespace opscope::vm {

/// What is fixed about a Call instruction.
struct CallSite {
  std::uint32_t instruction = 0;  ///< its index in the executable
  std::uint32_t function = 0;     ///< index into the executable's function table
  std::uint32_t depth = 0;        ///< VM frames around it, 0 in the entry function
};

class CallObserver {
 public:
  virtual ~CallObserver() = default;
  /// Before the callee runs. `args` are the values the callee gets (registers, constants, immediates,
  /// functions).
  virtual void beginCall(const CallSite& site, const TVMFFIAny* args, std::int32_t count) = 0;
  /// After it returned. Calls nest: a begin is ended before the one that encloses it. Not called when it
  /// failed.
  virtual void endCall(const CallSite& site, const TVMFFIAny& result) = 0;
};

}  // namespace opscope::vm
