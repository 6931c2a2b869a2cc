// SPDX-License-Identifier: Apache-2.0
#include "engine/code/word_patches.h"

#include <sys/mman.h>

#include <atomic>

namespace opscope::code {

bool WordPatches::write(std::uintptr_t* word, std::uintptr_t value) {
  const auto address = reinterpret_cast<std::uintptr_t>(word);
  const bool isWritable = m_library.isWritable(address);
  if (!isWritable && !m_pages.set(address, sizeof *word, PROT_READ | PROT_WRITE)) {
    return false;
  }
  std::atomic_ref(*word).store(value, std::memory_order_release);
  if (!isWritable) {
    m_pages.set(address, sizeof *word, PROT_READ);  // at worst the page stays as it is
  }
  return true;
}

bool WordPatches::set(std::uintptr_t* word, std::uintptr_t value) {
  m_patches.reserve(m_patches.size() + 1);
  const std::uintptr_t before = std::atomic_ref(*word).load(std::memory_order_relaxed);
  if (!write(word, value)) {
    return false;
  }
  m_patches.push_back({word, before});
  return true;
}

void WordPatches::restore() {
  while (!m_patches.empty()) {
    write(m_patches.back().word, m_patches.back().before);
    m_patches.pop_back();
  }
}

}  // namespace opscope::code
