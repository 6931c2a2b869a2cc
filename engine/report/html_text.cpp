// SPDX-License-Identifier: Apache-2.0
#include "engine/report/html_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/base/printable.h"
#include "engine/report/json_text.h"
#include "engine/report/quantity_words.h"

namespace opscope::report {

namespace {

constexpr std::string_view kThinSpace = "\u202F";

std::string grouped(double value, int decimals) {
  std::string text = fmt::format("{:.{}f}", value, decimals);
  const std::size_t point = std::min(text.find('.'), text.size());
  constexpr std::size_t kGroup = 3;
  for (std::size_t at = point; at > kGroup;) {
    at -= kGroup;
    text.insert(at, kThinSpace);
  }
  return text;
}

bool isPathLetter(char c) {
  constexpr std::string_view kEnds = " \t\r\n\"'<>|,;=@()[]{}";
  return kEnds.find(c) == std::string_view::npos;
}

/// What is left of a word that holds a slash.
std::string_view withoutFolder(std::string_view word) {
  const std::size_t scheme = word.find("://");
  if (scheme != std::string_view::npos) return word.substr(0, scheme);
  const std::size_t slash = word.find_last_not_of('/');
  if (slash == std::string_view::npos) return word.substr(0, 0);
  const std::string_view path = word.substr(0, slash + 1);
  const bool isPlace =
      word.front() == '/' || word.starts_with("~/") || word.starts_with("./") || word.starts_with("../");
  return isPlace ? path.substr(path.rfind('/') + 1) : word;
}

/// UTF-8 characters begin at bytes that do not continue one.
bool begins(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;
}

/// The place behind `count` characters from `at` on.
std::size_t forward(std::string_view text, std::size_t at, std::size_t count) {
  while (at < text.size() && count > 0) {
    ++at;
    while (at < text.size() && !begins(text[at])) ++at;
    --count;
  }
  return at;
}

}  // namespace

std::string htmlText(std::string_view text) {
  // JSON's writer mends what is not UTF-8; its quotes and escapes are not wanted here.
  const bool isPlain = std::ranges::all_of(text, [](char c) {
    return static_cast<unsigned char>(c) < 0x7F && static_cast<unsigned char>(c) >= 0x20;
  });
  const std::string mended = isPlain ? std::string(text) : base::printable(wellFormed(text));
  std::string out;
  out.reserve(mended.size());
  for (const char c : mended) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string cutInTheMiddle(std::string_view text, std::size_t characters) {
  const auto count = static_cast<std::size_t>(std::ranges::count_if(text, begins));
  if (count <= characters || characters < 2) return std::string(text);
  const std::size_t head = (characters - 1) * 3 / 5;
  const std::size_t tail = characters - 1 - head;
  std::string cut(text.substr(0, forward(text, 0, head)));
  cut += "…";
  cut += text.substr(forward(text, 0, count - tail));
  return cut;
}

std::string withoutPlaces(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    if (!isPathLetter(text[at])) {
      out += text[at++];
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && isPathLetter(text[end])) ++end;
    if (text.substr(at, end - at).find("://") != std::string_view::npos) {
      // What follows an address, as "?priority=1", belongs to it.
      end = std::min(text.find_first_of(" \t\r\n\"'<>", end), text.size());
    }
    out += withoutFolder(text.substr(at, end - at));
    at = end;
  }
  return out;
}

std::string htmlNumber(double value, int decimals) {
  if (!std::isfinite(value) || value <= 0) return std::string(kHtmlMissing);
  const double least = std::pow(10.0, -decimals);
  if (value < least / 2) return "&lt;" + fmt::format("{:.{}f}", least, decimals);
  return grouped(value, decimals);
}

std::string htmlCount(std::uint64_t value) {
  return grouped(static_cast<double>(value), 0);
}

std::string htmlPercent(const std::optional<double>& percent, int decimals) {
  if (!percent || !std::isfinite(*percent)) return std::string(kHtmlMissing);
  const std::string number = htmlNumber(std::clamp(*percent, 0.0, 100.0), decimals);
  return number == kHtmlMissing ? number : number + "\u00A0%";
}

HtmlQuantity htmlDuration(double microseconds) {
  if (!std::isfinite(microseconds) || microseconds <= 0) return {std::string(kHtmlMissing), ""};
  const HeadlineTime time = headlineTime(microseconds);
  return {htmlNumber(time.value, time.decimals), std::string(time.unit)};
}

std::string htmlDurationText(double microseconds) {
  const HtmlQuantity quantity = htmlDuration(microseconds);
  return quantity.unit.empty() ? quantity.number : quantity.number + "\u00A0" + quantity.unit;
}

std::string htmlBytes(double bytes) {
  if (!std::isfinite(bytes) || bytes < 0) return std::string(kHtmlMissing);
  static constexpr std::array<std::string_view, 5> kUnits = {"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  constexpr double kStep = 1024;
  while (bytes >= kStep && unit + 1 < kUnits.size()) {
    bytes /= kStep;
    ++unit;
  }
  const int decimals = unit == 0 || bytes >= 100 ? 0 : bytes < 10 ? 2 : 1;
  return fmt::format("{}\u00A0{}", grouped(bytes, decimals), kUnits[unit]);
}

}  // namespace opscope::report
