// SPDX-License-Identifier: Apache-2.0
#include "engine/report/trend.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

namespace opscope::report {

namespace {

constexpr std::size_t kFewest = 8;
constexpr std::size_t kMost = 400;  // pairs grow with the square

/// Without sorting all: there are 80,000 slopes in a long series.
double medianOf(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  const double lower = *std::max_element(values.begin(), middle);
  return lower + (*middle - lower) / 2;
}

std::vector<double> shortened(std::span<const double> samples) {
  if (samples.size() <= kMost) return {samples.begin(), samples.end()};
  std::vector<double> medians;
  for (std::size_t block = 0; block < kMost; ++block) {
    const std::size_t begin = block * samples.size() / kMost;
    const std::size_t end = (block + 1) * samples.size() / kMost;
    medians.push_back(medianOf({samples.begin() + static_cast<std::ptrdiff_t>(begin),
                                samples.begin() + static_cast<std::ptrdiff_t>(end)}));
  }
  return medians;
}

/// Of Kendall's S without a trend; equal values make it smaller.
double varianceOf(const std::vector<double>& values) {
  const auto part = [](double n) { return n * (n - 1) * (2 * n + 5); };
  std::map<double, double> counts;
  for (const double value : values) ++counts[value];
  double variance = part(static_cast<double>(values.size()));
  for (const auto& [value, count] : counts) variance -= part(count);
  return variance / 18;
}

}  // namespace

bool Trend::isDrift() const {
  constexpr double kClear = 0.01;
  constexpr double kLarge = 0.01;
  return probability < kClear && std::abs(change) >= kLarge;
}

std::optional<Trend> trendOf(std::span<const double> samples) {
  if (samples.size() < kFewest) return std::nullopt;
  const std::vector<double> values = shortened(samples);
  const double median = medianOf(values);
  if (!(median > 0)) return std::nullopt;
  double score = 0;
  std::vector<double> slopes;
  slopes.reserve(values.size() * (values.size() - 1) / 2);
  for (std::size_t later = 1; later < values.size(); ++later) {
    for (std::size_t earlier = 0; earlier < later; ++earlier) {
      const double difference = values[later] - values[earlier];
      score += difference > 0 ? 1 : difference < 0 ? -1 : 0;
      slopes.push_back(difference / static_cast<double>(later - earlier));
    }
  }
  Trend trend;
  trend.change = medianOf(std::move(slopes)) * static_cast<double>(values.size() - 1) / median;
  const std::ptrdiff_t quarter = static_cast<std::ptrdiff_t>(values.size() / 4);
  trend.begin = medianOf({values.begin(), values.begin() + quarter});
  trend.end = medianOf({values.end() - quarter, values.end()});
  const double variance = varianceOf(values);
  if (variance > 0 && score != 0) {
    const double z = (std::abs(score) - 1) / std::sqrt(variance);
    trend.probability = std::erfc(z / std::sqrt(2.0));
  }
  return trend;
}

}  // namespace opscope::report
