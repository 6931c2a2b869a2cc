// SPDX-License-Identifier: Apache-2.0
// Whether samples in order of time go up or down: a machine that warms up or slows down. Any thread; pure
// functions.
#pragma once

#include <optional>
#include <span>

namespace opscope::report {

struct Trend {
  double change = 0;       ///< from the first sample to the last, as a part of the median: 0.05 is 5 % slower
  double probability = 1;  ///< of a trend as clear as this in samples without any (Mann-Kendall, two-sided)
  double begin = 0;        ///< median of the first quarter of the samples
  double end = 0;          ///< and of the last
  bool isDrift() const;    ///< probability below 0.01 and a change of at least 1 %
};

/// The slope is Theil and Sen's. Long series are looked at as 400 medians of neighbours. Nothing with fewer
/// than 8 samples, or a median that is not above 0.
std::optional<Trend> trendOf(std::span<const double> samples);

}  // namespace opscope::report
