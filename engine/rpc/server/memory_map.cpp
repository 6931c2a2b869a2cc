// SPDX-License-Identifier: Apache-2.0
#include "engine/rpc/server/memory_map.h"

#include <sys/mman.h>

#include <algorithm>

namespace opscope::rpc::server {

namespace {

constexpr std::uintptr_t kHugePage = std::uintptr_t{2} << 20;

/// Large tensors are filled from the network at once: with huge pages that costs a fraction of the faults.
void preferHugePages(std::uintptr_t address, std::size_t bytes) {
  const std::uintptr_t begin = (address + kHugePage - 1) & ~(kHugePage - 1);
  const std::uintptr_t end = (address + bytes) & ~(kHugePage - 1);
  if (begin < end) {
    ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);  // advice: may be refused
  }
}

}  // namespace

void MemoryMap::add(std::uint64_t address, std::uint64_t bytes) {
  m_pieces.emplace(address, bytes);
  m_largest = std::max(m_largest, bytes);
}

std::uint64_t MemoryMap::allocate(std::size_t bytes, std::size_t alignment, DLDevice device) {
  runtime::Storage storage = runtime::allocateStorage(m_allocator, bytes, alignment, device);
  const auto address = reinterpret_cast<std::uintptr_t>(storage->data);
  preferHugePages(address, bytes);
  add(address, bytes);
  m_owned.insert_or_assign(address, std::move(storage));
  return address;
}

bool MemoryMap::free(std::uint64_t address) {
  const auto found = m_owned.find(address);
  if (found == m_owned.end()) {
    return false;
  }
  forget(address, found->second->size);
  m_owned.erase(found);
  return true;
}

void MemoryMap::forget(std::uint64_t address, std::uint64_t bytes) {
  for (auto [piece, end] = m_pieces.equal_range(address); piece != end; ++piece) {
    if (piece->second == bytes) {
      m_pieces.erase(piece);
      return;
    }
  }
}

bool MemoryMap::contains(std::uint64_t address, std::uint64_t bytes) const {
  if (bytes == 0) {
    return true;
  }
  auto piece = m_pieces.upper_bound(address);
  while (piece != m_pieces.begin()) {
    --piece;
    const std::uint64_t before = address - piece->first;
    if (before >= m_largest) {
      return false;
    }
    if (before < piece->second && bytes <= piece->second - before) {
      return true;
    }
  }
  return false;
}

}  // namespace opscope::rpc::server
