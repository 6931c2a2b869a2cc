// SPDX-License-Identifier: Apache-2.0
#include "engine/report/csv_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <unordered_set>
#include <vector>

#include "engine/base/text_encoding.h"
#include "engine/report/csv_rows.h"

namespace opscope::report {

namespace {

using base::Error;
using base::ErrorCode;
using base::Result;

enum class Kind { Text, Count, Duration, Percent, Ratio };

/// What TVM gives to columns that readers rely on.
std::optional<Kind> kindOfKnown(std::string_view title) {
  if (title == kDurationUs) return Kind::Duration;
  if (title == kPercent) return Kind::Percent;
  if (title == kCount) return Kind::Count;
  const bool isText = title == kName || title == kDevice || title == kArgumentShapes || title == "Hash";
  return isText ? std::optional(Kind::Text) : std::nullopt;
}

std::optional<double> numberOf(std::string_view text) {
  double value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool isWhole = parsed.ec == std::errc() && parsed.ptr == text.data() + text.size();
  return isWhole && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

std::optional<std::int64_t> integerOf(std::string_view text) {
  std::int64_t value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool isWhole = parsed.ec == std::errc() && parsed.ptr == text.data() + text.size();
  return isWhole ? std::optional(value) : std::nullopt;
}

struct Row {
  std::size_t line = 0;  ///< in the file, from 1
  CsvRow cells;
};

class CsvReader {
 public:
  CsvReader(std::string_view text, std::string_view file) : m_text(text), m_file(file) {}

  Result<CsvReport> read() {
    OPSCOPE_TRY(readTitles());
    while (m_at < m_text.size()) OPSCOPE_TRY(readRow());
    CsvReport result;
    result.mendedRows = m_mended;
    std::vector<Kind> kinds;
    for (std::size_t column = 0; column < m_titles.size(); ++column) kinds.push_back(kindOf(column));
    for (const Row& row : m_rows) {
      OPSCOPE_TRY_ASSIGN(MetricMap call, callOf(row, kinds));
      result.report.calls.push_back(std::move(call));
    }
    return result;
  }

 private:
  Error error(std::string_view where, std::string found, std::string_view expected) const {
    return {ErrorCode::Format, fmt::format("{} is not a report in CSV: {} is wrong", m_file, where),
            fmt::format("Found {}, expected {}.", found, expected), ""};
  }

  static std::string lineName(std::size_t line) { return fmt::format("line {}", line); }

  Result<> readTitles() {
    const std::size_t begin = m_at;
    const auto titles = strictCsvRow(m_text, m_at);
    if (!titles) return error("line 1", "quotes out of place", "titles of columns, parted by commas");
    std::unordered_set<std::string> seen;
    for (const CsvCell& cell : *titles) {
      if (!seen.insert(cell.text).second) {
        return error("line 1", fmt::format("the title \"{}\" twice", cell.text), "each title once");
      }
      m_titles.push_back(cell.text);
    }
    countLines(begin);
    return {};
  }

  void countLines(std::size_t from) {
    m_line += static_cast<std::size_t>(std::count(m_text.begin() + static_cast<std::ptrdiff_t>(from),
                                                  m_text.begin() + static_cast<std::ptrdiff_t>(m_at), '\n'));
  }

  Result<> readRow() {
    const std::size_t begin = m_at;
    const std::size_t lineEnd = std::min(m_text.find('\n', begin), m_text.size());
    std::string_view line = m_text.substr(begin, lineEnd - begin);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty() && m_titles.size() > 1) {  // at the end, or of calls without any column
      m_at = std::min(lineEnd + 1, m_text.size());
      ++m_line;
      return {};
    }
    auto cells = strictCsvRow(m_text, m_at);
    if (!cells || !fits(*cells)) {
      m_at = std::min(lineEnd + 1, m_text.size());
      const std::size_t found = cells ? cells->size() : 0;
      cells = looseCsvRow(line, m_titles.size());
      if (!cells || !fits(*cells)) {
        return wrongRow(found, lineEnd == m_text.size());
      }
      ++m_mended;
    }
    m_rows.push_back({m_line, std::move(*cells)});
    countLines(begin);
    return {};
  }

  Error wrongRow(std::size_t cells, bool isLastLine) const {
    Error wrong = cells > 0 && cells != m_titles.size()
                      ? error(lineName(m_line), fmt::format("{} cells", cells),
                              fmt::format("{}, as there are titles", m_titles.size()))
                      : error(lineName(m_line), "quotes out of place, or text where a number belongs",
                              "a row that can be taken apart in one way");
    if (isLastLine) wrong.hint = "The file ends within this line: it is cut off. Write it or copy it again.";
    return wrong;
  }

  /// Whether each cell could stand in its column.
  bool fits(const CsvRow& cells) const {
    if (cells.size() != m_titles.size()) return false;
    for (std::size_t column = 0; column < cells.size(); ++column) {
      const auto known = kindOfKnown(m_titles[column]);
      const CsvCell& cell = cells[column];
      if (known && *known != Kind::Text && !cell.text.empty() && !numberOf(cell.text)) return false;
    }
    return true;
  }

  Kind kindOf(std::size_t column) const {
    if (const auto known = kindOfKnown(m_titles[column])) return *known;
    bool areWhole = true;
    for (const Row& row : m_rows) {
      const CsvCell& cell = row.cells[column];
      if (cell.isQuoted) return Kind::Text;
      if (cell.text.empty()) continue;
      if (!numberOf(cell.text)) return Kind::Text;
      areWhole = areWhole && integerOf(cell.text).has_value();
    }
    return areWhole ? Kind::Count : Kind::Ratio;
  }

  Result<MetricMap> callOf(const Row& row, const std::vector<Kind>& kinds) const {
    MetricMap call;
    for (std::size_t column = 0; column < kinds.size(); ++column) {
      const CsvCell& cell = row.cells[column];
      if (cell.text.empty() && !cell.isQuoted) continue;
      if (kinds[column] == Kind::Text) {
        call.append(m_titles[column], cell.text);
        continue;
      }
      const auto number = numberOf(cell.text);
      const auto whole = integerOf(cell.text);
      if (!number || (kinds[column] == Kind::Count && !whole)) {
        return error(fmt::format("{} of {}", m_titles[column], lineName(row.line)),
                     fmt::format("\"{}\"", cell.text.substr(0, 40)),
                     kinds[column] == Kind::Count ? "a whole number" : "a number");
      }
      call.append(m_titles[column], metricOf(kinds[column], *number, whole.value_or(0)));
    }
    return call;
  }

  static Metric metricOf(Kind kind, double number, std::int64_t whole) {
    switch (kind) {
      case Kind::Count:
        return Count{whole};
      case Kind::Duration:
        return Duration{number};
      case Kind::Percent:
        return Percent{number};
      default:
        return Ratio{number};
    }
  }

  std::string_view m_text;
  std::string_view m_file;
  std::size_t m_at = 0;
  std::size_t m_line = 1;
  std::size_t m_mended = 0;
  std::vector<std::string> m_titles;
  std::vector<Row> m_rows;
};

}  // namespace

bool looksLikeCsvReport(std::string_view text) {
  constexpr std::size_t kLongestLine = 65536;
  std::string_view line = text.substr(0, std::min(text.find('\n'), kLongestLine));
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (line.starts_with(kByteOrderMark)) line.remove_prefix(kByteOrderMark.size());
  std::size_t at = 0;
  const auto titles = strictCsvRow(line, at);
  if (!titles) return false;
  const auto has = [&titles](std::string_view title) {
    return std::ranges::find(*titles, title, &CsvCell::text) != titles->end();
  };
  return has(kName) && (has(kDurationUs) || has(kCount));
}

Result<CsvReport> reportFromCsv(std::string_view text, std::string_view fileForMessages) {
  OPSCOPE_TRY_ASSIGN(text, base::utf8Text(text, fileForMessages));
  return CsvReader(text, fileForMessages).read();
}

}  // namespace opscope::report
