// SPDX-License-Identifier: GPL-3.0-or-later
// The numbers behind the charts. Any thread; pure functions over immutable data. Times in us, percents within
// 0 to 100; nothing is nan or infinite, and a time that is not a number counts as 0.
#pragma once

#include <QString>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/report/op_table.h"
#include "ui/models/run_view.h"

namespace opscope::ui {

/// One of the largest groups of ops.
struct OpBar {
  std::uint32_t row = 0;  ///< of the table
  double us = 0;
  double runningPercent = 0;  ///< this and all larger groups, of opsUs
};

struct OpBars {
  std::vector<OpBar> bars;     ///< largest first
  std::size_t moreGroups = 0;  ///< that have no bar of their own
  double moreUs = 0;
  std::size_t groups = 0;
  double opsUs = 0;             ///< sum over all groups
  std::size_t groupsFor80 = 0;  ///< the least number of groups that makes 80 % of opsUs; 0 when opsUs is 0
};

inline constexpr std::size_t kMostBars = 14;

OpBars opBars(const report::OpTable& table, std::size_t atMost = kMostBars);

struct KindShare {
  report::OpKind kind = report::OpKind::Other;
  std::int64_t calls = 0;
  double us = 0;
  double percent = 0;               ///< of KindShares::totalUs
  std::vector<std::uint32_t> rows;  ///< of the table, largest first
};

struct KindShares {
  std::vector<KindShare> kinds;  ///< that are present, largest first
  double opsUs = 0;
  double betweenUs = 0;  ///< the rest of the total
  double betweenPercent = 0;
  double totalUs = 0;  ///< opsUs + betweenUs
};

KindShares kindShares(const report::OpTable& table);

/// What the spread of an op is told over: its repeats, or with a single one the calls of the group.
struct Spread {
  std::vector<double> samplesUs;  ///< ascending
  bool overRepeats = false;
  report::Statistics statistics;
};

Spread spreadOf(const OpDetails& details);

/// Below this many values dots tell more than bins.
inline constexpr std::size_t kFewestForBins = 8;

/// Bins of equal width from lowUs on; the last holds its upper edge.
struct Histogram {
  double lowUs = 0;
  double widthUs = 0;
  std::vector<std::size_t> counts;
};

/// 8 to 40 bins by Freedman and Diaconis (Sturges when the middle half of the values is one value). Equal
/// values get one bin around them. `ascending` may be empty: no bins.
Histogram histogramOf(std::span<const double> ascending);

struct EcdfPoint {
  double us = 0;
  double percent = 0;  ///< of the values that are at most `us`
};

/// One point for each distinct value.
std::vector<EcdfPoint> ecdfOf(std::span<const double> ascending);

/// The unit of an axis or a column: us below 1 ms, ms below 10 s, then s.
struct TimeUnit {
  double us = 1;
  QString name;
  double from(double timeUs) const { return timeUs / us; }
};

TimeUnit timeUnitFor(double largestUs);

/// A time in a unit told elsewhere, with three digits that count: "45.1", "4.14", "<0.01"; 0: missing.
QString inUnit(double timeUs, const TimeUnit& unit);

/// The same with decimals that depend on the unit alone, for columns: "45.08", "4.14", "0.67".
QString inColumn(double timeUs, const TimeUnit& unit);

/// An op's name where room is scarce: without a leading "fused_".
QString shortName(const QString& name);

/// Steps of 1, 2 or 5 times a power of ten, so that about `wanted` of them fit in `range`.
double tickStep(double range, int wanted);

/// Digits after the point that tell ticks of this step apart.
int decimalsOf(double step);

}  // namespace opscope::ui
