// SPDX-License-Identifier: Apache-2.0
// Reads little-endian fields from untrusted bytes. Value type, one thread; the bytes must outlive it.
// The first failure sticks: later reads give zeros and empty views and leave the position, so that decoders
// read straight on and ask once. Counts are held against the bytes left before anything is allocated.
#pragma once

#include <concepts>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "engine/base/error.h"

namespace opscope::vm {

class ByteReader {
 public:
  /// `file` and `what` ("VM executable") stand in error messages.
  ByteReader(std::string_view bytes, std::string_view file, std::string_view what)
      : m_bytes(bytes), m_file(file), m_what(what) {}

  std::uint64_t position() const { return m_position; }
  std::uint64_t remaining() const { return m_bytes.size() - m_position; }
  bool failed() const { return m_error.has_value(); }
  /// The first failure; only when failed().
  base::Error error() const { return m_error.value_or(base::Error{}); }

  /// Which item of a list the next fields belong to, for messages: ("function", 3).
  void enterItem(std::string_view kind, std::uint64_t index) {
    m_itemKind = kind;
    m_itemIndex = index;
  }
  void leaveItem() { m_itemKind = {}; }

  /// One fixed-size field.
  template <class T>
  requires std::integral<T> || std::floating_point<T> T read(std::string_view field) {
    T value{};
    const std::string_view raw = rawBytes(sizeof(T), field);
    if (raw.size() == sizeof(T)) {
      std::memcpy(&value, raw.data(), sizeof(T));
    }
    return value;
  }
  /// A field that must lie in [lowest, highest].
  std::int64_t readInRange(std::string_view field, std::int64_t lowest, std::int64_t highest);
  /// A u64 number of items, each at least `bytesPerItem` long; 0 after a failure.
  std::uint64_t readCount(std::string_view field, std::uint64_t bytesPerItem);
  /// u64 length and that many bytes.
  std::string_view readText(std::string_view field);
  /// `size` bytes.
  std::string_view rawBytes(std::uint64_t size, std::string_view field);

  /// Records a failure at `offset`, unless there was one before. Code is Format.
  void fail(std::uint64_t offset, std::string_view field, std::string_view found, std::string_view expected);
  /// Records a failure with words of its own, unless there was one before.
  void fail(base::Error error);
  const std::string& file() const { return m_file; }

 private:
  std::string_view m_bytes;
  std::string m_file;
  std::string m_what;
  std::uint64_t m_position = 0;
  std::string_view m_itemKind;
  std::uint64_t m_itemIndex = 0;
  std::optional<base::Error> m_error;
};

}  // namespace opscope::vm
