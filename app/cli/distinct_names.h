// SPDX-License-Identifier: Apache-2.0
// Long names of one table, shortened so that they can be told apart. Any thread; pure functions.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace opscope::cli {

/// Each name in at most `width` columns: without its middle, or, where other names would then read the same,
/// with the part in which it differs from them between its first and last words.
std::vector<std::string> distinctNames(const std::vector<std::string>& names, std::size_t width);

}  // namespace opscope::cli
