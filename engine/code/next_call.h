// SPDX-License-Identifier: Apache-2.0
// What a library calls next after a call has returned, read from its machine code. x86-64. One thread;
// nothing is run.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "engine/code/call_sites.h"
#include "engine/code/loaded_library.h"

namespace opscope::code {

class NextCalls {
 public:
  /// `functions` as functionBounds gives them; `targets` are the calls that count. The library outlives it.
  NextCalls(const LoadedLibrary& library, std::vector<AddressRange> functions, CallTargets targets);
  ~NextCalls();
  NextCalls(const NextCalls&) = delete;
  NextCalls& operator=(const NextCalls&) = delete;

  /// The call of a target that follows when the code goes on at `address`, whichever way its branches go;
  /// ways that end the function without a call, as those after an error do, do not count. Nothing when
  /// another call comes first, when branches lead to different calls, or when the code cannot be read.
  std::optional<CallSite> after(std::uintptr_t address);

  /// The bounds of the function that `address` lies in; empty when they are not known.
  AddressRange functionAt(std::uintptr_t address) const;

 private:
  class Walk;
  struct Decoder;

  const LoadedLibrary& m_library;
  std::vector<AddressRange> m_functions;
  CallTargets m_targets;
  std::unique_ptr<Decoder> m_decoder;
};

}  // namespace opscope::code
