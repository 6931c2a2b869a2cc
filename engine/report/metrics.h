// SPDX-License-Identifier: Apache-2.0
// The visible list of statistics that an op has over its repeats: a new one is one line in metrics.cpp. Any
// thread; constant data.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "engine/report/statistics.h"

namespace opscope::report {

struct MetricColumn {
  enum class Unit { Microseconds, Part, Samples };
  std::string_view id;     ///< stable, for settings and JSON: "median"
  std::string_view title;  ///< "Median"; the unit is told beside it
  Unit unit = Unit::Microseconds;
  std::string_view description;  ///< one sentence, for a tooltip
  bool shownFirst = false;       ///< among the columns that a table shows without being asked
  std::optional<double> (*value)(const Statistics&) = nullptr;
};

std::span<const MetricColumn> metricColumns();

/// Null when there is no such id.
const MetricColumn* findMetricColumn(std::string_view id);

}  // namespace opscope::report
