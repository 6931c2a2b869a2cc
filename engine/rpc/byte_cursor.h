// SPDX-License-Identifier: Apache-2.0
// A place in received bytes. Every read is held against what is left; errors tell the byte. One thread; the
// bytes outlive it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

#include "engine/base/result.h"

namespace opscope::rpc {

class ByteCursor {
 public:
  explicit ByteCursor(std::string_view bytes) : m_bytes(bytes) {}

  std::size_t position() const { return m_position; }
  std::size_t left() const { return m_bytes.size() - m_position; }

  /// A little-endian number. `what` is named in the error. Errors: Format.
  template <class T>
  base::Result<T> number(std::string_view what) {
    static_assert(std::is_trivially_copyable_v<T>);
    if (left() < sizeof(T)) {
      return tooShort(what, sizeof(T));
    }
    T value;
    std::memcpy(&value, m_bytes.data() + m_position, sizeof(T));
    m_position += sizeof(T);
    return value;
  }

  /// The next `size` bytes, not copied. Errors: Format.
  base::Result<std::string_view> take(std::uint64_t size, std::string_view what) {
    if (left() < size) {
      return tooShort(what, size);
    }
    const std::string_view bytes = m_bytes.substr(m_position, static_cast<std::size_t>(size));
    m_position += bytes.size();
    return bytes;
  }

  /// All that is left.
  std::string_view rest() {
    const std::string_view bytes = m_bytes.substr(m_position);
    m_position = m_bytes.size();
    return bytes;
  }

  /// Errors: Format when bytes are left over.
  base::Result<> expectEnd() const;

 private:
  base::Error tooShort(std::string_view what, std::uint64_t size) const;

  std::string_view m_bytes;
  std::size_t m_position = 0;
};

}  // namespace opscope::rpc
