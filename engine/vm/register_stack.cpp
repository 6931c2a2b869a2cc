// SPDX-License-Identifier: Apache-2.0
#include "engine/vm/register_stack.h"

#include <algorithm>
#include <cstring>

#include "engine/vm/builtins/arguments.h"

namespace opscope::vm {

namespace {

constexpr std::size_t kBlockSlots = 4096;

}  // namespace

void RegisterStack::addBlock(std::size_t least) {
  const std::size_t size = std::max(least, kBlockSlots);
  if (m_total + size > kMostSlots) {
    raise("RecursionError", "the registers of the calls in progress need more than 1 GiB");
  }
  // Value-initialised: an all-zero TVMFFIAny is None.
  m_blocks.push_back(Block{std::make_unique<TVMFFIAny[]>(size), size, 0});
  m_total += size;
}

TVMFFIAny* RegisterStack::push(std::size_t values, std::size_t views) {
  const std::size_t count = values + views;
  if (m_blocks.empty()) {
    addBlock(count);
  }
  if (m_blocks[m_current].size - m_blocks[m_current].used < count) {
    // Blocks after the current one are empty; one that is too small is replaced.
    if (m_current + 1 < m_blocks.size() && m_blocks[m_current + 1].size < count) {
      m_total -= m_blocks.back().size;
      m_blocks.pop_back();
    }
    if (m_current + 1 == m_blocks.size()) {
      addBlock(count);
    }
    ++m_current;
  }
  Block& block = m_blocks[m_current];
  TVMFFIAny* base = block.slots.get() + block.used;
  block.used += count;
  return base;
}

void RegisterStack::pop(TVMFFIAny* base, std::size_t values, std::size_t views) {
  auto* registers = reinterpret_cast<tvm::ffi::Any*>(base);
  for (std::size_t i = 0; i < values; ++i) {
    registers[i].reset();
  }
  std::memset(static_cast<void*>(base + values), 0, views * sizeof(TVMFFIAny));
  m_blocks[m_current].used -= values + views;
  if (m_blocks[m_current].used == 0 && m_current > 0) {
    // One empty block is kept, so that a call at the border does not allocate each time.
    while (m_blocks.size() > m_current + 1) {
      m_total -= m_blocks.back().size;
      m_blocks.pop_back();
    }
    --m_current;
  }
}

}  // namespace opscope::vm
