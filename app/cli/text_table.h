// SPDX-License-Identifier: Apache-2.0
// Small tables for people: a column of names on the left, numbers on the right of it. Any thread; pure
// functions.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace opscope::cli {

struct TextTable {
  std::vector<std::string> titles;             ///< the first is that of the names
  std::vector<std::vector<std::string>> rows;  ///< as many cells as titles
};

/// The table with its titles in the first line, two blanks between columns. Within `width` columns where it
/// is set: names are shortened in their middle first, then columns on the right are left out, and a line
/// below tells so. Without a width a name of more than 60 columns makes only its own line longer.
std::string toText(const TextTable& table, std::optional<std::size_t> width);

}  // namespace opscope::cli
