// SPDX-License-Identifier: Apache-2.0
#include "app/cli/grid_text.h"

#include <algorithm>

#include "engine/base/text_width.h"

namespace opscope::cli {

namespace {

constexpr std::string_view kGap = "  ";

class Printer {
 public:
  Printer(const Grid& grid, std::optional<std::size_t> width) : m_grid(grid), m_width(width) {
    for (const GridColumn& column : grid.columns) {
      m_widths.push_back(base::displayWidth(column.title));
    }
    for (const auto& row : grid.rows) {
      for (std::size_t i = 0; i < row.size(); ++i) {
        m_widths[i] = std::max(m_widths[i], base::displayWidth(row[i]));
      }
    }
    if (width) {
      shorten(*width);
    }
  }

  std::string print() {
    std::vector<std::string> titles;
    for (const GridColumn& column : m_grid.columns) {
      titles.push_back(column.title);
    }
    addLine(titles);
    for (const auto& row : m_grid.rows) {
      addLine(row);
    }
    return std::move(m_text);
  }

 private:
  /// Takes columns from the widest texts, so that numbers behind them are seen.
  void shorten(std::size_t width) {
    constexpr std::size_t kLeastText = 12;
    std::size_t sum = (m_widths.size() - 1) * kGap.size();
    for (const std::size_t each : m_widths) {
      sum += each;
    }
    while (sum > width) {
      std::size_t widest = m_widths.size();
      for (std::size_t i = 0; i < m_widths.size(); ++i) {
        const std::size_t least = std::max(kLeastText, base::displayWidth(m_grid.columns[i].title));
        const bool mayShrink = !m_grid.columns[i].isNumber && m_widths[i] > least;
        if (mayShrink && (widest == m_widths.size() || m_widths[i] > m_widths[widest])) {
          widest = i;
        }
      }
      if (widest == m_widths.size()) {
        return;
      }
      --m_widths[widest];
      --sum;
    }
  }

  void addLine(const std::vector<std::string>& cells) {
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::string cell = base::elideMiddle(cells[i], m_widths[i]);
      const std::string padding(m_widths[i] - std::min(m_widths[i], base::displayWidth(cell)), ' ');
      line += i == 0 ? "" : kGap;
      line += m_grid.columns[i].isNumber ? padding + cell : cell + padding;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    m_text += (m_width ? base::elideEnd(line, *m_width) : line) + "\n";
  }

  const Grid& m_grid;
  std::optional<std::size_t> m_width;
  std::vector<std::size_t> m_widths;
  std::string m_text;
};

}  // namespace

std::string toText(const Grid& grid, std::optional<std::size_t> width) {
  return Printer(grid, width).print();
}

}  // namespace opscope::cli
