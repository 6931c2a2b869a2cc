// SPDX-License-Identifier: Apache-2.0
// Numbers and names as people read them. Any thread; pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace opscope::cli {

/// "812 bytes", "139.6 KiB", "1.2 GiB".
std::string bytesText(std::uint64_t bytes);

/// "1 call", "3 calls".
std::string countText(std::uint64_t count, std::string_view one, std::string_view many);

/// What --target said; "local" without it.
std::string targetName(const std::string& target);
/// ", on rpc://10.0.0.7:9090"; empty for this program itself.
std::string onTarget(const std::string& target);

/// The number that decimal digits alone make; nothing for other text, a sign, and what does not fit.
std::optional<std::int64_t> wholeNumberIn(std::string_view text);

/// `line` broken at blanks into lines of at most `width` columns; all but the first begin with `indent`
/// blanks. Words that are longer stay whole.
std::string wrapped(std::string_view line, std::size_t width, std::size_t indent);

}  // namespace opscope::cli
