// SPDX-License-Identifier: Apache-2.0
// The charts of our HTML pages as inline SVG. Any thread; pure functions. Empty where there is nothing to
// draw.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/report/op_table.h"

namespace opscope::report {

/// Sum over the rows of `table`, in us; what is not finite or negative counts as nothing.
double sumOfRowsUs(const OpTable& table);

/// The largest 14 groups as bars with the running share over them. `order`: rows, the longest first.
std::string paretoChart(const Run& run, const OpTable& table, std::span<const std::uint32_t> order);

/// Totals over the repeats as a line, in the order in which they were measured.
std::string repeatsChart(std::span<const double> totalsUs);

/// How often which total was measured; single dots below 8 of them.
std::string spreadChart(std::span<const double> totalsUs);

}  // namespace opscope::report
