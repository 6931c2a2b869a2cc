// SPDX-License-Identifier: Apache-2.0
#include "engine/report/mann_whitney.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace opscope::report {

namespace {

struct Ranks {
  double sumA = 0;     ///< of the ranks of `a`, from 1; ties get their mean
  double tieTerm = 0;  ///< sum of t^3 - t over groups of t equal samples
  bool hasTies = false;
};

Ranks rank(std::span<const double> a, std::span<const double> b) {
  std::vector<std::pair<double, bool>> all;  // value, from a
  all.reserve(a.size() + b.size());
  for (const double value : a) all.emplace_back(value, true);
  for (const double value : b) all.emplace_back(value, false);
  std::sort(all.begin(), all.end());
  Ranks ranks;
  for (std::size_t begin = 0; begin < all.size();) {
    std::size_t end = begin;
    std::size_t ofA = 0;
    for (; end < all.size() && all[end].first == all[begin].first; ++end) ofA += all[end].second ? 1 : 0;
    const auto group = static_cast<double>(end - begin);
    ranks.sumA += static_cast<double>(ofA) * (static_cast<double>(begin + end) + 1) / 2;
    ranks.tieTerm += group * group * group - group;
    ranks.hasTies = ranks.hasTies || end - begin > 1;
    begin = end;
  }
  return ranks;
}

/// Probabilities of U = 0 ... n * m when all orders are equally likely. The largest of n + m samples belongs
/// to the first set with n / (n + m) and then beats all m: only sums of positive numbers, so that nothing
/// cancels.
std::vector<double> distribution(std::size_t n, std::size_t m) {
  std::vector<std::vector<double>> before(m + 1, {1.0});  // of 0 and j samples: U is 0
  for (std::size_t i = 1; i <= n; ++i) {
    std::vector<std::vector<double>> current(m + 1);
    current[0] = {1.0};
    for (std::size_t j = 1; j <= m; ++j) {
      std::vector<double>& out = current[j];
      out.assign(i * j + 1, 0.0);
      const double first = static_cast<double>(i) / static_cast<double>(i + j);
      for (std::size_t u = 0; u < before[j].size(); ++u) out[u + j] += first * before[j][u];
      for (std::size_t u = 0; u < current[j - 1].size(); ++u) out[u] += (1 - first) * current[j - 1][u];
    }
    before = std::move(current);
  }
  return before[m];
}

double normalP(double larger, double n, double m, double tieTerm) {
  const double all = n + m;
  const double variance = n * m / 12 * ((all + 1) - tieTerm / (all * (all - 1)));
  if (!(variance > 0)) return 1;
  const double z = (larger - n * m / 2 - 0.5) / std::sqrt(variance);
  return std::clamp(std::erfc(z / std::sqrt(2.0)), 0.0, 1.0);
}

}  // namespace

const std::vector<double>& MannWhitney::tails(std::size_t countA, std::size_t countB) {
  const auto key = std::minmax(countA, countB);
  const auto [place, isNew] = m_tails.try_emplace(std::pair(key.first, key.second));
  if (isNew) {
    place->second = distribution(key.first, key.second);
    std::vector<double>& tail = place->second;
    for (std::size_t u = tail.size() - 1; u-- > 0;) tail[u] += tail[u + 1];
  }
  return place->second;
}

RankTest MannWhitney::test(std::span<const double> a, std::span<const double> b) {
  RankTest result;
  if (a.empty() || b.empty()) return result;
  const Ranks ranks = rank(a, b);
  const auto n = static_cast<double>(a.size());
  const auto m = static_cast<double>(b.size());
  result.u = ranks.sumA - n * (n + 1) / 2;
  const double larger = std::max(result.u, n * m - result.u);
  result.exact = !ranks.hasTies && a.size() <= kMostExact && b.size() <= kMostExact;
  result.p = result.exact ? std::min(1.0, 2 * tails(a.size(), b.size())[static_cast<std::size_t>(larger)])
                          : normalP(larger, n, m, ranks.tieTerm);
  return result;
}

double smallestP(std::size_t countA, std::size_t countB) {
  double p = 2;  // 2 / (countA + countB over countA)
  for (std::size_t i = 1; i <= countA && p > 0; ++i) {
    p *= static_cast<double>(i) / static_cast<double>(countB + i);
  }
  return std::min(1.0, p);
}

std::vector<double> holm(std::span<const double> p) {
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&p](std::size_t x, std::size_t y) { return p[x] < p[y]; });
  std::vector<double> adjusted(p.size());
  double largest = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    largest = std::max(largest, std::min(1.0, p[order[i]] * static_cast<double>(order.size() - i)));
    adjusted[order[i]] = largest;
  }
  return adjusted;
}

}  // namespace opscope::report
