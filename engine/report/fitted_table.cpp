// SPDX-License-Identifier: Apache-2.0
#include "engine/report/fitted_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <span>

#include "engine/base/printable.h"
#include "engine/base/text_width.h"
#include "engine/report/aggregate.h"
#include "engine/report/measuring_limit.h"
#include "engine/report/metrics.h"
#include "engine/report/op_table.h"

namespace opscope::report {

namespace {

constexpr std::size_t kGap = 2;  // between columns
constexpr double kNsPerUs = 1e3;
constexpr std::string_view kStatistics[] = {"median", "std"};

// What texts keep at least: so much beside the statistics, and so much beside TVM's own columns.
constexpr std::size_t kEasyName = 36;
constexpr std::size_t kEasyShapes = 24;
constexpr std::size_t kLeastName = 16;
constexpr std::size_t kLeastText = 15;

struct Column {
  enum class Kind { Name, Text, Number };
  Kind kind = Kind::Number;
  std::string title;
  std::vector<std::string> cells;  ///< without the title
  std::size_t needed = 0;          ///< to show everything
  std::size_t width = 0;           ///< what it gets; 0: left out
  bool ours = false;               ///< not a column of TVM's
};

std::string titleOf(const MetricColumn& metric) {
  return fmt::format("{} (us)", metric.title);
}

void setStatistics(MetricMap& row, const Statistics& statistics) {
  for (const std::string_view id : kStatistics) {
    const MetricColumn& metric = *findMetricColumn(id);
    if (const auto value = metric.value(statistics)) {
      row.set(titleOf(metric), cellText(Duration{*value}));
    }
  }
}

/// Statistics of the report's rows in order of first appearance, as aggregateCalls and the report have them.
std::vector<Statistics> statisticsByAppearance(const Document& document, bool aggregate) {
  const OpTable table = buildOpTable(document, aggregate ? Grouping::ByOp : Grouping::EachCall);
  if (table.statistics.empty()) return {};
  std::vector<std::size_t> order(table.rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&table](std::size_t a, std::size_t b) {
    return table.calls[table.rows[a].firstCall] < table.calls[table.rows[b].firstCall];
  });
  std::vector<Statistics> statistics;
  for (const std::size_t row : order) statistics.push_back(table.statistics[row]);
  return statistics;
}

void addTotalStatistics(Report& report, const Run& run) {
  for (auto& [device, metrics] : report.deviceMetrics) {
    for (const DeviceTotal& total : run.totals) {
      if (total.device != device) continue;
      std::vector<double> totalUs;
      for (const double ns : total.totalNs) totalUs.push_back(ns / kNsPerUs);
      setStatistics(metrics, computeStatisticsInPlace(totalUs));
    }
  }
}

/// Times that are too short to measure, in words. Only here: files keep the numbers.
void tellTooShort(const Run& run, std::span<MetricMap> rows) {
  for (MetricMap& row : rows) {
    const auto* duration = std::get_if<Duration>(row.find(kDurationUs));
    const auto* count = std::get_if<Count>(row.find(kCount));
    if (duration == nullptr ||
        !isTooShort(run, duration->microseconds * kNsPerUs, count ? count->value : 1)) {
      continue;
    }
    row.set(kDurationUs, std::string(kTooShort));
    for (const std::string_view id : kStatistics) {
      const std::string title = titleOf(*findMetricColumn(id));
      if (row.find(title) != nullptr) row.set(title, std::string());
    }
  }
}

std::vector<MetricMap> rowsWithStatistics(const Document& document, const TableOptions& options) {
  std::vector<MetricMap> rows = tableOps(*document.report, {false, options.aggregate, options.columnSums});
  const std::vector<Statistics> statistics = statisticsByAppearance(document, options.aggregate);
  Report totals;
  totals.deviceMetrics = document.report->deviceMetrics;
  if (!statistics.empty() && statistics.size() == rows.size()) {
    for (std::size_t i = 0; i < rows.size(); ++i) setStatistics(rows[i], statistics[i]);
    addTotalStatistics(totals, *document.run);
  }
  if (options.sort) sortByDuration(rows);
  const std::size_t opCount = rows.size();
  addSumsAndTotals(rows, totals, options);
  tellTooShort(*document.run, std::span(rows).first(opCount));  // after the sums, which need numbers
  return rows;
}

/// Statistics, a device's name, what is too short: they read well among numbers.
bool isShortText(const Column& column, const Metric& metric) {
  return column.ours || column.title == kDurationUs ||
         (column.title == kDevice && cellText(metric).size() <= kLeastText);
}

/// TVM's order, with the statistics right after the duration.
std::vector<Column> columnsOf(const std::vector<MetricMap>& rows) {
  std::vector<std::string> ours;
  for (const std::string_view id : kStatistics) ours.push_back(titleOf(*findMetricColumn(id)));
  std::vector<std::string> titles = tableColumns(rows);
  const auto firstOurs = std::stable_partition(titles.begin(), titles.end(), [&ours](const auto& title) {
    return std::find(ours.begin(), ours.end(), title) == ours.end();
  });
  std::rotate(std::find(titles.begin(), firstOurs, kPercent), firstOurs, titles.end());

  std::vector<Column> columns;
  for (const std::string& title : titles) {
    Column column;
    column.title = base::printable(title);
    column.needed = base::displayWidth(column.title);
    column.ours = std::find(ours.begin(), ours.end(), title) != ours.end();
    for (const MetricMap& row : rows) {
      const Metric* metric = row.find(title);
      const bool isText = metric != nullptr && std::holds_alternative<std::string>(*metric);
      if (isText && !isShortText(column, *metric)) column.kind = Column::Kind::Text;
      column.cells.push_back(metric != nullptr ? cellText(*metric) : std::string());
      column.needed = std::max(column.needed, base::displayWidth(column.cells.back()));
    }
    columns.push_back(std::move(column));
  }
  columns.front().kind = Column::Kind::Name;
  return columns;
}

/// Gives the columns up to `last` (statistics only when asked for) their widths. False when there is no room.
bool fit(std::vector<Column>& columns, std::size_t last, bool withStatistics, std::size_t leastName,
         std::size_t leastText, std::size_t width) {
  std::size_t used = 0;
  std::vector<Column*> flexible;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    Column& column = columns[i];
    column.width = 0;
    if (i > last || (column.ours && !withStatistics)) continue;
    const std::size_t least = column.kind == Column::Kind::Name ? leastName : leastText;
    column.width = column.kind == Column::Kind::Number ? column.needed : std::min(column.needed, least);
    used += column.width + (i == 0 ? 0 : kGap);
    if (column.width < column.needed) flexible.push_back(&column);
  }
  if (used > width) return false;
  // One column at a time to the text that lacks most of what it has, names counting half more.
  for (std::size_t left = width - used; left > 0 && !flexible.empty(); --left) {
    const auto neediest =
        std::min_element(flexible.begin(), flexible.end(), [](const Column* a, const Column* b) {
          const auto share = [](const Column* column) {
            return column->width * (column->kind == Column::Kind::Name ? 2 : 3);
          };
          return share(a) < share(b);
        });
    if (++(*neediest)->width == (*neediest)->needed) flexible.erase(neediest);
  }
  return true;
}

