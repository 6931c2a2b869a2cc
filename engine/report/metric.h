// SPDX-License-Identifier: Apache-2.0
// The five kinds of values in a TVM report. Any thread; plain values.
// Behaviour: seed 004, CountNode, DurationNode, PercentNode, RatioNode and strings.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace opscope::report {

struct Count {
  std::int64_t value = 0;
  bool operator==(const Count&) const = default;
};
struct Duration {
  double microseconds = 0;
  bool operator==(const Duration&) const = default;
};
struct Percent {
  double percent = 0;
  bool operator==(const Percent&) const = default;
};
struct Ratio {
  double ratio = 0;
  bool operator==(const Ratio&) const = default;
};

using Metric = std::variant<Count, Duration, Percent, Ratio, std::string>;

/// Named metrics in the order in which they were put in or read.
class MetricMap {
 public:
  using Entry = std::pair<std::string, Metric>;

  /// Replaces the value of `name` in its place, or appends it.
  void set(std::string_view name, Metric value);
  const Metric* find(std::string_view name) const;
  /// Appends without looking: the caller knows that `name` is not there yet.
  void append(std::string name, Metric value) { m_entries.emplace_back(std::move(name), std::move(value)); }
  void reserve(std::size_t entries) { m_entries.reserve(entries); }
  const std::vector<Entry>& entries() const { return m_entries; }
  bool operator==(const MetricMap&) const = default;

 private:
  std::vector<Entry> m_entries;
};

}  // namespace opscope::report
