// SPDX-License-Identifier: Apache-2.0
// A growing block of bytes in memory pages of its own, for whole files: big blocks come in large pages where
// the system has them, which costs far less than the heap. One owner, one thread at a time.
#pragma once

#include <cstddef>
#include <string_view>
#include <utility>

namespace opscope::base {

class PageBuffer {
 public:
  PageBuffer() = default;
  PageBuffer(PageBuffer&& other) noexcept
      : m_data(std::exchange(other.m_data, nullptr)),
        m_size(std::exchange(other.m_size, 0)),
        m_capacity(std::exchange(other.m_capacity, 0)) {}
  PageBuffer& operator=(PageBuffer&& other) noexcept;
  PageBuffer(const PageBuffer&) = delete;
  PageBuffer& operator=(const PageBuffer&) = delete;
  ~PageBuffer() { free(); }

  char* data() { return m_data; }
  const char* data() const { return m_data; }
  std::size_t size() const { return m_size; }
  std::string_view view() const { return {m_data, m_size}; }

  /// New bytes are zero, unless they were there before a smaller size. Throws std::bad_alloc.
  void resize(std::size_t size);

 private:
  void free();

  char* m_data = nullptr;
  std::size_t m_size = 0;
  std::size_t m_capacity = 0;
};

}  // namespace opscope::base
