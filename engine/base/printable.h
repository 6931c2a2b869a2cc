// SPDX-License-Identifier: Apache-2.0
// Names and texts from outside as they may be shown on a terminal. Any thread; pure functions.
#pragma once

#include <string>
#include <string_view>

namespace opscope::base {

/// The text with what a terminal would obey written as in C: control characters as "\n" or "\x1b", those of
/// C1 and those that turn the direction of writing as "\u202e". It stays in its line. Everything else,
/// backslashes too, stays as it is.
std::string printable(std::string_view text);

}  // namespace opscope::base
