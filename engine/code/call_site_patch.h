// SPDX-License-Identifier: Apache-2.0
// Turns calls of a loaded library to other functions: each gets a trampoline near the library as its target.
// x86-64. Made and destroyed while no code of the library runs on any thread. The access to pages outlives
// it, and so does the library.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/code/call_sites.h"
#include "engine/code/loaded_library.h"
#include "engine/code/page_access.h"

namespace opscope::code {

class CallSitePatch {
 public:
  explicit CallSitePatch(PageAccess& pages) : m_pages(pages) {}
  ~CallSitePatch() { restore(); }
  CallSitePatch(const CallSitePatch&) = delete;
  CallSitePatch& operator=(const CallSitePatch&) = delete;

  /// Makes every site call destinations[its target]. All or nothing; once. False when there is no memory in
  /// reach, when the system does not let code be written, or on another machine than x86-64.
  bool apply(const LoadedLibrary& library, const std::vector<CallSite>& sites,
             const std::vector<std::uintptr_t>& destinations);
  /// Gives every call its own target again.
  void restore();

 private:
  struct Patch {
    std::uintptr_t address = 0;  // of the distance in the instruction
    std::int32_t before = 0;
    std::int32_t after = 0;
  };
  bool makeTrampolines(const LoadedLibrary& library, const std::vector<std::uintptr_t>& destinations);
  bool write(bool patched);

  PageAccess& m_pages;
  std::vector<Patch> m_patches;  // in order of address
  void* m_trampolines = nullptr;
  std::size_t m_trampolineBytes = 0;
  bool m_isApplied = false;
};

}  // namespace opscope::code
