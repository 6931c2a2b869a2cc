// SPDX-License-Identifier: Apache-2.0
// Lists for people: texts on the left of their columns, numbers on the right. Any thread; pure functions.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace opscope::cli {

struct GridColumn {
  std::string title;
  bool isNumber = false;
};

struct Grid {
  std::vector<GridColumn> columns;
  std::vector<std::vector<std::string>> rows;  ///< as many cells as columns, each one line
};

/// The titles, then the rows, two blanks between columns. Within `width` columns where it
/// is set: the widest texts are shortened in their middle first, then lines end there.
std::string toText(const Grid& grid, std::optional<std::size_t> width);

}  // namespace opscope::cli
