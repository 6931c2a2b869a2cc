// SPDX-License-Identifier: Apache-2.0
// Texts and numbers as our HTML pages show them. Any thread; pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace opscope::report {

inline constexpr std::string_view kHtmlMissing = "–";

/// The text so that it cannot become markup, in elements and in quoted attributes. Control characters are
/// shown as escapes, bytes that are not UTF-8 become U+FFFD.
std::string htmlText(std::string_view text);

/// At most `characters` of the text, cut in the middle: 60 % head, 40 % tail, with "…" between. Not escaped.
std::string cutInTheMiddle(std::string_view text, std::size_t characters);

/// Paths and addresses tell where somebody works: of each path only the last part stays, and of
/// "rpc://host:port" what stands before the host.
std::string withoutPlaces(std::string_view text);

/// "12 345.6": a fixed number of decimals, thousands parted by thin spaces. "<0.1" for what would read as
/// nothing; "–" for what is not finite, negative or, since that is too short to measure, 0.
std::string htmlNumber(double value, int decimals);

/// The same for counts, which may be 0.
std::string htmlCount(std::uint64_t value);

/// 0 to 100 with its sign: "12.34 %".
std::string htmlPercent(const std::optional<double>& percent, int decimals = 1);

/// "82.7" and "ms".
struct HtmlQuantity {
  std::string number;
  std::string unit;  ///< empty where there is no number
};

HtmlQuantity htmlDuration(double microseconds);

/// "82.7 ms".
std::string htmlDurationText(double microseconds);

/// "1.25 MiB"; "–" below 0.
std::string htmlBytes(double bytes);

}  // namespace opscope::report
