// SPDX-License-Identifier: Apache-2.0
#include "app/cli/since.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <optional>
#include <regex>

namespace opscope::cli {

namespace {

/// "36h" as 36 hours before now.
std::optional<std::string> agoText(std::string_view text) {
  constexpr std::int64_t kMost = 1'000'000;
  if (text.size() < 2) {
    return std::nullopt;
  }
  std::int64_t count = 0;
  const char* const end = text.data() + text.size() - 1;
  const auto parsed = std::from_chars(text.data(), end, count);
  if (parsed.ec != std::errc() || parsed.ptr != end || count < 0 || count > kMost) {
    return std::nullopt;
  }
  std::chrono::minutes ago{count};
  if (text.back() == 'h') {
    ago = std::chrono::hours(count);
  } else if (text.back() == 'd') {
    ago = std::chrono::hours(24 * count);
  } else if (text.back() != 'm') {
    return std::nullopt;
  }
  const std::time_t then = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now() - ago);
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(then));
}

bool isDate(const std::string& year, const std::string& month, const std::string& day) {
  const std::chrono::year_month_day date{std::chrono::year(std::stoi(year)),
                                         std::chrono::month(static_cast<unsigned>(std::stoi(month))),
                                         std::chrono::day(static_cast<unsigned>(std::stoi(day)))};
  return date.ok();
}

}  // namespace

base::Result<std::string> sinceText(std::string_view text) {
  if (auto ago = agoText(text)) {
    return *std::move(ago);
  }
  static const std::regex kForm(
      R"((\d{4})-(\d\d)-(\d\d)(?:[T ]([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?Z?)?)");
  std::match_results<std::string_view::const_iterator> parts;
  if (!std::regex_match(text.begin(), text.end(), parts, kForm) || !isDate(parts[1], parts[2], parts[3])) {
    return base::Error{base::ErrorCode::InvalidArgument,
                       fmt::format("--since needs a time, found \"{}\"", text),
                       "Such as 2026-01-31, 2026-01-31T12:00 (UTC), 36h or 7d.", ""};
  }
  const auto orZero = [&parts](std::size_t part) {
    return parts[part].matched ? parts[part].str() : std::string("00");
  };
  return fmt::format("{}-{}-{}T{}:{}:{}Z", parts[1].str(), parts[2].str(), parts[3].str(), orZero(4),
                     orZero(5), orZero(6));
}

}  // namespace opscope::cli
