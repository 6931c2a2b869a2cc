// SPDX-License-Identifier: Apache-2.0
// Rows of a report put together by op, and summed. Any thread; pure functions.
// Behaviour: seed 004, AggregateMetric and the first half of ReportNode::AsTable.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/report/report.h"

namespace opscope::report {

/// One value out of several of one column: sums of Duration, Count and Percent, the mean of Ratio, a text
/// that all share. Differing texts, and values of different kinds, give an empty text. `metrics` is not
/// empty.
Metric aggregateMetric(std::span<const Metric* const> metrics);

/// One row for each op in order of first appearance (TVM's order is a hash map's). The same op: the same Hash
/// (Name where there is none), Argument Shapes and Device.
std::vector<MetricMap> aggregateCalls(const std::vector<MetricMap>& calls);

/// Longest first; rows of equal duration keep their order, rows without a duration come last.
void sortByDuration(std::vector<MetricMap>& rows);

/// Sums of the Count, Duration and Percent columns, with Name "Sum". A column of mixed kinds has no sum,
/// nor has Percent when it is more than 100: then devices worked at the same time.
MetricMap sumColumns(const std::vector<MetricMap>& rows);

/// The columns of `rows` as TVM's table orders them: the six known ones, always, then the others by name.
std::vector<std::string> tableColumns(const std::vector<MetricMap>& rows);

}  // namespace opscope::report
