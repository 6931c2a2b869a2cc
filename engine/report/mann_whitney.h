// SPDX-License-Identifier: Apache-2.0
// The Mann-Whitney U test, two-sided: are the samples of one set larger than those of the other? And Holm's
// correction for many such tests. Values are those of scipy.stats.mannwhitneyu and of statsmodels. One thread
// an object; it keeps the exact distributions that it has made.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <utility>
#include <vector>

namespace opscope::report {

struct RankTest {
  double u = 0;       ///< pairs in which the sample of `a` is the larger one; ties count half
  double p = 1;       ///< 0 to 1; 1 when a set is empty or all samples are equal
  bool exact = true;  ///< false: normal approximation with tie correction and continuity
};

class MannWhitney {
 public:
  /// Samples in any order, each finite. Exact for sets of at most kMostExact samples without ties.
  RankTest test(std::span<const double> a, std::span<const double> b);

  static constexpr std::size_t kMostExact = 30;

 private:
  const std::vector<double>& tails(std::size_t countA, std::size_t countB);

  /// By sizes, the smaller first: the probability of U or more.
  std::map<std::pair<std::size_t, std::size_t>, std::vector<double>> m_tails;
};

/// The smallest two-sided p that sets of these sizes can give, which is when they do not overlap.
double smallestP(std::size_t countA, std::size_t countB);

/// Holm's adjusted p values, parallel to `p`: those below the level are significant with all tests together
/// wrong at most as often as the level says.
std::vector<double> holm(std::span<const double> p);

}  // namespace opscope::report