void fitWithin(std::vector<Column>& columns, std::size_t width) {
  const std::size_t all = columns.size() - 1;
  if (fit(columns, all, true, kEasyName, kEasyShapes, width)) return;
  for (std::size_t last = all; last > 0; --last) {
    if (fit(columns, last, false, kLeastName, kLeastText, width)) return;
    if (columns[last].title == kPercent) break;
  }
  // Too narrow for any table: the three columns that matter, whatever they take.
  const auto percent = std::find_if(columns.begin(), columns.end(),
                                    [](const Column& column) { return column.title == kPercent; });
  fit(columns, static_cast<std::size_t>(percent - columns.begin()), false, kLeastName, kLeastText, SIZE_MAX);
  columns.front().width = std::min(columns.front().needed, kLeastName);
}

std::string shownCell(const Column& column, const std::string& cell) {
  return column.kind == Column::Kind::Name ? base::elideMiddle(cell, column.width)
                                           : base::elideEnd(cell, column.width);
}

/// Texts begin at the left, numbers end at the right; no blanks at the end of a line.
void addLine(std::string& text, const std::vector<Column>& columns, auto cellOf) {
  for (const Column& column : columns) {
    if (column.width == 0) continue;
    const std::string cell = shownCell(column, cellOf(column));
    const std::size_t padding = column.width - std::min(column.width, base::displayWidth(cell));
    const bool atLeft = column.kind != Column::Kind::Number;
    if (&column != &columns.front()) text.append(kGap, ' ');
    if (!atLeft) text.append(padding, ' ');
    text += cell;
    if (atLeft) text.append(padding, ' ');
  }
  text.erase(text.find_last_not_of(' ') + 1);
  text += '\n';
}

}  // namespace

FittedTable toFittedTable(const Document& document, const TableOptions& options, std::size_t width) {
  const std::vector<MetricMap> rows = rowsWithStatistics(document, options);
  std::vector<Column> columns = columnsOf(rows);
  fitWithin(columns, width);
  FittedTable table;
  addLine(table.text, columns, [](const Column& column) { return column.title; });
  for (std::size_t row = 0; row < rows.size(); ++row) {
    addLine(table.text, columns, [row](const Column& column) { return column.cells[row]; });
  }
  for (const Column& column : columns) {
    if (column.width == 0 && !column.ours) table.hidden.push_back(column.title);
    table.shortened = table.shortened || (column.width > 0 && column.width < column.needed);
  }
  return table;
}

}  // namespace opscope::report
