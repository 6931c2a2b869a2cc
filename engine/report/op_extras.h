// SPDX-License-Identifier: Apache-2.0
// The further columns of an op table, from the rows of a report. Any thread; pure function.
#pragma once

#include <span>
#include <vector>

#include "engine/report/op_table.h"

namespace opscope::report {

/// `rows[i]` are the report's rows that table row i is made of. Columns by name; a column of mixed kinds is
/// text. Sums, means of ratios and shared texts as aggregateMetric.
std::vector<ExtraColumn> extraColumns(const std::vector<std::span<const MetricMap* const>>& rows);

}  // namespace opscope::report
