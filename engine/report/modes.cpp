// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>

#include "engine/report/modes.h"
#include "engine/report/statistics.h"

namespace opscope::report {

namespace {

constexpr std::size_t kLeastForModes = 20;
constexpr double kLeastDistance = 0.02;
constexpr double kLeastShare = 0.1;
constexpr std::size_t kLeastForOutliers = 8;
constexpr double kFence = 3;
constexpr double kLeastOutlier = 0.05;

/// A place at which the empirical distribution jumps: `below` samples lie before, `upTo` samples at most
/// there.
struct Corner {
  double x = 0;
  double below = 0;
  double upTo = 0;
};

/// One a different value.
std::vector<Corner> cornersOf(std::span<const double> ascending) {
  std::vector<Corner> corners;
  for (std::size_t i = 0; i < ascending.size(); ++i) {
    if (corners.empty() || corners.back().x != ascending[i]) {
      corners.push_back({ascending[i], static_cast<double>(i), 0});
    }
    corners.back().upTo = static_cast<double>(i + 1);
  }
  return corners;
}

/// Corners of the greatest convex minorant of the lower ends (`upper` false) or of the least concave majorant
/// of the upper ends, between two corners.
std::vector<std::size_t> hull(const std::vector<Corner>& corners, std::size_t first, std::size_t last,
                              bool upper) {
  const auto height = [&](std::size_t i) { return upper ? -corners[i].upTo : corners[i].below; };
  std::vector<std::size_t> kept;
  for (std::size_t i = first; i <= last; ++i) {
    while (kept.size() >= 2) {
      const std::size_t b = kept.back();
      const std::size_t a = kept[kept.size() - 2];
      const double turn = (corners[b].x - corners[a].x) * (height(i) - height(a)) -
                          (corners[i].x - corners[a].x) * (height(b) - height(a));
      if (turn > 0) break;
      kept.pop_back();
    }
    kept.push_back(i);
  }
  return kept;
}

/// Height of the line through two corners at `x`.
double lineAt(const std::vector<Corner>& corners, std::size_t a, std::size_t b, bool upper, double x) {
  const double heightA = upper ? corners[a].upTo : corners[a].below;
  const double heightB = upper ? corners[b].upTo : corners[b].below;
  if (a == b) return heightA;
  return heightA + (heightB - heightA) * ((x - corners[a].x) / (corners[b].x - corners[a].x));
}

/// The largest distance of the empirical distribution from a hull within [first, last], which bounds twice
/// the dip. At the end towards the mode one sample counts: many equal ones may be the mode itself.
double distanceFrom(const std::vector<Corner>& corners, const std::vector<std::size_t>& knots, bool upper,
                    std::size_t first, std::size_t last) {
  const std::size_t modalEnd = upper ? first : last;
  double largest = 0;
  for (std::size_t k = 0; k + 1 < knots.size(); ++k) {
    for (std::size_t i = std::max(knots[k], first); i <= std::min(knots[k + 1], last); ++i) {
      const Corner& corner = corners[i];
      const double line = lineAt(corners, knots[k], knots[k + 1], upper, corner.x);
      const double below = i == modalEnd ? corner.upTo - 1 : corner.below;
      const double upTo = i == modalEnd ? corner.below + 1 : corner.upTo;
      largest = std::max(largest, upper ? line - below : upTo - line);
    }
  }
  return largest;
}

/// Value of a hull at a corner between its ends.
double hullAt(const std::vector<Corner>& corners, const std::vector<std::size_t>& knots, bool upper,
              std::size_t corner) {
  const auto next = std::lower_bound(knots.begin(), knots.end(), corner);
  const std::size_t b = *next;
  const std::size_t a = *next == corner ? corner : *(next - 1);
  return lineAt(corners, a, b, upper, corners[corner].x);
}

struct Widest {
  double distance = 0;
  std::size_t low = 0;   ///< knot of the minorant at the modal interval's new left end
  std::size_t high = 0;  ///< knot of the majorant at its new right end
};

/// Where the two hulls are farthest apart, which is at a knot of either.
Widest widestBetween(const std::vector<Corner>& corners, const std::vector<std::size_t>& minorant,
                     const std::vector<std::size_t>& majorant) {
  Widest widest;
  const auto consider = [&](std::size_t at) {
    const double distance = hullAt(corners, majorant, true, at) - hullAt(corners, minorant, false, at);
    if (distance <= widest.distance) return;
    // The modal interval goes from the knot of the minorant at or before to that of the majorant at or
    // behind.
    widest.distance = distance;
    widest.low = *(std::upper_bound(minorant.begin(), minorant.end(), at) - 1);
    widest.high = *std::lower_bound(majorant.begin(), majorant.end(), at);
  };
  for (const std::size_t knot : minorant) consider(knot);
  for (const std::size_t knot : majorant) consider(knot);
  return widest;
}

/// How many samples belong to the lower of the two groups with the least sum of squares within them.
std::size_t bestSplit(std::span<const double> ascending) {
  const double middle = percentile(ascending, 0.5);
  double sum = 0;
  for (const double sample : ascending) sum += sample - middle;
  const auto count = static_cast<double>(ascending.size());
  double below = 0;
  double best = -1;
  std::size_t split = 1;
  for (std::size_t i = 1; i < ascending.size(); ++i) {
    below += ascending[i - 1] - middle;
    const auto n = static_cast<double>(i);
    const double between = below * below / n + (sum - below) * (sum - below) / (count - n);
    if (between <= best) continue;
    best = between;
    split = i;
  }
  return split;
}

}  // namespace

double dipOf(std::span<const double> ascending) {
  const std::vector<Corner> corners = cornersOf(ascending);
  if (corners.size() < 2) return 0;
  std::size_t low = 0;
  std::size_t high = corners.size() - 1;
  double twice = 1;  // in samples: a jump of one is there always
  while (low < high) {
    const std::vector<std::size_t> minorant = hull(corners, low, high, false);
    const std::vector<std::size_t> majorant = hull(corners, low, high, true);
    const Widest widest = widestBetween(corners, minorant, majorant);
    if (widest.distance <= twice) break;
    twice = std::max({twice, distanceFrom(corners, minorant, false, low, widest.low),
                      distanceFrom(corners, majorant, true, widest.high, high)});
    if (widest.low == low && widest.high == high) {
      break;
    }
    low = widest.low;
    high = widest.high;
  }
  return twice / (2 * static_cast<double>(ascending.size()));
}

double criticalDip(std::size_t count) {
  // sqrt(n) * dip that 1 % of uniform samples exceed, by simulation (tests/report/comparison_values.py).
  static constexpr std::array<std::pair<double, double>, 10> kTable = {{{20, 0.545},
                                                                        {30, 0.560},
                                                                        {50, 0.575},
                                                                        {75, 0.586},
                                                                        {100, 0.591},
                                                                        {150, 0.599},
                                                                        {200, 0.605},
                                                                        {500, 0.616},
                                                                        {1000, 0.623},
                                                                        {2000, 0.638}}};
  const auto n = static_cast<double>(count);
  double scaled = kTable.front().second;
  for (std::size_t i = 0; i + 1 < kTable.size(); ++i) {
    const auto& [from, atFrom] = kTable[i];
    const auto& [to, atTo] = kTable[i + 1];
    if (n >= from) scaled = atFrom + (atTo - atFrom) * std::min(1.0, (n - from) / (to - from));
  }
  return scaled / std::sqrt(std::max(n, 1.0));
}

std::optional<TwoModes> findTwoModes(std::span<const double> ascending) {
  const std::size_t count = ascending.size();
  if (count < kLeastForModes) return std::nullopt;
  TwoModes modes;
  modes.dip = dipOf(ascending);
  if (modes.dip <= criticalDip(count)) return std::nullopt;
  const std::size_t split = bestSplit(ascending);
  modes.lowPart = static_cast<double>(split) / static_cast<double>(count);
  modes.low = percentile(ascending.first(split), 0.5);
  modes.high = percentile(ascending.subspan(split), 0.5);
  const bool apart = modes.low > 0 && modes.high - modes.low >= kLeastDistance * modes.low;
  const bool shared = modes.lowPart >= kLeastShare && modes.lowPart <= 1 - kLeastShare;
  return apart && shared ? std::optional(modes) : std::nullopt;
}

std::size_t countOutliers(std::span<const double> ascending) {
  if (ascending.size() < kLeastForOutliers) return 0;
  const double q1 = percentile(ascending, 0.25);
  const double q3 = percentile(ascending, 0.75);
  const double median = percentile(ascending, 0.5);
  const double least = kLeastOutlier * std::fabs(median);
  const double low = std::min(q1 - kFence * (q3 - q1), median - least);
  const double high = std::max(q3 + kFence * (q3 - q1), median + least);
  const auto below = std::lower_bound(ascending.begin(), ascending.end(), low) - ascending.begin();
  const auto above = ascending.end() - std::upper_bound(ascending.begin(), ascending.end(), high);
  return static_cast<std::size_t>(below + above);
}

}  // namespace opscope::report
