// SPDX-License-Identifier: Apache-2.0
#include "engine/report/op_extras.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "engine/report/aggregate.h"

namespace opscope::report {

namespace {

constexpr std::array kKnown = {kName, kDurationUs, kPercent, kDevice, kCount, kArgumentShapes};

bool isKnown(std::string_view title) {
  return std::find(kKnown.begin(), kKnown.end(), title) != kKnown.end();
}

/// Whether the row has the known columns and nothing else, in their order, as rows of a run do: looked at
/// before columns are searched for in a million rows.
bool isPlain(const MetricMap& row) {
  const auto& entries = row.entries();
  return entries.size() <= kKnown.size() &&
         std::equal(
             entries.begin(), entries.end(), kKnown.begin(),
             [](const MetricMap::Entry& entry, std::string_view title) { return entry.first == title; });
}

ExtraColumn::Type typeOf(const Metric& metric) {
  static constexpr std::array kTypes = {ExtraColumn::Type::Count, ExtraColumn::Type::Duration,
                                        ExtraColumn::Type::Percent, ExtraColumn::Type::Ratio,
                                        ExtraColumn::Type::Text};
  static_assert(kTypes.size() == std::variant_size_v<Metric>);
  return kTypes[metric.index()];
}

struct ToNumber {
  std::optional<double> operator()(const Count& count) const { return static_cast<double>(count.value); }
  std::optional<double> operator()(const Duration& duration) const { return finite(duration.microseconds); }
  std::optional<double> operator()(const Percent& percent) const { return finite(percent.percent); }
  std::optional<double> operator()(const Ratio& ratio) const { return finite(ratio.ratio); }
  std::optional<double> operator()(const std::string&) const { return std::nullopt; }
  static std::optional<double> finite(double value) {
    return std::isfinite(value) ? std::optional(value) : std::nullopt;
  }
};

struct ToText {
  std::string operator()(const Count& count) const { return fmt::format("{}", count.value); }
  std::string operator()(const std::string& text) const { return text; }
  template <class Real>
  std::string operator()(const Real& real) const {
    const std::optional<double> value = ToNumber()(real);
    return value ? fmt::format("{}", *value) : std::string();
  }
};

using Rows = std::vector<std::span<const MetricMap* const>>;

std::vector<ExtraColumn> findColumns(const Rows& rows) {
  std::map<std::string_view, ExtraColumn::Type> types;
  for (const auto& row : rows) {
    for (const MetricMap* call : row) {
      if (isPlain(*call)) continue;
      for (const auto& [title, metric] : call->entries()) {
        if (isKnown(title)) continue;
        const auto [place, isNew] = types.try_emplace(title, typeOf(metric));
        if (!isNew && place->second != typeOf(metric)) place->second = ExtraColumn::Type::Text;
      }
    }
  }
  std::vector<ExtraColumn> columns;
  for (const auto& [title, type] : types) columns.push_back({std::string(title), type, {}, {}});
  return columns;
}

void fill(ExtraColumn& column, const Rows& rows) {
  const bool isText = column.type == ExtraColumn::Type::Text;
  std::vector<const Metric*> metrics;
  for (const auto& row : rows) {
    metrics.clear();
    for (const MetricMap* call : row) {
      if (const Metric* metric = call->find(column.title)) metrics.push_back(metric);
    }
    if (isText) {
      column.texts.push_back(metrics.empty() ? std::string()
                                             : std::visit(ToText(), aggregateMetric(metrics)));
    } else {
      column.numbers.push_back(metrics.empty() ? std::nullopt
                                               : std::visit(ToNumber(), aggregateMetric(metrics)));
    }
  }
}

}  // namespace

std::vector<ExtraColumn> extraColumns(const Rows& rows) {
  std::vector<ExtraColumn> columns = findColumns(rows);
  for (ExtraColumn& column : columns) fill(column, rows);
  return columns;
}

}  // namespace opscope::report
