// SPDX-License-Identifier: Apache-2.0
// Writes VM executables byte by byte for tests, right or wrong in any field. One thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

namespace opscope::vm::test {

class ExecutableWriter {
 public:
  template <class T>
  ExecutableWriter& number(T value) {
    static_assert(std::is_arithmetic_v<T>);
    m_bytes.append(reinterpret_cast<const char*>(&value), sizeof(value));
    return *this;
  }
  ExecutableWriter& count(std::uint64_t value) { return number(value); }
  ExecutableWriter& word(std::int64_t value) { return number(value); }
  ExecutableWriter& text(std::string_view value) {
    count(value.size());
    m_bytes.append(value);
    return *this;
  }
  ExecutableWriter& raw(std::string_view value) {
    m_bytes.append(value);
    return *this;
  }
  ExecutableWriter& header() { return number(std::uint64_t{0xD225DE2F4214151EULL}).text("0.14"); }
  /// A function record without parameter names.
  ExecutableWriter& function(std::int32_t kind, std::string_view name, std::int64_t start, std::int64_t end,
                             std::int64_t arguments, std::int64_t registers) {
    return number(kind).text(name).word(start).word(end).word(arguments).word(registers).count(0);
  }
  const std::string& bytes() const { return m_bytes; }

 private:
  std::string m_bytes;
};

}  // namespace opscope::vm::test
