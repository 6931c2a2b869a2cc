// SPDX-License-Identifier: Apache-2.0
#include "app/cli/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "engine/base/printable.h"
#include "engine/base/text_width.h"

namespace opscope::cli {

std::string bytesText(std::uint64_t bytes) {
  constexpr std::uint64_t kStep = 1024;
  if (bytes < kStep) {
    return countText(bytes, "byte", "bytes");
  }
  double value = static_cast<double>(bytes) / kStep;
  for (const char* unit : {"KiB", "MiB"}) {
    if (value < kStep) {
      return fmt::format("{:.1f} {}", value, unit);
    }
    value /= kStep;
  }
  return fmt::format("{:.1f} GiB", value);
}

std::string countText(std::uint64_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

std::string targetName(const std::string& target) {
  return target.empty() ? "local" : target;
}

std::string onTarget(const std::string& target) {
  const std::string name = targetName(target);
  return name == "local" ? "" : ", on " + base::printable(name);
}

std::optional<std::int64_t> wholeNumberIn(std::string_view text) {
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, number);
  const bool isWhole = parsed.ec == std::errc() && parsed.ptr == end && !text.starts_with('-');
  return isWhole ? std::optional(number) : std::nullopt;
}

std::string wrapped(std::string_view line, std::size_t width, std::size_t indent) {
  std::string text;
  std::size_t used = 0;
  while (!line.empty()) {
    const std::size_t word = std::min(line.find_first_not_of(' '), line.size());
    const std::size_t end = std::min(line.find(' ', word), line.size());
    const std::size_t needed = base::displayWidth(line.substr(0, end));
    if (used > indent && used + needed > width) {
      text += '\n' + std::string(indent, ' ');
      used = indent;
      line.remove_prefix(word);
      continue;
    }
    text += line.substr(0, end);
    used += needed;
    line.remove_prefix(end);
  }
  return text;
}

}  // namespace opscope::cli
