// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/ops_columns.h"

#include <QCollator>
#include <QRegularExpression>
#include <algorithm>
#include <numeric>

#include "engine/report/metrics.h"
#include "ui/models/dispose.h"
#include "ui/models/format.h"

namespace opscope::ui {
namespace {

OpsColumn metricColumn(std::size_t index) {
  const report::MetricColumn& metric = report::metricColumns()[index];
  const QString title = format::fromUtf8(metric.title);
  const QString id = format::fromUtf8(metric.id);
  OpsColumn column{OpsColumn::Kind::Metric, index, id, title, title, format::fromUtf8(metric.description),
                   metric.shownFirst,       true};
  if (metric.unit == report::MetricColumn::Unit::Microseconds) {
    column.title += QStringLiteral(" (µs)");
    column.fileTitle += QStringLiteral(" (us)");
  } else if (metric.unit == report::MetricColumn::Unit::Part) {
    column.title += QStringLiteral(" (%)");
    column.fileTitle += QStringLiteral(" (%)");
  }
  return column;
}

OpsColumn plainColumn(OpsColumn::Kind kind, const char* id, const char* title, const char* fileTitle,
                      const char* description, bool shown, bool number) {
  return {kind,
          0,
          QString::fromUtf8(id),
          QString::fromUtf8(title),
          QString::fromUtf8(fileTitle),
          QString::fromUtf8(description),
          shown,
          number};
}

std::vector<OpsColumn> makeColumns(const report::OpTable& table, bool manyDevices, OpsWhole whole) {
  const bool range = whole == OpsWhole::Range;
  using Kind = OpsColumn::Kind;
  std::vector<OpsColumn> columns;
  columns.push_back(
      plainColumn(Kind::Name, "name", "Name", "Name", "The kernel or builtin that was called", true, false));
  columns.push_back(plainColumn(
      Kind::Duration, "duration", "Duration (µs)", "Duration (us)",
      range ? "Own time within the range" : "Own time in one repeat, mean over repeats", true, true));
  columns.push_back(plainColumn(Kind::Percent, "percent", "Percent", "Percent",
                                range ? "Part of the range" : "Part of the total", true, true));
  columns.push_back(plainColumn(Kind::Count, "count", "Count", "Count",
                                range ? "Calls that reach into the range" : "Calls in one repeat", true,
                                true));
  for (std::size_t i = 0; i < report::metricColumns().size(); ++i) columns.push_back(metricColumn(i));
  columns.push_back(
      plainColumn(Kind::Device, "device", "Device", "Device", "Where the call ran", manyDevices, false));
  for (std::size_t i = 0; i < table.extras.size(); ++i) {
    const report::ExtraColumn& extra = table.extras[i];
    const QString title = format::fromUtf8(extra.title);
    columns.push_back({Kind::Extra, i, QLatin1String("extra:") + title, title, title,
                       QStringLiteral("From the report"), false,
                       extra.type != report::ExtraColumn::Type::Text});
  }
  columns.push_back(plainColumn(Kind::Shapes, "shapes", "Argument Shapes", "Argument Shapes",
                                "Types and shapes of the tensor arguments", true, false));
  return columns;
}

/// For each text whether it passes; the interned texts are few, the rows may be many.
std::vector<char> matches(const std::vector<std::string>& texts, const OpFilter& filter,
                          const QRegularExpression& expression) {
  std::vector<char> result(texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const QString text = QString::fromStdString(texts[i]);
    result[i] = filter.isRegularExpression ? text.contains(expression)
                                           : text.contains(filter.text, Qt::CaseInsensitive);
  }
  return result;
}

bool hit(const std::vector<char>& matching, std::uint32_t index) {
  return index < matching.size() && matching[index] != 0;
}

std::vector<std::uint32_t> filteredRows(const OpsData& data, const OpFilter& filter) {
  std::vector<std::uint32_t> rows(data.table.rows.size());
  std::iota(rows.begin(), rows.end(), 0U);
  if (filter.isEmpty() || !filterProblem(filter).isEmpty()) return rows;
  const QRegularExpression expression(filter.isRegularExpression ? filter.text : QString(),
                                      QRegularExpression::CaseInsensitiveOption);
  const report::Run& run = *data.document.run;
  const auto names = matches(run.names, filter, expression);
  const auto shapes = matches(run.shapes, filter, expression);
  const auto devices = matches(run.devices, filter, expression);
  std::erase_if(rows, [&](std::uint32_t row) {
    const report::OpRow& op = data.table.rows[row];
    return !hit(names, op.name) && !hit(shapes, op.shapes) && !hit(devices, op.device);
  });
  return rows;
}

/// Ranks of texts in natural order ("conv2d9" before "conv2d12"), so that rows compare integers.
std::vector<std::uint32_t> ranksOf(const std::vector<std::string>& texts) {
  QCollator collator(QLocale::c());
  collator.setNumericMode(true);
  collator.setCaseSensitivity(Qt::CaseInsensitive);
  std::vector<QString> decoded;
  decoded.reserve(texts.size());
  for (const std::string& text : texts) decoded.push_back(QString::fromStdString(text));
  std::vector<std::uint32_t> order(texts.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) {
    const int compared = collator.compare(decoded[a], decoded[b]);
    return compared != 0 ? compared < 0 : decoded[a] < decoded[b];
  });
  std::vector<std::uint32_t> ranks(texts.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) ranks[order[i]] = i;
  return ranks;
}

std::optional<double> textKey(const OpsData& data, const std::vector<std::uint32_t>& ranks, std::uint32_t row,
                              OpsColumn::Kind kind) {
  const report::OpRow& op = data.table.rows[row];
  const std::uint32_t index = kind == OpsColumn::Kind::Name     ? op.name
                              : kind == OpsColumn::Kind::Shapes ? op.shapes
                                                                : op.device;
  if (index >= ranks.size()) return std::nullopt;
  return double(ranks[index]);
}

std::vector<std::optional<double>> sortKeys(const OpsData& data, const OpsColumn& column) {
  std::vector<std::optional<double>> keys(data.table.rows.size());
  std::vector<std::uint32_t> ranks;
  const report::Run& run = *data.document.run;
  if (column.kind == OpsColumn::Kind::Name) ranks = ranksOf(run.names);
  if (column.kind == OpsColumn::Kind::Shapes) ranks = ranksOf(run.shapes);
  if (column.kind == OpsColumn::Kind::Device) ranks = ranksOf(run.devices);
  if (column.kind == OpsColumn::Kind::Extra && !column.isNumber) {
    ranks = ranksOf(data.table.extras[column.index].texts);
  }
  for (std::uint32_t row = 0; row < keys.size(); ++row) {
    if (column.isNumber) {
      keys[row] = numberOf(data, row, column);
    } else if (column.kind == OpsColumn::Kind::Extra) {
      keys[row] = double(ranks[row]);
    } else {
      keys[row] = textKey(data, ranks, row, column.kind);
    }
  }
  return keys;
}

}  // namespace

