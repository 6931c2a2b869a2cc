// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/chart_data.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "ui/models/format.h"

namespace opscope::ui {
namespace {

constexpr double kParetoPart = 0.8;

double timeOf(const report::OpRow& row) {
  return std::isfinite(row.durationUs) ? std::max(row.durationUs, 0.0) : 0.0;
}

double percentOf(double part, double whole) {
  return whole > 0 ? std::clamp(part / whole * 100, 0.0, 100.0) : 0.0;
}

std::vector<std::uint32_t> largestFirst(const report::OpTable& table) {
  std::vector<std::uint32_t> order(table.rows.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = std::uint32_t(i);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return timeOf(table.rows[a]) > timeOf(table.rows[b]);
  });
  return order;
}

std::size_t binCount(std::span<const double> ascending) {
  const double range = ascending.back() - ascending.front();
  const double middle = report::percentile(ascending, 0.75) - report::percentile(ascending, 0.25);
  const double width = 2 * middle / std::cbrt(double(ascending.size()));
  const double bins = width > 0 ? range / width : std::log2(double(ascending.size())) + 1;
  return std::size_t(std::ceil(std::clamp(bins, 8.0, 40.0)));
}

}  // namespace

OpBars opBars(const report::OpTable& table, std::size_t atMost) {
  OpBars result;
  result.groups = table.rows.size();
  for (const report::OpRow& row : table.rows) result.opsUs += timeOf(row);
  double running = 0;
  for (const std::uint32_t row : largestFirst(table)) {
    const double us = timeOf(table.rows[row]);
    running += us;
    const std::size_t place = result.bars.size() + result.moreGroups + 1;
    // A hair of tolerance: sums of parts in another order differ in their last bits.
    const bool enough = running >= result.opsUs * kParetoPart * (1 - 1e-12);
    if (result.groupsFor80 == 0 && result.opsUs > 0 && enough) result.groupsFor80 = place;
    if (result.bars.size() < atMost) {
      result.bars.push_back({row, us, percentOf(running, result.opsUs)});
    } else {
      ++result.moreGroups;
      result.moreUs += us;
    }
  }
  return result;
}

KindShares kindShares(const report::OpTable& table) {
  KindShares result;
  std::array<KindShare, report::kOpKinds.size()> byKind;
  for (const std::uint32_t index : largestFirst(table)) {
    const report::OpRow& row = table.rows[index];
    KindShare& share = byKind[std::size_t(row.kind)];
    share.kind = row.kind;
    share.calls += row.count;
    share.us += timeOf(row);
    share.rows.push_back(index);
    result.opsUs += timeOf(row);
  }
  const double total = std::isfinite(table.totals.totalUs) ? table.totals.totalUs : 0.0;
  // A report read from a file may tell a total below the sum of its rows; then there is no rest.
  result.totalUs = std::max(total, result.opsUs);
  result.betweenUs = result.totalUs - result.opsUs;
  result.betweenPercent = percentOf(result.betweenUs, result.totalUs);
  for (KindShare& share : byKind) {
    if (share.rows.empty()) continue;
    share.percent = percentOf(share.us, result.totalUs);
    result.kinds.push_back(std::move(share));
  }
  std::stable_sort(result.kinds.begin(), result.kinds.end(),
                   [](const KindShare& a, const KindShare& b) { return a.us > b.us; });
  return result;
}

Spread spreadOf(const OpDetails& details) {
  Spread spread;
  spread.overRepeats = details.samplesUs.size() >= 2;
  for (const double us : spread.overRepeats ? details.samplesUs : details.callsUs) {
    if (std::isfinite(us) && us >= 0) spread.samplesUs.push_back(us);
  }
  std::sort(spread.samplesUs.begin(), spread.samplesUs.end());
  spread.statistics = report::computeStatistics(spread.samplesUs);
  return spread;
}

Histogram histogramOf(std::span<const double> ascending) {
  Histogram histogram;
  if (ascending.empty()) return histogram;
  const double low = ascending.front(), high = ascending.back();
  if (!(high > low)) {
    histogram.widthUs = std::max(0.1, low * 0.02);
    histogram.lowUs = std::max(0.0, low - histogram.widthUs / 2);
    histogram.counts = {ascending.size()};
    return histogram;
  }
  histogram.counts.resize(binCount(ascending));
  const double bins = double(histogram.counts.size());
  histogram.lowUs = low;
  histogram.widthUs = (high - low) / bins;
  for (const double us : ascending) {
    const auto bin = std::size_t((us - low) / (high - low) * bins);
    ++histogram.counts[std::min(bin, histogram.counts.size() - 1)];
  }
  return histogram;
}

std::vector<EcdfPoint> ecdfOf(std::span<const double> ascending) {
  std::vector<EcdfPoint> points;
  for (std::size_t i = 0; i < ascending.size(); ++i) {
    if (i + 1 < ascending.size() && ascending[i + 1] == ascending[i]) continue;
    points.push_back({ascending[i], double(i + 1) / double(ascending.size()) * 100});
  }
  return points;
}

TimeUnit timeUnitFor(double largestUs) {
  if (largestUs < 1e3) return {1, QStringLiteral("µs")};
  if (largestUs < 1e7) return {1e3, QStringLiteral("ms")};
  return {1e6, QStringLiteral("s")};
}

QString inUnit(double timeUs, const TimeUnit& unit) {
  const double value = unit.from(timeUs);
  if (!std::isfinite(value) || value <= 0) return format::missing();
  const int decimals = unit.us == 1 || value >= 9.995 ? 1 : 2;
  const double least = decimals == 1 ? 0.1 : 0.01;
  if (value < least / 2) return QLatin1Char('<') + QString::number(least);
  return format::fixed(value, decimals);
}

QString inColumn(double timeUs, const TimeUnit& unit) {
  const double value = unit.from(timeUs);
  if (!std::isfinite(value) || value <= 0) return format::missing();
  const int decimals = unit.us == 1 ? 1 : 2;
  const double least = decimals == 1 ? 0.1 : 0.01;
  if (value < least / 2) return QLatin1Char('<') + QString::number(least);
  return format::fixed(value, decimals);
}

QString shortName(const QString& name) {
  constexpr QLatin1String kFused("fused_");
  return name.startsWith(kFused) && name.size() > kFused.size() ? name.mid(kFused.size()) : name;
}

double tickStep(double range, int wanted) {
  if (!std::isfinite(range) || range <= 0) return 1;
  const double raw = range / std::max(wanted, 1);
  const double power = std::pow(10, std::floor(std::log10(raw)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= raw * (1 - 1e-9)) return factor * power;
  }
  return 10 * power;
}

int decimalsOf(double step) {
  return step >= 1 ? 0 : std::clamp(int(std::ceil(-std::log10(step) - 1e-9)), 0, 9);
}

}  // namespace opscope::ui
