// SPDX-License-Identifier: Apache-2.0
#include "engine/report/aggregate.h"

#include <algorithm>
#include <array>
#include <limits>
#include <set>
#include <unordered_map>
#include <unordered_set>

namespace opscope::report {

namespace {

constexpr std::string_view kHash = "Hash";

/// Sums that a hostile file makes too large stay at the limit.
std::int64_t addSaturated(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return a < 0 ? std::numeric_limits<std::int64_t>::min() : std::numeric_limits<std::int64_t>::max();
}

Metric sumOf(const Count& a, const Count& b) {
  return Count{addSaturated(a.value, b.value)};
}
Metric sumOf(const Duration& a, const Duration& b) {
  return Duration{a.microseconds + b.microseconds};
}
Metric sumOf(const Percent& a, const Percent& b) {
  return Percent{a.percent + b.percent};
}
Metric sumOf(const Ratio& a, const Ratio& b) {
  return Ratio{a.ratio + b.ratio};
}
Metric sumOf(const std::string& a, const std::string& b) {
  return a == b ? a : std::string();
}

/// Both hold the same kind.
Metric sumOf(const Metric& a, const Metric& b) {
  return std::visit(
      [&b](const auto& value) { return sumOf(value, std::get<std::decay_t<decltype(value)>>(b)); }, a);
}

std::string_view textOf(const MetricMap& row, std::string_view column) {
  const Metric* metric = row.find(column);
  const std::string* text = metric != nullptr ? std::get_if<std::string>(metric) : nullptr;
  return text != nullptr ? std::string_view(*text) : std::string_view();
}

/// What makes calls the same op. The parts are kept apart so that they cannot run into each other.
std::string opKey(const MetricMap& row) {
  const bool hasHash = row.find(kHash) != nullptr;
  std::string key(textOf(row, hasHash ? kHash : kName));
  for (const std::string_view column : {kArgumentShapes, kDevice}) {
    key += '\0';
    key += textOf(row, column);
  }
  return key;
}

MetricMap aggregateRows(const std::vector<const MetricMap*>& rows) {
  if (rows.size() == 1) return *rows.front();
  std::vector<std::pair<std::string_view, std::vector<const Metric*>>> columns;
  for (const MetricMap* row : rows) {
    for (const auto& [name, metric] : row->entries()) {
      auto column = std::find_if(columns.begin(), columns.end(),
                                 [&name = name](const auto& known) { return known.first == name; });
      if (column == columns.end()) column = columns.insert(column, {name, {}});
      column->second.push_back(&metric);
    }
  }
  MetricMap aggregated;
  for (const auto& [name, metrics] : columns) {
    aggregated.append(std::string(name), aggregateMetric(metrics));
  }
  return aggregated;
}

double sortKey(const MetricMap& row) {
  const Metric* metric = row.find(kDurationUs);
  const Duration* duration = metric != nullptr ? std::get_if<Duration>(metric) : nullptr;
  const bool usable = duration != nullptr && duration->microseconds == duration->microseconds;
  return usable ? duration->microseconds : -std::numeric_limits<double>::infinity();
}

bool summable(const Metric& metric) {
  return std::holds_alternative<Count>(metric) || std::holds_alternative<Duration>(metric) ||
         std::holds_alternative<Percent>(metric);
}

/// Devices that work at the same time have parts of the same whole: their sum is no part of it.
bool isAboveWhole(const Metric& sum) {
  constexpr double kWhole = 100.005;  // rounds to more than 100.00
  const Percent* percent = std::get_if<Percent>(&sum);
  return percent != nullptr && percent->percent > kWhole;
}

}  // namespace

Metric aggregateMetric(std::span<const Metric* const> metrics) {
  Metric sum = *metrics.front();
  for (const Metric* metric : metrics.subspan(1)) {
    if (metric->index() != sum.index()) return std::string();
    sum = sumOf(sum, *metric);
  }
  if (Ratio* ratio = std::get_if<Ratio>(&sum)) ratio->ratio /= static_cast<double>(metrics.size());
  return sum;
}

std::vector<MetricMap> aggregateCalls(const std::vector<MetricMap>& calls) {
  std::unordered_map<std::string, std::size_t> groupOfKey;
  std::vector<std::vector<const MetricMap*>> groups;
  for (const MetricMap& call : calls) {
    const auto [place, isNew] = groupOfKey.try_emplace(opKey(call), groups.size());
    if (isNew) groups.emplace_back();
    groups[place->second].push_back(&call);
  }
  std::vector<MetricMap> rows;
  rows.reserve(groups.size());
  for (const auto& group : groups) rows.push_back(aggregateRows(group));
  return rows;
}

void sortByDuration(std::vector<MetricMap>& rows) {
  std::vector<std::pair<double, std::size_t>> order;
  order.reserve(rows.size());
  for (const MetricMap& row : rows) order.emplace_back(sortKey(row), order.size());
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<MetricMap> sorted;
  sorted.reserve(rows.size());
  for (const auto& [key, index] : order) sorted.push_back(std::move(rows[index]));
  rows = std::move(sorted);
}

MetricMap sumColumns(const std::vector<MetricMap>& rows) {
  std::unordered_map<std::string_view, Metric> sums;
  std::unordered_set<std::string_view> mixed;
  for (const MetricMap& row : rows) {
    for (const auto& [name, metric] : row.entries()) {
      const auto [place, isNew] = sums.try_emplace(name, metric);
      if (isNew) continue;
      if (place->second.index() != metric.index()) {
        mixed.insert(name);
      } else if (summable(metric)) {
        place->second = sumOf(place->second, metric);
      }
    }
  }
  MetricMap result;
  result.append(std::string(kName), std::string("Sum"));
  for (auto& [name, sum] : sums) {
    if (isAboveWhole(sum)) continue;
    if (summable(sum) && !mixed.contains(name) && name != kName) result.append(std::string(name), sum);
  }
  return result;
}

std::vector<std::string> tableColumns(const std::vector<MetricMap>& rows) {
  static constexpr std::array kKnown = {kName, kDurationUs, kPercent, kDevice, kCount, kArgumentShapes};
  std::vector<std::string> columns(kKnown.begin(), kKnown.end());
  std::set<std::string_view> others;
  for (const MetricMap& row : rows) {
    for (const auto& entry : row.entries()) {
      if (std::find(kKnown.begin(), kKnown.end(), entry.first) == kKnown.end()) others.insert(entry.first);
    }
  }
  columns.insert(columns.end(), others.begin(), others.end());
  return columns;
}

}  // namespace opscope::report