std::shared_ptr<const OpsData> makeOpsData(const report::Document& document, report::Grouping grouping,
                                           OpsWhole whole) {
  auto data = std::make_unique<OpsData>();
  data->document = document;
  data->table = report::buildOpTable(document, grouping);
  bool manyDevices = false;
  for (const report::OpRow& row : data->table.rows) {
    data->largestUs = std::max(data->largestUs, row.durationUs);
    manyDevices = manyDevices || row.device != data->table.rows.front().device;
  }
  data->columns = makeColumns(data->table, manyDevices, whole);
  return shareLarge(std::move(data));
}

std::optional<double> numberOf(const OpsData& data, std::uint32_t row, const OpsColumn& column) {
  const report::OpRow& op = data.table.rows[row];
  switch (column.kind) {
    case OpsColumn::Kind::Duration:
      return op.durationUs;
    case OpsColumn::Kind::Percent:
      return op.percent;
    case OpsColumn::Kind::Count:
      return double(op.count);
    case OpsColumn::Kind::Metric:
      if (row >= data.table.statistics.size()) return std::nullopt;
      return report::metricColumns()[column.index].value(data.table.statistics[row]);
    case OpsColumn::Kind::Extra: {
      const auto& numbers = data.table.extras[column.index].numbers;
      return row < numbers.size() ? numbers[row] : std::nullopt;
    }
    default:
      return std::nullopt;
  }
}

