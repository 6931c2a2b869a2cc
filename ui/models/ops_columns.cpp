// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/ops_columns.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "engine/report/metrics.h"
#include "ui/models/dispose.h"
#include "ui/models/format.h"
#include "ui/models/op_hash.h"
#include "ui/models/op_matcher.h"

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

struct RowTitle {
  const char* title;
  const char* description;
};

RowTitle rowTitle(report::Grouping grouping) {
  switch (grouping) {
    case report::Grouping::ByKind:
      return {"Kind", "What the ops compute, told from their names"};
    case report::Grouping::ByDevice:
      return {"Device", "Where the calls ran"};
    case report::Grouping::ByShapes:
      return {"Argument Shapes", "Types and shapes of the tensor arguments"};
    case report::Grouping::ByDepth:
      return {"Depth", "Functions of the virtual machine around the call"};
    case report::Grouping::ByStep:
      return {"Step", "The step of the scenario that made the calls"};
    default:
      return {"Name", "The kernel or builtin that was called"};
  }
}

/// A column of a report of another program, or what a collector told: then with its unit.
OpsColumn extraColumn(const report::ExtraColumn& extra, std::size_t index, const report::Run& run) {
  using Type = report::ExtraColumn::Type;
  const QString title = format::fromUtf8(extra.title);
  OpsColumn column{OpsColumn::Kind::Extra,
                   index,
                   QLatin1String("extra:") + title,
                   title,
                   title,
                   QStringLiteral("From the report"),
                   false,
                   extra.type != Type::Text};
  const auto counter = std::ranges::find(run.counters, extra.title, &report::CounterColumn::name);
  // "µs, of all threads": what has no blank in it is a unit for the title, the rest is for the tooltip.
  QStringList words;
  if (counter != run.counters.end()) {
    words = format::fromUtf8(counter->unit).split(QStringLiteral(", "), Qt::SkipEmptyParts);
    column.description = QStringLiteral("Counted in the run");
  }
  QString unit = extra.type == Type::Percent ? QStringLiteral("%") : QString();
  if (extra.type == Type::Duration) unit = QStringLiteral("µs");
  if (!words.isEmpty() && !words.front().contains(QLatin1Char(' '))) {
    if (unit.isEmpty()) unit = words.front();
    words.removeFirst();
  }
  if (!words.isEmpty()) column.description += QStringLiteral(", ") + words.join(QStringLiteral(", "));
  if (unit.isEmpty() || title.endsWith(QLatin1Char(')'))) return column;
  column.title += QStringLiteral(" (%1)").arg(unit);
  column.fileTitle += QStringLiteral(" (%1)").arg(unit == QStringLiteral("µs") ? QStringLiteral("us") : unit);
  return column;
}

std::vector<OpsColumn> makeColumns(const report::OpTable& table, const report::Run& run, bool manyDevices,
                                   OpsWhole whole) {
  const bool range = whole == OpsWhole::Range;
  using Kind = OpsColumn::Kind;
  const bool coarse = report::isCoarse(table.grouping);
  std::vector<OpsColumn> columns;
  const RowTitle row = rowTitle(table.grouping);
  columns.push_back(plainColumn(Kind::Name, "name", row.title, row.title, row.description, true, false));
  columns.push_back(plainColumn(
      Kind::Duration, "duration", "Duration (µs)", "Duration (us)",
      range ? "Own time within the range" : "Own time in one repeat, mean over repeats", true, true));
  columns.push_back(plainColumn(Kind::Percent, "percent", "Percent", "Percent",
                                range ? "Part of the range" : "Part of the total", true, true));
  columns.push_back(plainColumn(Kind::Count, "count", "Count", "Count",
                                range ? "Calls that reach into the range" : "Calls in one repeat", true,
                                true));
  for (std::size_t i = 0; i < report::metricColumns().size(); ++i) columns.push_back(metricColumn(i));
  columns.push_back(plainColumn(Kind::Device, "device", "Device", "Device", "Where the call ran",
                                manyDevices && table.grouping != report::Grouping::ByDevice, false));
  columns.push_back(plainColumn(Kind::OpKind, "kind", "Kind", "Kind",
                                "What the op computes, told from its name", false, false));
  columns.push_back(plainColumn(Kind::Depth, "depth", "Depth", "Depth",
                                "Functions of the virtual machine around the call", false, true));
  if (run.steps.size() > 1 && table.grouping != report::Grouping::ByStep)
    columns.push_back(plainColumn(Kind::Step, "step", "Step", "Step",
                                  "The step of the scenario that made the call; –: several", false, false));
  columns.push_back(
      plainColumn(Kind::Ops, "ops", "Ops", "Ops", "Different names, shapes and devices", coarse, true));
  for (std::size_t i = 0; i < table.extras.size(); ++i)
    columns.push_back(extraColumn(table.extras[i], i, run));
  columns.push_back(plainColumn(Kind::Shapes, "shapes", "Argument Shapes", "Argument Shapes",
                                "Types and shapes of the tensor arguments", !coarse, false));
  return columns;
}

