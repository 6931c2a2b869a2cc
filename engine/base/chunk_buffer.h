// SPDX-License-Identifier: Apache-2.0
// Memory for plain records: grows by whole chunks, so that records never move and a growth in mid-run costs
// one allocation. One thread at a time; owns the records.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>
#include <vector>

namespace opscope::base {

template <class Item>
class ChunkBuffer {
  static_assert(std::is_trivially_copyable_v<Item>);

 public:
  static constexpr std::size_t kChunkItems = std::size_t{1} << 15;  ///< 1 MiB a chunk of 32-byte records

  /// A new record at the end with whatever its memory holds; it stays where it is until it is truncated.
  /// Throws std::bad_alloc, only when it has to grow.
  Item& append() {
    if (m_next == m_chunkEnd) [[unlikely]] {
      enterChunk(m_size / kChunkItems);
    }
    ++m_size;
    return *m_next++;
  }

  /// As append() for places that must not throw: nullptr when memory is out.
  Item* tryAppend() noexcept {
    if (m_next == m_chunkEnd) [[unlikely]] {
      try {
        enterChunk(m_size / kChunkItems);
      } catch (const std::bad_alloc&) {
        return nullptr;
      }
    }
    ++m_size;
    return m_next++;
  }

  /// Makes room for `items` more without a growth and touches the memory, so that page faults do not fall
  /// into the measured time.
  void reserve(std::size_t items) {
    while (m_chunks.size() * kChunkItems < m_size + items) {
      addChunk();
      std::memset(static_cast<void*>(m_chunks.back().get()), 0, kChunkItems * sizeof(Item));
    }
  }

  /// Forgets the records from position `from` on. Memory is kept.
  void truncate(std::size_t from) {
    m_size = std::min(from, m_size);
    m_next = m_chunkEnd = nullptr;
    if (m_size % kChunkItems != 0) {  // else append() enters the next chunk
      enterChunk(m_size / kChunkItems);
      m_next += m_size % kChunkItems;
    }
  }

  std::size_t size() const { return m_size; }
  const Item& at(std::size_t position) const {
    return m_chunks[position / kChunkItems].get()[position % kChunkItems];
  }

 private:
  // Plain memory: constructing records would touch every page of a new chunk at once, in mid-run.
  struct FreeMemory {
    void operator()(Item* items) const { std::free(items); }
  };

  void enterChunk(std::size_t chunk) {
    if (chunk == m_chunks.size()) {
      addChunk();
    }
    m_next = m_chunks[chunk].get();
    m_chunkEnd = m_next + kChunkItems;
  }

  void addChunk() {
    std::unique_ptr<Item, FreeMemory> chunk(static_cast<Item*>(std::malloc(kChunkItems * sizeof(Item))));
    if (chunk == nullptr) {
      throw std::bad_alloc();
    }
    m_chunks.push_back(std::move(chunk));
  }

  std::vector<std::unique_ptr<Item, FreeMemory>> m_chunks;
  std::size_t m_size = 0;
  Item* m_next = nullptr;      // where the next record goes
  Item* m_chunkEnd = nullptr;  // end of the chunk that m_next points into
};

}  // namespace opscope::base
