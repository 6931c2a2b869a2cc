// SPDX-License-Identifier: Apache-2.0
#include "app/cli/text_table.h"

#include <algorithm>
#include <numeric>

#include "engine/base/text_width.h"

namespace opscope::cli {

namespace {

constexpr std::size_t kGap = 2;
constexpr std::size_t kLeastName = 12;

std::vector<std::size_t> columnWidths(const TextTable& table) {
  std::vector<std::size_t> widths;
  for (const std::string& title : table.titles) {
    widths.push_back(base::displayWidth(title));
  }
  for (const auto& row : table.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], base::displayWidth(row[i]));
    }
  }
  return widths;
}

std::size_t sumOf(const std::vector<std::size_t>& widths) {
  return std::accumulate(widths.begin(), widths.end(), std::size_t{0}) + (widths.size() - 1) * kGap;
}

void appendLine(std::string& text, const std::vector<std::string>& cells,
                const std::vector<std::size_t>& widths) {
  for (std::size_t i = 0; i < widths.size(); ++i) {
    const std::string cell = i == 0 ? base::elideMiddle(cells[i], widths[i]) : cells[i];
    const std::string padding(widths[i] - std::min(widths[i], base::displayWidth(cell)), ' ');
    text += i == 0 ? cell + padding : std::string(kGap, ' ') + padding + cell;
  }
  text.erase(text.find_last_not_of(' ') + 1);
  text += '\n';
}

}  // namespace

std::string toText(const TextTable& table, std::optional<std::size_t> width) {
  std::vector<std::size_t> widths = columnWidths(table);
  while (width && widths.size() > 2 && sumOf(widths) > *width) {
    const std::size_t over = sumOf(widths) - *width;
    if (widths[0] >= kLeastName + over) {
      widths[0] -= over;
    } else {
      widths.pop_back();
    }
  }
  std::string text;
  appendLine(text, table.titles, widths);
  for (const auto& row : table.rows) {
    appendLine(text, row, widths);
  }
  return text;
}

}  // namespace opscope::cli
