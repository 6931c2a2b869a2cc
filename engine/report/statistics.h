// SPDX-License-Identifier: Apache-2.0
// Numbers that describe a set of samples. Any thread; pure functions; same unit in and out.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace opscope::report {

/// What cannot be told from the number of samples there is, is empty; nothing is ever nan or infinite.
struct Statistics {
  std::size_t count = 0;
  double mean = 0;
  double median = 0;
  double min = 0;
  double max = 0;
  double p5 = 0;
  double p25 = 0;
  double p75 = 0;
  double p95 = 0;
  double p99 = 0;
  std::size_t outliers = 0;    ///< far out, but counted in all the others (modes.h); 0 with fewer than 8
  double medianDeviation = 0;  ///< median of |sample - median|, unscaled (MAD)
  std::optional<double> standardDeviation;  ///< with n - 1; from 2 samples on
  std::optional<double> noise;      ///< standard deviation / mean; from 2 samples and a mean above 0 on
  std::optional<double> medianLow;  ///< 95 % interval of the median; from 6 samples on
  std::optional<double> medianHigh;
};

/// The samples in any order, each finite. No samples: count 0.
Statistics computeStatistics(std::span<const double> samples);

/// The same without a copy: `samples` is put in ascending order.
Statistics computeStatisticsInPlace(std::span<double> samples);

/// The median alone, without sorting it all: `samples`, at least one, change their order.
double medianInPlace(std::span<double> samples);

/// Linear between the two nearest ranks, as numpy's default. `ascending` is not empty, 0 <= part <= 1.
double percentile(std::span<const double> ascending, double part);

/// The largest k (from 1) for which [k-th smallest, k-th largest] holds the median with at least 95 %
/// (binomial); 0 when there is none (fewer than 6 samples).
std::size_t medianIntervalRank(std::size_t count);

}  // namespace opscope::report
