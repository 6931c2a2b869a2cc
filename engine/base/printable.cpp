// SPDX-License-Identifier: Apache-2.0
#include "engine/base/printable.h"

#include <fmt/format.h>

#include <cstdint>

namespace opscope::base {

namespace {

std::string controlText(unsigned char byte) {
  switch (byte) {
    case '\n':
      return "\\n";
    case '\t':
      return "\\t";
    case '\r':
      return "\\r";
    default:
      return fmt::format("\\x{:02x}", byte);
  }
}

/// The point of the character of two or three bytes at `begin`, 0 when there is none such.
std::uint32_t longPoint(std::string_view text, std::size_t begin, std::size_t& length) {
  const auto byte = [text](std::size_t at) -> std::uint32_t {
    return at < text.size() ? static_cast<unsigned char>(text[at]) : 0;
  };
  const std::uint32_t first = byte(begin);
  const auto follows = [&byte](std::size_t at) { return (byte(at) & 0xC0) == 0x80; };
  if ((first & 0xE0) == 0xC0 && follows(begin + 1)) {
    length = 2;
    return (first & 0x1F) << 6 | (byte(begin + 1) & 0x3F);
  }
  if ((first & 0xF0) == 0xE0 && follows(begin + 1) && follows(begin + 2)) {
    length = 3;
    return (first & 0x0F) << 12 | (byte(begin + 1) & 0x3F) << 6 | (byte(begin + 2) & 0x3F);
  }
  return 0;
}

/// Controls of C1, line and paragraph separator, and what turns the direction of writing.
bool isObeyed(std::uint32_t point) {
  return (point >= 0x80 && point <= 0x9F) || point == 0x200E || point == 0x200F ||
         (point >= 0x2028 && point <= 0x202E) || (point >= 0x2066 && point <= 0x2069);
}

}  // namespace

std::string printable(std::string_view text) {
  std::string shown;
  shown.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = static_cast<unsigned char>(text[i]);
    std::size_t length = 1;
    if (byte < 0x20 || byte == 0x7F) {
      shown += controlText(byte);
    } else if (const std::uint32_t point = longPoint(text, i, length); isObeyed(point)) {
      shown += fmt::format("\\u{:04x}", point);
    } else {
      shown += text.substr(i, length);
    }
    i += length;
  }
  return shown;
}

}  // namespace opscope::base