bool isMeanDuration(const report::OpTable& table) {
  constexpr double kEqual = 1e-6;
  for (std::size_t row = 0; row < table.statistics.size(); ++row) {
    const report::Statistics& statistics = table.statistics[row];
    const double us = table.rows[row].durationUs;
    if (statistics.count > 0 && std::abs(statistics.mean - us) > kEqual * us) return false;
  }
  return true;
}

/// Of each coarse row: how many ops it holds, and the longest of them.
void lookInto(OpsData& data) {
  const report::Run& run = *data.document.run;
  for (const report::OpRow& row : data.table.rows) {
    std::unordered_map<OpId, double, OpHash> sums;
    for (const std::uint32_t call : data.table.callsOf(row)) {
      double& sum = sums[opOf(run.calls[call])];
      for (const double ns : report::ownSamples(run, run.calls[call])) sum += ns;
    }
    const auto longest = std::max_element(sums.begin(), sums.end(),
                                          [](const auto& a, const auto& b) { return a.second < b.second; });
    data.opCounts.push_back(sums.size());
    data.longestOps.push_back(longest == sums.end() ? OpId{} : longest->first);
  }
}

}  // namespace

bool isOfFilteredCalls(report::Grouping grouping, const OpFilter& filter) {
  return report::isCoarse(grouping) || (grouping == report::Grouping::ByOp && looksAtCalls(filter));
}

std::shared_ptr<const OpsData> makeOpsData(const report::Document& document, report::Grouping grouping,
                                           OpsWhole whole, const OpFilter& filter) {
  auto data = std::make_unique<OpsData>();
  data->document = document;
  const OpMatcher matcher(*document.run, filter);
  data->isFiltered = isOfFilteredCalls(grouping, filter);
  if (data->isFiltered && !matcher.passesAll()) {
    data->table = report::buildOpTable(document, grouping,
                                       [&](const report::Call& call) { return matcher.passes(call); });
  } else {
    data->table = report::buildOpTable(document, grouping);
  }
  if (report::isCoarse(grouping)) lookInto(*data);
  bool manyDevices = false;
  for (const report::OpRow& row : data->table.rows) {
    data->largestUs = std::max(data->largestUs, row.durationUs);
    manyDevices = manyDevices || row.device != data->table.rows.front().device;
  }
  data->meanIsDuration = isMeanDuration(data->table);
  data->columns = makeColumns(data->table, *document.run, manyDevices, whole);
  return shareLarge(std::move(data));
}

std::shared_ptr<const OpsData> makeMembers(const OpsData& whole, report::Grouping grouping,
                                           std::span<const std::uint32_t> calls) {
  const report::Run& run = *whole.document.run;
  std::vector<bool> taken(run.calls.size());
  for (const std::uint32_t call : calls) taken[call] = true;
  auto data = std::make_unique<OpsData>();
  data->document = whole.document;
  data->table = report::buildOpTable(whole.document, grouping, [&](const report::Call& call) {
    return taken[std::size_t(&call - run.calls.data())];
  });
  data->columns = whole.columns;
  data->isFiltered = whole.isFiltered;
  data->largestUs = whole.largestUs;
  // Columns of the report that none of these calls fills are not there.
  for (OpsColumn& column : data->columns) {
    if (column.kind != OpsColumn::Kind::Extra) continue;
    const auto found = std::ranges::find(data->table.extras, whole.table.extras[column.index].title,
                                         &report::ExtraColumn::title);
    column.index = std::size_t(found - data->table.extras.begin());
  }
  return shareLarge(std::move(data));
}

