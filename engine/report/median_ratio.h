// SPDX-License-Identifier: Apache-2.0
// How much larger the median of one set of samples is than that of another, with a bootstrap interval. Any
// thread; pure functions; the same numbers on every platform for the same seed.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace opscope::report {

struct MedianRatio {
  std::optional<double> ratio;  ///< median of b / median of a; empty when a's is 0 or a set is empty
  std::optional<double> low;    ///< 95 % interval, percentiles of resampled ratios; from 2 samples each on,
  std::optional<double> high;   ///< and where no resampled median of a is 0
};

/// Both in ascending order, finite, not negative.
MedianRatio medianRatio(std::span<const double> a, std::span<const double> b, std::uint64_t seed);

}  // namespace opscope::report
