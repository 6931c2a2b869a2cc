// SPDX-License-Identifier: Apache-2.0
// The calls of some functions within a loaded library, found in its machine code. x86-64. Any thread; nothing
// is run.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "engine/code/loaded_library.h"

namespace opscope::code {

/// A call or jump with a 32-bit distance to its target.
struct CallSite {
  std::uintptr_t address = 0;        ///< of the instruction, 5 bytes long
  std::uintptr_t returnAddress = 0;  ///< of the one after it
  std::uint32_t target = 0;          ///< what the wanted address stands for
  bool isJump = false;               ///< a jump in place of a call at the end of a function
};

/// Addresses of functions and of the stubs (PLT) that lead to them; the numbers are the caller's.
using CallTargets = std::unordered_map<std::uintptr_t, std::uint32_t>;

/// Every call of a target that stands in a function whose bounds are known, in order of address. Bytes that
/// only look like a call, within a longer instruction, are none. Empty on other machines than x86-64.
std::vector<CallSite> findCallSites(const LoadedLibrary& library, const std::vector<AddressRange>& functions,
                                    const CallTargets& targets);

/// Targets that something seems to call outside of every function whose bounds are known: there it cannot be
/// told whether it is a call.
std::vector<std::uint32_t> calledOutside(const LoadedLibrary& library,
                                         const std::vector<AddressRange>& functions,
                                         const CallTargets& targets);

/// The stubs of the library that jump through one of `slots` (by the slot's address): their addresses with
/// the slot's number.
CallTargets findStubs(const LoadedLibrary& library, const CallTargets& slots);

}  // namespace opscope::code
