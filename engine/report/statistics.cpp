// SPDX-License-Identifier: Apache-2.0
#include "engine/report/statistics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>

#include "engine/report/modes.h"

namespace opscope::report {

namespace {

/// Median of |sample - median| of ascending samples, by walking outwards from the median: no second sort.
double medianDeviation(std::span<const double> ascending, double median) {
  std::size_t right = static_cast<std::size_t>(std::lower_bound(ascending.begin(), ascending.end(), median) -
                                               ascending.begin());
  std::size_t left = right;
  const std::size_t middle = ascending.size() / 2;
  double previous = 0;
  double current = 0;
  for (std::size_t step = 0; step <= middle; ++step) {
    previous = current;
    const bool hasLeft = left > 0;
    const bool hasRight = right < ascending.size();
    const double below = hasLeft ? median - ascending[left - 1] : 0;
    const double above = hasRight ? ascending[right] - median : 0;
    if (hasRight && (!hasLeft || above <= below)) {
      current = above;
      ++right;
    } else {
      current = below;
      --left;
    }
  }
  return ascending.size() % 2 == 1 ? current : (previous + current) / 2;
}

double standardDeviationOf(std::span<const double> samples, double mean) {
  double squares = 0;
  for (const double sample : samples) squares += (sample - mean) * (sample - mean);
  return std::sqrt(squares / static_cast<double>(samples.size() - 1));
}

/// log of the binomial probability of `successes` out of `count` with 1/2.
double logBinomial(double count, double successes) {
  int sign = 0;
  const double choose = ::lgamma_r(count + 1, &sign) - ::lgamma_r(successes + 1, &sign) -
                        ::lgamma_r(count - successes + 1, &sign);
  return choose - count * std::log(2.0);
}

std::size_t computeRank(std::size_t count) {
  const auto n = static_cast<double>(count);
  // Below 20 standard deviations from the middle nothing adds up to anything.
  const double start = std::max(0.0, std::floor(n / 2 - 10 * std::sqrt(n)));
  double probability = std::exp(logBinomial(n, start));
  double sum = 0;
  for (double k = start;; ++k) {
    sum += probability;
    if (sum > 0.025) return static_cast<std::size_t>(k);
    probability *= (n - k) / (k + 1);
  }
}

/// Few samples are the rule where there are many ops, and the logarithms take longer than all else then.
constexpr std::size_t kKnownRanks = 256;

std::array<std::uint8_t, kKnownRanks> computeRanks() {
  std::array<std::uint8_t, kKnownRanks> ranks{};
  for (std::size_t count = 6; count < ranks.size(); ++count) {
    ranks[count] = static_cast<std::uint8_t>(computeRank(count));
  }
  return ranks;
}

}  // namespace

std::size_t medianIntervalRank(std::size_t count) {
  static const std::array<std::uint8_t, kKnownRanks> ranks = computeRanks();
  return count < ranks.size() ? ranks[count] : computeRank(count);
}

double percentile(std::span<const double> ascending, double part) {
  const double position = part * static_cast<double>(ascending.size() - 1);
  const auto below = std::min(static_cast<std::size_t>(position), ascending.size() - 1);
  const std::size_t above = std::min(below + 1, ascending.size() - 1);
  const double weight = position - static_cast<double>(below);
  return ascending[below] + (ascending[above] - ascending[below]) * weight;
}

double medianInPlace(std::span<double> samples) {
  const auto middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
  std::nth_element(samples.begin(), middle, samples.end());
  if (samples.size() % 2 == 1) return *middle;
  const double below = *std::max_element(samples.begin(), middle);
  return below + (*middle - below) * 0.5;
}

Statistics computeStatisticsInPlace(std::span<double> samples) {
  Statistics result;
  result.count = samples.size();
  if (samples.empty()) return result;
  std::sort(samples.begin(), samples.end());
  const double sum = std::accumulate(samples.begin(), samples.end(), 0.0);
  result.mean = sum / static_cast<double>(samples.size());
  result.median = percentile(samples, 0.5);
  result.min = samples.front();
  result.max = samples.back();
  result.p5 = percentile(samples, 0.05);
  result.p25 = percentile(samples, 0.25);
  result.p75 = percentile(samples, 0.75);
  result.p95 = percentile(samples, 0.95);
  result.p99 = percentile(samples, 0.99);
  result.medianDeviation = medianDeviation(samples, result.median);
  result.outliers = countOutliers(samples);
  if (samples.size() >= 2) {
    const double deviation = standardDeviationOf(samples, result.mean);
    result.standardDeviation = deviation;
    if (result.mean > 0) result.noise = deviation / result.mean;
  }
  if (const std::size_t rank = medianIntervalRank(samples.size()); rank > 0) {
    result.medianLow = samples[rank - 1];
    result.medianHigh = samples[samples.size() - rank];
  }
  return result;
}

Statistics computeStatistics(std::span<const double> samples) {
  std::vector<double> copy(samples.begin(), samples.end());
  return computeStatisticsInPlace(copy);
}

}  // namespace opscope::report
