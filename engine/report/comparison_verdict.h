// SPDX-License-Identifier: Apache-2.0
// How the verdicts of a comparison come about. For sources of this module. One thread an object.
#pragma once

#include <span>
#include <vector>

#include "engine/report/comparison.h"
#include "engine/report/mann_whitney.h"

namespace opscope::report {

/// Fewer repeats than this on either side say nothing.
inline constexpr std::size_t kLeastRepeats = 5;
/// Of all verdicts of one comparison together.
inline constexpr double kLevel = 0.05;

class Verdicts {
 public:
  /// Fills ratio, interval and p of an op that both runs have. Samples ascending, in us. `tooShort`: the
  /// calls of both are too short to measure.
  void measure(ComparedOp& op, std::span<const double> a, std::span<const double> b,
               const CompareOptions& options, bool tooShort);

  /// Of an op of groups, once it is measured: what the medians of their runs say, where it is less sure.
  void measureRuns(ComparedOp& op) const;

  /// Of an op without samples: the ratio of its values and the verdict.
  void compareValues(ComparedOp& op) const;

  /// The verdict of each op that was measured, once all are: Holm looks at all of them.
  void decide(Comparison& comparison) const;

 private:
  MannWhitney m_test;
};

}  // namespace opscope::report
