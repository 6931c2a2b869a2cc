// SPDX-License-Identifier: Apache-2.0
#include "engine/report/trace_scan.h"

#include <array>
#include <cstdint>

namespace opscope::report {

namespace {

enum class Kind : std::uint8_t { Other, Open, Close, Quote };

constexpr std::array<Kind, 256> kindTable() {
  std::array<Kind, 256> table{};
  table['{'] = table['['] = Kind::Open;
  table['}'] = table[']'] = Kind::Close;
  table['"'] = Kind::Quote;
  return table;
}

constexpr std::array<Kind, 256> kKinds = kindTable();

}  // namespace

std::size_t skipJsonBlanks(std::string_view text, std::size_t at) {
  while (at < text.size() && (text[at] == ' ' || text[at] == '\n' || text[at] == '\r' || text[at] == '\t')) {
    ++at;
  }
  return at;
}

std::size_t endOfJsonText(std::string_view text, std::size_t at) {
  for (++at; at < text.size(); ++at) {
    if (text[at] == '"') return at + 1;
    if (text[at] == '\\') ++at;
  }
  return kNoEnd;
}

std::size_t endOfJsonBrackets(std::string_view text, std::size_t at) {
  std::size_t depth = 0;
  while (at < text.size()) {
    switch (kKinds[static_cast<unsigned char>(text[at])]) {
      case Kind::Other:
        ++at;
        break;
      case Kind::Open:
        ++depth;
        ++at;
        break;
      case Kind::Close:
        ++at;
        if (--depth == 0) return at;
        break;
      case Kind::Quote:
        at = endOfJsonText(text, at);
        if (at == kNoEnd) return kNoEnd;
        break;
    }
  }
  return kNoEnd;
}

std::size_t endOfJsonValue(std::string_view text, std::size_t at) {
  if (at >= text.size()) return kNoEnd;
  if (text[at] == '{' || text[at] == '[') return endOfJsonBrackets(text, at);
  if (text[at] == '"') return endOfJsonText(text, at);
  while (at < text.size() && std::string_view(",]} \n\r\t").find(text[at]) == std::string_view::npos) ++at;
  return at < text.size() ? at : kNoEnd;
}

}  // namespace opscope::report
