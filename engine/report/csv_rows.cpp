// SPDX-License-Identifier: Apache-2.0
#include "engine/report/csv_rows.h"

#include <algorithm>

namespace opscope::report {

namespace {

bool isLineEnd(std::string_view text, std::size_t at) {
  return at >= text.size() || text[at] == '\n' || text[at] == '\r';
}

void skipLineEnd(std::string_view text, std::size_t& at) {
  if (at < text.size() && text[at] == '\r') ++at;
  if (at < text.size() && text[at] == '\n') ++at;
}

/// The cell that begins at `at`, which is moved behind it.
std::optional<CsvCell> strictCell(std::string_view text, std::size_t& at) {
  CsvCell cell;
  if (at >= text.size() || text[at] != '"') {
    const std::size_t end = std::min(text.find_first_of(",\r\n\"", at), text.size());
    if (end < text.size() && text[end] == '"') return std::nullopt;
    cell.text = text.substr(at, end - at);
    at = end;
    return cell;
  }
  cell.isQuoted = true;
  for (++at;; ++at) {
    const std::size_t quote = text.find('"', at);
    if (quote == std::string_view::npos) return std::nullopt;
    cell.text += text.substr(at, quote - at);
    at = quote + 1;
    if (at >= text.size() || text[at] != '"') break;
    cell.text += '"';
  }
  if (at < text.size() && text[at] != ',' && !isLineEnd(text, at)) return std::nullopt;
  return cell;
}

bool isBare(std::string_view cell) {
  return cell.find('"') == std::string_view::npos;
}

/// Ways to take apart what begins at each place of a line, counted up to two: one way is what is wanted.
class LooseLine {
 public:
  LooseLine(std::string_view line, std::size_t cells) : m_line(line), m_cells(cells) {
    for (std::size_t at = 0; at < line.size(); ++at) {
      if (line[at] == ',') m_ends.push_back(at);
    }
    m_ends.push_back(line.size());
  }

  std::optional<CsvRow> read() {
    // With many commas and cells the table grows large; nobody writes such rows.
    constexpr std::size_t kMostSteps = 4'000'000;
    if (m_ends.size() < m_cells || m_ends.size() * m_ends.size() * m_cells > kMostSteps) return std::nullopt;
    countWays();
    if (m_ways[0][0] != 1) return std::nullopt;
    return follow();
  }

 private:
  /// Where the cell begins that ends at or behind m_ends[end].
  std::size_t beginOf(std::size_t piece) const { return piece == 0 ? 0 : m_ends[piece - 1] + 1; }

  bool isCell(std::size_t first, std::size_t last) const {
    const std::string_view cell = m_line.substr(beginOf(first), m_ends[last] - beginOf(first));
    if (cell.size() >= 2 && cell.front() == '"' && cell.back() == '"') return true;
    return first == last && isBare(cell);
  }

  /// m_ways[c][p]: of taking pieces from p on apart into the cells from c on, 2 for more than one.
  void countWays() {
    const std::size_t pieces = m_ends.size();
    m_ways.assign(m_cells + 1, std::vector<unsigned char>(pieces + 1, 0));
    m_ways[m_cells][pieces] = 1;
    for (std::size_t cell = m_cells; cell-- > 0;) {
      for (std::size_t first = 0; first < pieces; ++first) {
        unsigned ways = 0;
        for (std::size_t last = first; last < pieces && ways < 2; ++last) {
          if (m_ways[cell + 1][last + 1] > 0 && isCell(first, last)) ways += m_ways[cell + 1][last + 1];
        }
        m_ways[cell][first] = static_cast<unsigned char>(std::min(ways, 2u));
      }
    }
  }

  CsvRow follow() const {
    CsvRow row;
    std::size_t first = 0;
    for (std::size_t cell = 0; cell < m_cells; ++cell) {
      std::size_t last = first;
      while (m_ways[cell + 1][last + 1] == 0 || !isCell(first, last)) ++last;
      std::string_view text = m_line.substr(beginOf(first), m_ends[last] - beginOf(first));
      const bool isQuoted = text.size() >= 2 && text.front() == '"';
      row.push_back({std::string(isQuoted ? text.substr(1, text.size() - 2) : text), isQuoted});
      first = last + 1;
    }
    return row;
  }

  std::string_view m_line;
  std::size_t m_cells;
  std::vector<std::size_t> m_ends;  ///< places of commas, and the end
  std::vector<std::vector<unsigned char>> m_ways;
};

}  // namespace

std::optional<CsvRow> strictCsvRow(std::string_view text, std::size_t& at) {
  std::size_t next = at;
  CsvRow row;
  for (;;) {
    std::optional<CsvCell> cell = strictCell(text, next);
    if (!cell) return std::nullopt;
    row.push_back(std::move(*cell));
    if (next >= text.size() || text[next] != ',') break;
    ++next;
  }
  skipLineEnd(text, next);
  at = next;
  return row;
}

std::optional<CsvRow> looseCsvRow(std::string_view line, std::size_t cells) {
  return LooseLine(line, cells).read();
}

}  // namespace opscope::report
