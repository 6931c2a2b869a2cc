// SPDX-License-Identifier: Apache-2.0
#include "engine/profile/record_buffer.h"

#include <cstring>
#include <new>

namespace opscope::profile {

void RecordBuffer::enterChunk(std::size_t chunk) {
  if (chunk == m_chunks.size()) {
    addChunk();
  }
  m_next = m_chunks[chunk].get();
  m_chunkEnd = m_next + kChunkRecords;
}

void RecordBuffer::addChunk() {
  void* const memory = std::malloc(kChunkRecords * sizeof(base::CallRecord));
  if (memory == nullptr) {
    throw std::bad_alloc();
  }
  m_chunks.emplace_back(static_cast<base::CallRecord*>(memory));
}

void RecordBuffer::reserve(std::size_t records) {
  while (m_chunks.size() * kChunkRecords < m_size + records) {
    addChunk();
    std::memset(static_cast<void*>(m_chunks.back().get()), 0, kChunkRecords * sizeof(base::CallRecord));
  }
}

void RecordBuffer::truncate(std::size_t from) {
  m_size = std::min(from, m_size);
  m_next = m_chunkEnd = nullptr;
  if (m_size % kChunkRecords != 0) {  // else append() enters the next chunk
    enterChunk(m_size / kChunkRecords);
    m_next += m_size % kChunkRecords;
  }
}

}  // namespace opscope::profile
