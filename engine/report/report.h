// SPDX-License-Identifier: Apache-2.0
// A report as TVM's: rows of calls, totals by device, configuration. Built once, then immutable and shared
// between threads as shared_ptr<const Report>. Behaviour: seed 004, ReportNode.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/report/metric.h"

namespace opscope::report {

/// Names of the columns that every table shows first, in this order.
inline constexpr std::string_view kName = "Name";
inline constexpr std::string_view kDurationUs = "Duration (us)";
inline constexpr std::string_view kPercent = "Percent";
inline constexpr std::string_view kDevice = "Device";
inline constexpr std::string_view kCount = "Count";
inline constexpr std::string_view kArgumentShapes = "Argument Shapes";

struct Report {
  std::vector<MetricMap> calls;                                  ///< one row a call
  std::vector<std::pair<std::string, MetricMap>> deviceMetrics;  ///< by device name, for example "cpu0"
  MetricMap configuration;
  bool operator==(const Report&) const = default;
};

}  // namespace opscope::report
