// SPDX-License-Identifier: Apache-2.0
// A comparison as files for programs: JSON, JUnit's XML for CI systems, Markdown for pull requests. Any
// thread; pure functions.
#pragma once

#include <optional>
#include <string>

#include "engine/report/comparison.h"

namespace opscope::report {

/// What a comparison does not know itself.
struct ComparisonContext {
  std::string sourceA;  ///< what A was read from: "before.json", "run:3"
  std::string sourceB;
  std::optional<double> failAbovePercent;  ///< failsAbove is a failure
};

/// Schema "opscope.compare/1". Times are in us; what is not known is null.
std::string toComparisonJson(const Comparison& comparison, const ComparisonContext& context);

/// One test case for the total and each op. Without failAbovePercent every slower one fails; what is too
/// noisy or has no counterpart counts as skipped.
std::string toJUnit(const Comparison& comparison, const ComparisonContext& context);

/// A headline, the ops that changed, and the rest folded. GitHub's and GitLab's Markdown show it the same
/// way.
std::string toMarkdown(const Comparison& comparison, const ComparisonContext& context);

/// Whether this op counts as a failure in those files.
bool isFailure(const ComparedOp& op, const ComparisonContext& context);

}  // namespace opscope::report
