// SPDX-License-Identifier: Apache-2.0
// A comparison as people read it. Any thread; pure functions.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/console.h"
#include "engine/report/comparison_formats.h"

namespace opscope::cli {

/// What differs, the table of ops, and how many of each verdict; within `width` columns where it is set.
std::string compareText(const report::Comparison& comparison, const report::ComparisonContext& context,
                        const Console& console, std::optional<std::size_t> width);

/// "Slower by more than 5 %: the total (+6.1 %), conv2d (+8.0 %) and 3 more.". `failures` is not empty.
std::string failureText(const std::vector<const report::ComparedOp*>& failures, double percent);

}  // namespace opscope::cli
