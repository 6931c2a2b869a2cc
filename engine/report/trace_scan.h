// SPDX-License-Identifier: Apache-2.0
// Where values of a JSON text end, found by brackets and quotes alone, so that a large file can be read in
// pieces and what comes before a cut is not lost. Any thread; pure functions.
#pragma once

#include <cstddef>
#include <string_view>

namespace opscope::report {

inline constexpr std::size_t kNoEnd = static_cast<std::size_t>(-1);

std::size_t skipJsonBlanks(std::string_view text, std::size_t at);

/// Behind the object or array that begins at `at`; kNoEnd when the text ends within it.
std::size_t endOfJsonBrackets(std::string_view text, std::size_t at);

/// Behind the text in quotes that begins at `at`; kNoEnd as above.
std::size_t endOfJsonText(std::string_view text, std::size_t at);

/// Behind any value that begins at `at`; kNoEnd as above.
std::size_t endOfJsonValue(std::string_view text, std::size_t at);

}  // namespace opscope::report
