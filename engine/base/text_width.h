// SPDX-License-Identifier: Apache-2.0
// Texts in columns of a terminal: how wide they are, and shortened so that they fit. UTF-8; a byte that is
// not part of it is one column. Any thread; pure functions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace opscope::base {

/// Columns that a terminal needs: East Asian characters and emoji take two, combining marks none.
std::size_t displayWidth(std::string_view text);

/// At most `width` columns; what is cut off at the end leaves "…".
std::string elideEnd(std::string_view text, std::size_t width);

/// At most `width` columns; what is cut out leaves "…" between the first 60 % and the last 40 %. Names of ops
/// differ in both: their first word, and the number at their end.
std::string elideMiddle(std::string_view text, std::size_t width);

}  // namespace opscope::base
