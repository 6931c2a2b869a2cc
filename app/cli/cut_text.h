// SPDX-License-Identifier: Apache-2.0
// What tables say that found no room on a terminal. Any thread; pure functions.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace opscope::cli {

/// "Cut to 80 columns, without Note; --wide shows the whole table." as lines of at most `width` columns.
/// `hidden` are the titles of the columns that are left out, if any.
std::string cutText(std::size_t width, const std::vector<std::string>& hidden);

}  // namespace opscope::cli
