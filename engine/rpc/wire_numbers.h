// SPDX-License-Identifier: Apache-2.0
// Numbers as the wire has them: little endian, unpadded. Any thread; pure functions.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

namespace opscope::rpc {

static_assert(std::endian::native == std::endian::little,
              "the wire is little endian, and so are our targets");

template <class T>
void appendNumber(std::string& out, T value) {
  static_assert(std::is_trivially_copyable_v<T>);
  out.append(reinterpret_cast<const char*>(&value), sizeof(T));
}

/// A text or blob behind its length in eight bytes.
inline void appendSized(std::string& out, std::string_view content) {
  appendNumber(out, std::uint64_t{content.size()});
  out.append(content);
}

}  // namespace opscope::rpc
