// SPDX-License-Identifier: Apache-2.0
// Words of a loaded library that hold other values for a while. One thread; the library and the access to
// pages outlive it.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/code/loaded_library.h"
#include "engine/code/page_access.h"

namespace opscope::code {

class WordPatches {
 public:
  WordPatches(const LoadedLibrary& library, PageAccess& pages) : m_library(library), m_pages(pages) {}
  ~WordPatches() { restore(); }
  WordPatches(const WordPatches&) = delete;
  WordPatches& operator=(const WordPatches&) = delete;

  /// Stores `value` with one write, which threads that read the word at that moment see whole. Pages that are
  /// read-only are so again afterwards. False when the system does not let them be written.
  bool set(std::uintptr_t* word, std::uintptr_t value);
  /// Gives every word the value it had, the last one first.
  void restore();

 private:
  struct Patch {
    std::uintptr_t* word = nullptr;
    std::uintptr_t before = 0;
  };
  bool write(std::uintptr_t* word, std::uintptr_t value);

  const LoadedLibrary& m_library;
  PageAccess& m_pages;
  std::vector<Patch> m_patches;
};

}  // namespace opscope::code