bool hasKind(report::Grouping grouping) {
  return !report::isCoarse(grouping) || grouping == report::Grouping::ByName ||
         grouping == report::Grouping::ByKind;
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
    case OpsColumn::Kind::Depth:
      return op.depth == report::kNone ? std::nullopt : std::optional<double>(op.depth);
    case OpsColumn::Kind::Ops:
      return row < data.opCounts.size() ? double(data.opCounts[row]) : 1.0;
    case OpsColumn::Kind::Metric:
      if (row >= data.table.statistics.size()) return std::nullopt;
      return report::metricColumns()[column.index].value(data.table.statistics[row]);
    case OpsColumn::Kind::Extra: {
      if (column.index >= data.table.extras.size()) return std::nullopt;
      const auto& numbers = data.table.extras[column.index].numbers;
      return row < numbers.size() ? numbers[row] : std::nullopt;
    }
    default:
      return std::nullopt;
  }
}

namespace {

/// What a row is called: the name of its op, or what its ops share.
std::string_view rowText(const OpsData& data, const report::OpRow& row) {
  switch (data.table.grouping) {
    case report::Grouping::ByKind:
      return report::kindName(row.kind);
    case report::Grouping::ByDevice:
      return report::deviceOf(*data.document.run, row);
    case report::Grouping::ByShapes:
      return report::shapesOf(*data.document.run, row);
    case report::Grouping::ByDepth:
      return {};
    case report::Grouping::ByStep:
      return report::stepOf(*data.document.run, row);
    default:
      return report::nameOf(*data.document.run, row);
  }
}

bool isDepthName(const OpsData& data, const OpsColumn& column) {
  return column.kind == OpsColumn::Kind::Name && data.table.grouping == report::Grouping::ByDepth;
}

}  // namespace

std::string_view textOf(const OpsData& data, std::uint32_t row, const OpsColumn& column) {
  const report::OpRow& op = data.table.rows[row];
  switch (column.kind) {
    case OpsColumn::Kind::Name:
      return rowText(data, op);
    case OpsColumn::Kind::OpKind:
      return hasKind(data.table.grouping) ? report::kindName(op.kind) : std::string_view();
    case OpsColumn::Kind::Device:
      return report::deviceOf(*data.document.run, op);
    case OpsColumn::Kind::Step:
      return report::stepOf(*data.document.run, op);
    case OpsColumn::Kind::Shapes:
      return report::shapesOf(*data.document.run, op);
    case OpsColumn::Kind::Extra: {
      if (column.index >= data.table.extras.size()) return {};
      const auto& texts = data.table.extras[column.index].texts;
      return row < texts.size() ? std::string_view(texts[row]) : std::string_view();
    }
    default:
      return {};
  }
}

QString shownText(const OpsData& data, std::uint32_t row, const OpsColumn& column) {
  if (!column.isNumber) {
    if (isDepthName(data, column)) return QString::number(data.table.rows[row].depth);
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
    case OpsColumn::Kind::Depth:
    case OpsColumn::Kind::Ops:
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
  // A number is there, so its column is, too.
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
  if (isDepthName(data, column)) return QString::number(data.table.rows[row].depth);
  if (!column.isNumber) return format::fromUtf8(textOf(data, row, column));
  const std::optional<double> number = numberOf(data, row, column);
  if (!number) return {};
  const bool part = column.kind == OpsColumn::Kind::Metric &&
                    report::metricColumns()[column.index].unit == report::MetricColumn::Unit::Part;
  return format::plain(part ? *number * 100 : *number);
}

bool isSmall(const report::Run& run) {
  constexpr std::size_t kCalls = 20'000, kSamples = 400'000;
  return run.calls.size() <= kCalls && run.ownNs.size() <= kSamples;
}

}  // namespace opscope::ui
