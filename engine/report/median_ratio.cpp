// SPDX-License-Identifier: Apache-2.0
#include "engine/report/median_ratio.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "engine/report/draws.h"
#include "engine/report/statistics.h"

namespace opscope::report {

namespace {

constexpr std::size_t kResamples = 1000;
constexpr std::size_t kMostDrawnOneByOne = 200;

/// Medians of samples drawn with replacement from one set.
class Resampler {
 public:
  Resampler(std::span<const double> ascending, Draws& draws)
      : m_samples(ascending), m_draws(draws), m_times(ascending.size()) {}

  double median() { return m_samples.size() <= kMostDrawnOneByOne ? drawnMedian() : likelyMedian(); }

 private:
  /// Counts how often each sample is drawn; walking along the counts finds the middle without sorting.
  double drawnMedian() {
    const std::size_t count = m_samples.size();
    std::fill(m_times.begin(), m_times.end(), 0u);
    for (std::size_t i = 0; i < count; ++i) ++m_times[m_draws.below(count)];
    std::size_t seen = 0;
    std::size_t at = 0;
    const auto sampleAt = [&](std::size_t rank) {
      while (seen + m_times[at] <= rank) seen += m_times[at++];
      return m_samples[at];
    };
    const double lower = sampleAt((count - 1) / 2);
    const double upper = sampleAt(count / 2);
    return lower + (upper - lower) / 2;
  }

  /// Of many samples the place of the resampled median is close to normal around the middle, with deviation
  /// sqrt(n) / 2.
  double likelyMedian() {
    const auto count = static_cast<double>(m_samples.size());
    const double place = count / 2 + m_draws.nearlyNormal() * std::sqrt(count) / 2;
    return m_samples[static_cast<std::size_t>(std::clamp(place, 0.0, count - 1))];
  }

  std::span<const double> m_samples;
  Draws& m_draws;
  std::vector<std::uint32_t> m_times;
};

std::optional<double> quotient(double b, double a) {
  const double ratio = a > 0 ? b / a : std::numeric_limits<double>::infinity();
  return std::isfinite(ratio) ? std::optional(ratio) : std::nullopt;
}

}  // namespace

MedianRatio medianRatio(std::span<const double> a, std::span<const double> b, std::uint64_t seed) {
  MedianRatio result;
  if (a.empty() || b.empty()) return result;
  result.ratio = quotient(percentile(b, 0.5), percentile(a, 0.5));
  if (!result.ratio || a.size() < 2 || b.size() < 2) return result;
  Draws draws(seed);
  Resampler ofA(a, draws);
  Resampler ofB(b, draws);
  std::vector<double> ratios;
  ratios.reserve(kResamples);
  for (std::size_t i = 0; i < kResamples; ++i) {
    const double medianA = ofA.median();
    const auto ratio = quotient(ofB.median(), medianA);
    if (!ratio) return result;
    ratios.push_back(*ratio);
  }
  std::sort(ratios.begin(), ratios.end());
  result.low = std::min(percentile(ratios, 0.025), *result.ratio);
  result.high = std::max(percentile(ratios, 0.975), *result.ratio);
  return result;
}

}  // namespace opscope::report
