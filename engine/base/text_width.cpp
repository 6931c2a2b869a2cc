// SPDX-License-Identifier: Apache-2.0
#include "engine/base/text_width.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <vector>

namespace opscope::base {

namespace {

constexpr std::string_view kEllipsis = "…";

struct Character {
  std::size_t begin = 0;  ///< bytes [begin, end) of the text
  std::size_t end = 0;
  std::size_t width = 1;
};

struct Range {
  std::uint32_t first;
  std::uint32_t last;
};

// The blocks that matter in names; terminals differ about the rest.
constexpr Range kWide[] = {{0x1100, 0x115F},   {0x2E80, 0x303E},  {0x3041, 0xA4CF}, {0xAC00, 0xD7A3},
                           {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},  {0xFF00, 0xFF60}, {0xFFE0, 0xFFE6},
                           {0x1F300, 0x1FAFF}, {0x20000, 0x3FFFD}};
constexpr Range kCombining[] = {{0x0300, 0x036F}, {0x200B, 0x200F}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}};

template <std::size_t count>
bool isIn(const Range (&ranges)[count], std::uint32_t point) {
  return std::any_of(std::begin(ranges), std::end(ranges),
                     [point](Range range) { return point >= range.first && point <= range.last; });
}

std::size_t widthOf(std::uint32_t point) {
  return isIn(kCombining, point) ? 0 : isIn(kWide, point) ? 2 : 1;
}

/// Bytes of the character that begins with `first`; 1 for what cannot begin one.
std::size_t lengthOf(unsigned char first) {
  return first >= 0xF0 && first < 0xF8   ? 4
         : first >= 0xE0 && first < 0xF0 ? 3
         : (first & 0xE0) == 0xC0        ? 2
                                         : 1;
}

Character characterAt(std::string_view text, std::size_t begin) {
  const auto first = static_cast<unsigned char>(text[begin]);
  const std::size_t length = lengthOf(first);
  if (length == 1 || begin + length > text.size()) {
    return {begin, begin + 1, 1};
  }
  std::uint32_t point = first & (0x7Fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    const auto byte = static_cast<unsigned char>(text[begin + i]);
    if ((byte & 0xC0) != 0x80) {
      return {begin, begin + 1, 1};
    }
    point = point << 6 | (byte & 0x3Fu);
  }
  return {begin, begin + length, widthOf(point)};
}

std::vector<Character> charactersOf(std::string_view text) {
  std::vector<Character> characters;
  characters.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); at = characters.back().end) {
    characters.push_back(characterAt(text, at));
  }
  return characters;
}

/// Bytes at the beginning that take at most `width` columns.
std::size_t headBytes(const std::vector<Character>& characters, std::size_t width) {
  std::size_t bytes = 0;
  for (const Character& character : characters) {
    if (character.width > width) {
      break;
    }
    width -= character.width;
    bytes = character.end;
  }
  return bytes;
}

/// The byte from which on the text takes at most `width` columns.
std::size_t tailBegin(const std::vector<Character>& characters, std::size_t width, std::size_t textSize) {
  std::size_t begin = textSize;
  for (auto character = characters.rbegin(); character != characters.rend(); ++character) {
    if (character->width > width) {
      break;
    }
    width -= character->width;
    begin = character->begin;
  }
  return begin;
}

std::string elide(std::string_view text, std::size_t width, std::size_t tailPercent) {
  const std::vector<Character> characters = charactersOf(text);
  std::size_t needed = 0;
  for (const Character& character : characters) {
    needed += character.width;
  }
  if (needed <= width) {
    return std::string(text);
  }
  if (width == 0) {
    return {};
  }
  const std::size_t tail = (width - 1) * tailPercent / 100;
  std::string shortened(text.substr(0, headBytes(characters, width - 1 - tail)));
  shortened += kEllipsis;
  return shortened.append(text.substr(tailBegin(characters, tail, text.size())));
}

}  // namespace

std::size_t displayWidth(std::string_view text) {
  std::size_t width = 0;
  for (std::size_t at = 0; at < text.size();) {
    const Character character = characterAt(text, at);
    width += character.width;
    at = character.end;
  }
  return width;
}

std::string elideEnd(std::string_view text, std::size_t width) {
  return elide(text, width, 0);
}

std::string elideMiddle(std::string_view text, std::size_t width) {
  constexpr std::size_t kTailPercent = 40;
  return elide(text, width, kTailPercent);
}

}  // namespace opscope::base
