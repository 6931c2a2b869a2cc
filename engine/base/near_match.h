// SPDX-License-Identifier: Apache-2.0
// Finds what a mistyped name may have meant, for hints in messages. Any thread; no state.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace opscope::base {

/// The name in `known` with the fewest edits from `name` (case does not count), or "" when none is near: at
/// most a third of the letters, at least one, may differ.
std::string nearMatch(std::string_view name, std::span<const std::string> known);

/// "a, b and c"; after `limit` names "a, b and 7 more". "none" when empty.
std::string joinNames(std::span<const std::string> names, std::size_t limit = 12);

}  // namespace opscope::base
