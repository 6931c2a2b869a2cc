// SPDX-License-Identifier: Apache-2.0
#include "app/cli/text_table.h"

#include <algorithm>
#include <numeric>

#include "app/cli/cut_text.h"
#include "app/cli/distinct_names.h"
#include "engine/base/text_width.h"

namespace opscope::cli {

namespace {

constexpr std::size_t kGap = 2;
constexpr std::size_t kLeastName = 12;
/// Longer names make their own line longer where there is no width to keep to, not all lines.
constexpr std::size_t kMostPadding = 60;

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

void appendLine(std::string& text, const std::string& name, const std::vector<std::string>& cells,
                const std::vector<std::size_t>& widths) {
  for (std::size_t i = 0; i < widths.size(); ++i) {
    const std::string& cell = i == 0 ? name : cells[i];
    const std::string padding(widths[i] - std::min(widths[i], base::displayWidth(cell)), ' ');
    text += i == 0 ? cell + padding : std::string(kGap, ' ') + padding + cell;
  }
  text.erase(text.find_last_not_of(' ') + 1);
  text += '\n';
}

std::vector<std::string> namesOf(const TextTable& table) {
  std::vector<std::string> names;
  for (const auto& row : table.rows) {
    names.push_back(row.front());
  }
  return names;
}

}  // namespace

std::string toText(const TextTable& table, std::optional<std::size_t> width) {
  std::vector<std::size_t> widths = columnWidths(table);
  const std::size_t longest = widths[0];
  while (width && widths.size() > 2 && sumOf(widths) > *width) {
    const std::size_t over = sumOf(widths) - *width;
    if (widths[0] >= kLeastName + over) {
      widths[0] -= over;
    } else {
      widths.pop_back();
    }
  }
  std::vector<std::string> names = namesOf(table);
  if (width) {
    names = distinctNames(names, widths[0]);
  } else {
    widths[0] = std::min(widths[0], kMostPadding);
  }
  std::string text;
  appendLine(text, table.titles.front(), table.titles, widths);
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    appendLine(text, names[i], table.rows[i], widths);
  }
  const std::vector<std::string> hidden(table.titles.begin() + static_cast<std::ptrdiff_t>(widths.size()),
                                        table.titles.end());
  return width && (!hidden.empty() || widths[0] < longest) ? text + "\n" + cutText(*width, hidden) : text;
}

}  // namespace opscope::cli
