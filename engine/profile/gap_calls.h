// SPDX-License-Identifier: Apache-2.0
// Kernels of compiled functions where neither slots nor calls can be changed: a compiled function fetches
// each argument through a function of the runtime, so the time of a kernel is the gap between two such calls,
// and the machine code says which kernel it is. Times hold a few nanoseconds of the caller's own work. A
// kernel without tensors among its arguments that follows another one directly is not told apart from it.
// Made and destroyed as CompiledCalls, which owns it. x86-64.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "engine/code/next_call.h"
#include "engine/code/word_patches.h"
#include "engine/profile/compiled_call_tracker.h"

namespace opscope::profile {

/// What takes the place of a function of the runtime that compiled functions call.
struct Replacement {
  std::string_view symbol;
  std::uintptr_t function = 0;
};

class GapCalls {
 public:
  /// `targets` lead to kernels, by their numbers in the tracker. The library, the pages and the tracker
  /// outlive it. The replacements call beginEvent and endEvent.
  GapCalls(const code::LoadedLibrary& library, code::PageAccess& pages, code::CallTargets targets,
           CompiledCallTracker& tracker, std::span<const Replacement> replacements);

  /// False when the runtime's functions cannot be met either; then it does nothing.
  bool isReady() const { return m_isReady; }
  /// True for code of compiled functions, false for that of kernels.
  bool isCompiledFunction(const void* returnAddress) { return eventAt(returnAddress).inCompiledFunction; }

  /// A call of the runtime by a compiled function begins: the kernel before it is over.
  void beginEvent();
  /// True once when an earlier call was refused that could not fail itself; the error is raised.
  bool takeRefusal() { return std::exchange(m_isRefused, false); }
  /// It is over, and the code goes on at `returnAddress`.
  void endEvent(const void* returnAddress);
  /// An argument was fetched for the next call.
  void addArgument(std::int32_t place, const TVMFFIAny& value) { m_arguments.push_back({place, value}); }
  void clearArguments() { m_arguments.clear(); }
  /// Makes the next call that can fail do so; the error is raised.
  void refuse() { m_isRefused = true; }

 private:
  /// What is known of the code at a return address.
  struct Event {
    bool inCompiledFunction = false;
    std::optional<code::CallSite> kernel;  // that is called next
  };
  struct Argument {
    std::int32_t place = 0;
    TVMFFIAny value{};
  };

  Event& eventAt(const void* returnAddress);
  void findCompiledFunctions(const std::vector<code::AddressRange>& functions,
                             const code::CallTargets& slots);
  void beginKernel(const code::CallSite& call);

  const code::LoadedLibrary& m_library;
  CompiledCallTracker& m_tracker;
  std::unique_ptr<code::NextCalls> m_next;
  std::unordered_set<std::uintptr_t> m_compiledFunctions;  // by their begins
  CallSiteTable m_places;
  std::vector<Event> m_events;  // by number of the place
  code::WordPatches m_slots;
  bool m_isReady = false;

  std::vector<Argument> m_arguments;  // fetched since the last call
  std::vector<TVMFFIAny> m_values;    // of the kernel in progress
  std::optional<CompiledCallTracker::Site> m_kernel;
  std::uint32_t m_kernelFrames = 0;
  bool m_isRefused = false;  // an error is raised and the next call that can fail is to tell it
};

}  // namespace opscope::profile
