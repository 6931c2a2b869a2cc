// SPDX-License-Identifier: Apache-2.0
#include "engine/report/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/base/printable.h"
#include "engine/report/aggregate.h"

namespace opscope::report {

namespace {

std::string number(fmt::format_string<double&> format, double value) {
  return std::isfinite(value) ? fmt::format(format, value) : std::string();
}

struct CellText {
  std::string operator()(const Count& count) const { return fmt::format("{}", count.value); }
  std::string operator()(const Duration& duration) const { return number("{:.2f}", duration.microseconds); }
  std::string operator()(const Percent& percent) const { return number("{:.2f}", percent.percent); }
  std::string operator()(const Ratio& ratio) const { return number("{:.2g}", ratio.ratio); }
  std::string operator()(const std::string& text) const { return base::printable(text); }
};

/// Characters of UTF-8 text: all bytes but continuations.
std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; }));
}

struct TextColumn {
  std::vector<std::string> cells;
  std::size_t width = 0;

  void add(std::string cell) {
    width = std::max(width, characters(cell));
    cells.push_back(std::move(cell));
  }
};

std::vector<TextColumn> textColumns(const std::vector<MetricMap>& rows) {
  std::vector<TextColumn> columns;
  for (const std::string& title : tableColumns(rows)) {
    TextColumn column;
    column.cells.reserve(rows.size() + 1);
    column.add(base::printable(title));
    for (const MetricMap& row : rows) {
      const Metric* metric = row.find(title);
      column.add(metric != nullptr ? cellText(*metric) : std::string());
    }
    columns.push_back(std::move(column));
  }
  return columns;
}

}  // namespace

std::string cellText(const Metric& metric) {
  return std::visit(CellText(), metric);
}

std::vector<MetricMap> tableOps(const Report& report, const TableOptions& options) {
  std::vector<MetricMap> rows = options.aggregate ? aggregateCalls(report.calls) : report.calls;
  if (options.sort) sortByDuration(rows);
  return rows;
}

void addSumsAndTotals(std::vector<MetricMap>& rows, const Report& report, const TableOptions& options) {
  if (options.columnSums) {
    MetricMap sums = sumColumns(rows);
    MetricMap line;
    line.set(kName, std::string(10, '-'));
    rows.push_back(std::move(line));
    rows.push_back(std::move(sums));
  }
  for (const auto& [device, metrics] : report.deviceMetrics) {
    MetricMap total = metrics;
    total.set(kName, std::string("Total"));
    rows.push_back(std::move(total));
  }
}

std::string toTable(const Report& report, const TableOptions& options) {
  std::vector<MetricMap> rows = tableOps(report, options);
  addSumsAndTotals(rows, report, options);
  const std::vector<TextColumn> columns = textColumns(rows);
  std::string text;
  for (std::size_t row = 0; row < columns.front().cells.size(); ++row) {
    for (const TextColumn& column : columns) {
      const std::string& cell = column.cells[row];
      const std::size_t padding = column.width - characters(cell);
      const bool leftAligned = &column == &columns.front();
      if (!leftAligned) text.append(padding, ' ');
      text += cell;
      if (leftAligned) text.append(padding, ' ');
      text += "  ";
    }
    text += '\n';
  }
  text += "\nConfiguration\n-------------\n";
  for (const auto& [name, metric] : report.configuration.entries()) {
    text += fmt::format("{}: {}\n", base::printable(name), cellText(metric));
  }
  return text;
}

}  // namespace opscope::report
