// SPDX-License-Identifier: Apache-2.0
// What the shape of a set of samples tells: two modes, values far out. Definitions in docs/statistics.md. Any
// thread; pure functions.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace opscope::report {

/// Hartigan and Hartigan's dip: the largest distance of the empirical distribution from the nearest one with
/// one mode, 1 / (2 n) to 1/4. `ascending` is not empty. 0 when all samples are equal (one point is one
/// mode).
double dipOf(std::span<const double> ascending);

/// The dip that samples of a uniform distribution exceed in 1 % of all cases (no distribution with one mode
/// does so more often for large n). From 20 samples on.
double criticalDip(std::size_t count);

struct TwoModes {
  double low = 0;      ///< median of the samples around the lower mode
  double high = 0;     ///< of those around the higher one
  double lowPart = 0;  ///< share of the lower mode, 0 to 1
  double dip = 0;
};

/// Two modes: from 20 samples on, a dip above the critical one, medians at least 2 % apart, and each mode
/// with at least a tenth of the samples. `ascending` holds finite samples.
std::optional<TwoModes> findTwoModes(std::span<const double> ascending);

/// Samples more than 3 interquartile ranges outside of the quartiles, and at least 5 % from the median. 0 for
/// fewer than 8 samples. They are counted, never dropped.
std::size_t countOutliers(std::span<const double> ascending);

}  // namespace opscope::report
