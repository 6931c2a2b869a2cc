// SPDX-License-Identifier: Apache-2.0
// Memory for records: grows by whole chunks, so that records never move and a growth in mid-run costs one
// allocation. One thread; owns the records.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <vector>

#include "engine/base/record.h"

namespace opscope::profile {

class RecordBuffer {
 public:
  static constexpr std::size_t kChunkRecords = std::size_t{1} << 15;  ///< 1 MiB a chunk

  /// A new record at the end with whatever its memory holds; it stays where it is until it is truncated.
  /// Throws std::bad_alloc, only when it has to grow.
  base::CallRecord& append() {
    if (m_next == m_chunkEnd) [[unlikely]] {
      enterChunk(m_size / kChunkRecords);
    }
    ++m_size;
    return *m_next++;
  }

  /// Makes room for `records` more without a growth and touches the memory, so that page faults do not fall
  /// into the measured time.
  void reserve(std::size_t records);
  /// Forgets the records from position `from` on. Memory is kept.
  void truncate(std::size_t from);

  std::size_t size() const { return m_size; }
  const base::CallRecord& at(std::size_t position) const {
    return m_chunks[position / kChunkRecords].get()[position % kChunkRecords];
  }

 private:
  // Plain memory: constructing records would touch every page of a new chunk at once, in mid-run.
  struct FreeMemory {
    void operator()(base::CallRecord* records) const { std::free(records); }
  };

  void enterChunk(std::size_t chunk);
  void addChunk();

  std::vector<std::unique_ptr<base::CallRecord, FreeMemory>> m_chunks;
  std::size_t m_size = 0;
  base::CallRecord* m_next = nullptr;      // where the next record goes
  base::CallRecord* m_chunkEnd = nullptr;  // end of the chunk that m_next points into
};

}  // namespace opscope::profile
