// SPDX-License-Identifier: Apache-2.0
// The table as text. Any thread; pure functions. Behaviour: seed 004, ReportNode::AsTable, in the C locale.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/report/report.h"

namespace opscope::report {

/// TVM's own defaults.
struct TableOptions {
  bool sort = true;        ///< longest first
  bool aggregate = true;   ///< one row for each op
  bool columnSums = true;  ///< a line and a row "Sum" below the ops
};

/// Byte for byte TVM's table, except that widths count characters (each code point is one column wide) and
/// that control characters in texts are shown as escapes, so that a row stays one line. A value that is not
/// finite leaves its cell empty.
std::string toTable(const Report& report, const TableOptions& options = {});

/// The rows of ops of that table, put together and sorted as `options` say.
std::vector<MetricMap> tableOps(const Report& report, const TableOptions& options = {});

/// Adds what stands below the ops: "----------" and "Sum", and a "Total" for each device.
void addSumsAndTotals(std::vector<MetricMap>& rows, const Report& report, const TableOptions& options = {});

/// A cell as that table writes it.
std::string cellText(const Metric& metric);

}  // namespace opscope::report
