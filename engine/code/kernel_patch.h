// SPDX-License-Identifier: Apache-2.0
// Puts thunks between a library's compiled functions and the kernels that they call, so that a tap hears of
// each call. In the slots of the library where it calls through slots, else in the calls themselves. Made and
// destroyed while no code of the library runs on any thread; everything is as before at its end. The library,
// the tap and the access to pages outlive it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/code/call_site_patch.h"
#include "engine/code/kernel_tap.h"
#include "engine/code/loaded_library.h"
#include "engine/code/thunks.h"
#include "engine/code/word_patches.h"

namespace opscope::code {

/// How calls of a kernel are met.
enum class Way { NotCalled, Slot, CallSite, Unpatched };

class KernelPatch {
 public:
  struct Limits {
    bool slots = true;      ///< slots may be written
    bool callSites = true;  ///< calls may be rewritten
    std::uint32_t thunks = kThunkCount;
  };

  /// `kernels` are functions of the library; KernelCall::kernel is the position there.
  KernelPatch(const LoadedLibrary& library, std::vector<ExportedFunction> kernels, KernelTap& tap,
              PageAccess& pages, const Limits& limits);
  KernelPatch(const LoadedLibrary& library, std::vector<ExportedFunction> kernels, KernelTap& tap,
              PageAccess& pages);

  const std::vector<ExportedFunction>& kernels() const { return m_kernels; }
  Way way(std::uint32_t kernel) const { return m_ways[kernel]; }
  std::uint32_t count(Way way) const;
  /// What calls of the kernels that are Unpatched lead to: the kernels and their stubs.
  CallTargets unpatchedTargets() const;

 private:
  void patchSlots(KernelTap& tap, const Limits& limits);
  void findTargets();
  void patchCallSites(KernelTap& tap, const Limits& limits);
  KernelFunction thunkFor(KernelTap& tap, std::uint32_t kernel, KernelFunction real, const Limits& limits);

  const LoadedLibrary& m_library;
  PageAccess& m_pages;
  std::vector<ExportedFunction> m_kernels;
  std::vector<Way> m_ways;
  std::vector<KernelFunction> m_thunks;  // by kernel; nullptr: none yet
  std::uint32_t m_thunkCount = 0;
  CallTargets m_targets;  // that were looked for
  // In this order, so that the library calls no thunk when the thunks are given back.
  ThunkSet m_thunkSet;
  WordPatches m_words;
  CallSitePatch m_callSites;
};

}  // namespace opscope::code
