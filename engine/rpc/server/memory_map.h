// SPDX-License-Identifier: Apache-2.0
// The memory that a client may name: what it allocated, and the data of tensors that it holds. The session's
// thread; owns what was allocated for the client.
#pragma once

#include <cstdint>
#include <map>

#include "engine/runtime/storage.h"

namespace opscope::rpc::server {

class MemoryMap {
 public:
  /// Memory of a client's own; gives its address. Raises as runtime::allocateStorage.
  std::uint64_t allocate(std::size_t bytes, std::size_t alignment, DLDevice device);
  /// False when `address` is no beginning of what `allocate` gave.
  bool free(std::uint64_t address);

  /// Data of a tensor that somebody else keeps alive until `forget` is called with the same figures.
  void know(std::uint64_t address, std::uint64_t bytes) { add(address, bytes); }
  void forget(std::uint64_t address, std::uint64_t bytes);

  /// Whether all of [address, address + bytes) lies in one piece that is known. No bytes at all always do.
  bool contains(std::uint64_t address, std::uint64_t bytes) const;
  std::size_t pieces() const { return m_pieces.size(); }

 private:
  void add(std::uint64_t address, std::uint64_t bytes);

  runtime::StorageAllocator m_allocator{runtime::AllocatorKind::Naive};
  std::map<std::uint64_t, runtime::Storage> m_owned;
  std::multimap<std::uint64_t, std::uint64_t> m_pieces;  ///< address, bytes; pieces may overlap
  std::uint64_t m_largest = 0;                           ///< no piece was ever larger
};

}  // namespace opscope::rpc::server
