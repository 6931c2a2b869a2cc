// SPDX-License-Identifier: Apache-2.0
#include "engine/base/page_buffer.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <new>

namespace opscope::base {

PageBuffer& PageBuffer::operator=(PageBuffer&& other) noexcept {
  if (this != &other) {
    free();
    m_data = std::exchange(other.m_data, nullptr);
    m_size = std::exchange(other.m_size, 0);
    m_capacity = std::exchange(other.m_capacity, 0);
  }
  return *this;
}

void PageBuffer::free() {
  if (m_data != nullptr) {
    ::munmap(m_data, m_capacity);
    m_data = nullptr;
  }
}

void PageBuffer::resize(std::size_t size) {
  if (size > m_capacity) {
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    // A size that was wrong once is likely to be wrong again: pipes tell none.
    const std::size_t wanted = m_capacity == 0 ? size : std::max(size, m_capacity + m_capacity / 2);
    if (wanted > SIZE_MAX - page) {
      throw std::bad_alloc();
    }
    const std::size_t capacity = (wanted + page - 1) / page * page;
    void* data = m_data == nullptr ? ::mmap(nullptr, capacity, PROT_READ | PROT_WRITE,
                                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
                                   : ::mremap(m_data, m_capacity, capacity, MREMAP_MAYMOVE);
    if (data == MAP_FAILED) {
      throw std::bad_alloc();
    }
    ::madvise(data, capacity, MADV_HUGEPAGE);  // a wish
    m_data = static_cast<char*>(data);
    m_capacity = capacity;
  }
  m_size = size;
}

}  // namespace opscope::base