std::string_view textOf(const OpsData& data, std::uint32_t row, const OpsColumn& column) {
  const report::OpRow& op = data.table.rows[row];
  switch (column.kind) {
    case OpsColumn::Kind::Name:
      return report::nameOf(*data.document.run, op);
    case OpsColumn::Kind::Device:
      return report::deviceOf(*data.document.run, op);
    case OpsColumn::Kind::Shapes:
      return report::shapesOf(*data.document.run, op);
    case OpsColumn::Kind::Extra: {
      const auto& texts = data.table.extras[column.index].texts;
      return row < texts.size() ? std::string_view(texts[row]) : std::string_view();
    }
    default:
      return {};
  }
}

QString shownText(const OpsData& data, std::uint32_t row, const OpsColumn& column) {
  if (!column.isNumber) {
    const std::string_view text = textOf(data, row, column);
    return text.empty() ? format::missing() : format::fromUtf8(text);
  }
  const std::optional<double> number = numberOf(data, row, column);
  if (!number) return format::missing();
  switch (column.kind) {
    case OpsColumn::Kind::Duration:
      return format::microseconds(*number);
    case OpsColumn::Kind::Percent:
      return format::percent(*number);
    case OpsColumn::Kind::Count:
      return format::integer(std::int64_t(*number));
    case OpsColumn::Kind::Metric: {
      const auto unit = report::metricColumns()[column.index].unit;
      if (unit == report::MetricColumn::Unit::Part) return format::fixed(*number * 100, 1);
      if (unit == report::MetricColumn::Unit::Samples) return format::integer(std::int64_t(*number));
      return format::microseconds(number);
    }
    default:
      break;
  }
  switch (data.table.extras[column.index].type) {
    case report::ExtraColumn::Type::Count:
      return format::integer(std::int64_t(*number));
    case report::ExtraColumn::Type::Duration:
      return format::microseconds(number);
    case report::ExtraColumn::Type::Percent:
      return format::percent(*number);
    default:
      return format::fixed(*number, 2);
  }
}

QString plainText(const OpsData& data, std::uint32_t row, const OpsColumn& column) {
  if (!column.isNumber) return format::fromUtf8(textOf(data, row, column));
  const std::optional<double> number = numberOf(data, row, column);
  if (!number) return {};
  const bool part = column.kind == OpsColumn::Kind::Metric &&
                    report::metricColumns()[column.index].unit == report::MetricColumn::Unit::Part;
  return format::plain(part ? *number * 100 : *number);
}

std::vector<std::uint32_t> orderRows(const OpsData& data, const OpFilter& filter, int column,
                                     Qt::SortOrder order) {
  std::vector<std::uint32_t> rows = filteredRows(data, filter);
  if (column < 0 || std::size_t(column) >= data.columns.size()) return rows;
  const auto keys = sortKeys(data, data.columns[std::size_t(column)]);
  const bool ascending = order == Qt::AscendingOrder;
  std::stable_sort(rows.begin(), rows.end(), [&](std::uint32_t a, std::uint32_t b) {
    const auto& left = keys[a];
    const auto& right = keys[b];
    if (left.has_value() != right.has_value()) return left.has_value();
    if (!left || *left == *right) return false;
    return ascending ? *left < *right : *left > *right;
  });
  return rows;
}

QString filterProblem(const OpFilter& filter) {
  if (!filter.isRegularExpression) return {};
  const QRegularExpression expression(filter.text);
  if (expression.isValid()) return {};
  return QStringLiteral("Not a regular expression: %1 at character %2")
      .arg(expression.errorString())
      .arg(expression.patternErrorOffset() + 1);
}

}  // namespace opscope::ui
