// SPDX-License-Identifier: GPL-3.0-or-later
// The numbers behind each chart, against plain sums and counts.
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "ui/models/chart_data.h"
#include "ui/models/format.h"
#include "ui/models/squarify.h"

namespace opscope::ui {
namespace {

report::OpTable tableOf(const std::vector<double>& timesUs) {
  report::OpTable table;
  for (std::size_t i = 0; i < timesUs.size(); ++i) {
    report::OpRow row;
    row.name = std::uint32_t(i);
    row.durationUs = timesUs[i];
    row.count = 1;
    row.kind = report::kOpKinds[i % report::kOpKinds.size()];
    table.rows.push_back(row);
  }
  return table;
}

}  // namespace

class ChartNumbersTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void runningShareAndPareto() {
    std::mt19937 random(7);
    std::exponential_distribution<double> times(0.01);
    for (const std::size_t groups : {1u, 2u, 13u, 14u, 15u, 57u, 1000u}) {
      std::vector<double> us(groups);
      for (double& value : us) value = times(random);
      const OpBars bars = opBars(tableOf(us));
      std::sort(us.begin(), us.end(), std::greater<>());
      const double sum = std::accumulate(us.begin(), us.end(), 0.0);
      std::size_t needed = 0;
      for (double running = 0; running < 0.8 * sum; ++needed) running += us[needed];
      QCOMPARE(bars.groups, groups);
      QCOMPARE(bars.bars.size(), std::min<std::size_t>(groups, 14));
      QCOMPARE(bars.moreGroups, groups - bars.bars.size());
      QCOMPARE(bars.groupsFor80, needed);
      double running = 0;
      for (std::size_t i = 0; i < bars.bars.size(); ++i) {
        running += us[i];
        QCOMPARE(bars.bars[i].us, us[i]);
        QVERIFY(std::abs(bars.bars[i].runningPercent - running / sum * 100) < 1e-9);
      }
      QVERIFY(std::abs(bars.moreUs - (sum - running)) < 1e-6);
    }
  }

  void strangeTimesCountAsNothing() {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const OpBars bars = opBars(tableOf({nan, -3, std::numeric_limits<double>::infinity(), 4}));
    QCOMPARE(bars.opsUs, 4.0);
    QCOMPARE(bars.bars.front().runningPercent, 100.0);
    QCOMPARE(bars.groupsFor80, std::size_t(1));
    QCOMPARE(opBars(tableOf({})).groupsFor80, std::size_t(0));
    QCOMPARE(opBars(tableOf({0, 0})).groupsFor80, std::size_t(0));
  }

  void kindsSumToTheTotal() {
    std::mt19937 random(3);
    std::uniform_real_distribution<double> times(0, 500);
    std::vector<double> us(200);
    for (double& value : us) value = times(random);
    report::OpTable table = tableOf(us);
    const double ops = std::accumulate(us.begin(), us.end(), 0.0);
    for (const double total : {ops * 1.2, ops * 0.5, 0.0}) {
      table.totals.totalUs = total;
      const KindShares shares = kindShares(table);
      double sum = shares.betweenUs, percent = shares.betweenPercent;
      std::int64_t calls = 0;
      for (const KindShare& share : shares.kinds) {
        double own = 0;
        for (const report::OpRow& row : table.rows) own += row.kind == share.kind ? row.durationUs : 0;
        QVERIFY(std::abs(own - share.us) < 1e-6);
        sum += share.us;
        percent += share.percent;
        calls += share.calls;
      }
      QVERIFY(std::abs(sum - std::max(total, ops)) < 1e-6);
      QVERIFY(std::abs(percent - 100) < 1e-9);
      QCOMPARE(calls, std::int64_t(200));
    }
  }

  void histogramHoldsEveryValueOnce() {
    std::mt19937 random(11);
    std::lognormal_distribution<double> times(3, 0.4);
    for (const std::size_t count : {8u, 30u, 500u, 100000u}) {
      std::vector<double> us(count);
      for (double& value : us) value = times(random);
      std::sort(us.begin(), us.end());
      const Histogram histogram = histogramOf(us);
      QVERIFY(histogram.counts.size() >= 8 && histogram.counts.size() <= 40);
      const double iqr = report::percentile(us, 0.75) - report::percentile(us, 0.25);
      const double wanted = std::ceil((us.back() - us.front()) / (2 * iqr / std::cbrt(double(count))));
      QCOMPARE(double(histogram.counts.size()), std::clamp(wanted, 8.0, 40.0));
      std::size_t sum = 0;
      for (std::size_t bin = 0; bin < histogram.counts.size(); ++bin) {
        sum += histogram.counts[bin];
        const double low = histogram.lowUs + histogram.widthUs * (double(bin) - 1e-9);
        const double high = histogram.lowUs + histogram.widthUs * (double(bin) + 1 + 1e-9);
        const auto inside = std::size_t(
            std::count_if(us.begin(), us.end(), [&](double value) { return value >= low && value <= high; }));
        QVERIFY(histogram.counts[bin] <= inside);
      }
      QCOMPARE(sum, count);
    }
    const std::vector<double> equal(20, 5.0);
    QCOMPARE(histogramOf(equal).counts, std::vector<std::size_t>{20});
    QVERIFY(histogramOf(equal).lowUs < 5 && histogramOf(equal).widthUs > 0);
    QVERIFY(histogramOf({}).counts.empty());
    std::vector<double> outlier(20, 5.0);
    outlier.push_back(9);  // the middle half is one value
    QCOMPARE(histogramOf(outlier).counts.front(), std::size_t(20));
    QCOMPARE(histogramOf(outlier).counts.back(), std::size_t(1));
  }

  void ecdfTellsTheShareBelow() {
    const std::vector<double> us = {1, 2, 2, 2, 5, 7, 7, 9};
    const auto points = ecdfOf(us);
    QCOMPARE(points.size(), std::size_t(5));
    for (const EcdfPoint& point : points) {
      const auto below = std::count_if(us.begin(), us.end(), [&](double value) { return value <= point.us; });
      QCOMPARE(point.percent, double(below) / 8 * 100);
    }
    QCOMPARE(points.back().percent, 100.0);
    QVERIFY(ecdfOf({}).empty());
  }

  void squarifiedAreasAreProportional() {
    std::mt19937 random(5);
    std::exponential_distribution<double> times(1);
    for (const std::size_t count : {1u, 2u, 7u, 57u, 2000u}) {
      std::vector<double> values(count);
      for (double& value : values) value = times(random);
      std::sort(values.begin(), values.end(), std::greater<>());
      values.push_back(0);
      const double sum = std::accumulate(values.begin(), values.end(), 0.0);
      const QRectF area(10, 20, 640, 400);
      const auto boxes = squarify(area, values);
      QCOMPARE(boxes.size(), values.size());
      double covered = 0;
      for (std::size_t i = 0; i < boxes.size(); ++i) {
        const double size = boxes[i].width() * boxes[i].height();
        covered += size;
        QVERIFY(std::abs(size - values[i] / sum * 640 * 400) < 0.05);
        QVERIFY(area.adjusted(-1e-6, -1e-6, 1e-6, 1e-6).contains(boxes[i]) || size == 0);
        for (std::size_t j = 0; count < 100 && j < i; ++j) {
          const QRectF shared = boxes[i].intersected(boxes[j]);
          QVERIFY(shared.width() * shared.height() < 1e-3);
        }
      }
      QVERIFY(std::abs(covered - 640 * 400) < 1);
    }
    for (const QRectF& box : squarify(QRectF(0, 0, 50, 50), std::vector<double>{0, 0}))
      QVERIFY(box.isEmpty());
    QVERIFY(squarify(QRectF(0, 0, 50, 50), std::vector<double>{}).empty());
    QCOMPARE(squarify(QRectF(), std::vector<double>{3.0, 1.0}).size(), std::size_t(2));
  }

  void numbersOnScreen() {
    const TimeUnit us = timeUnitFor(999), ms = timeUnitFor(1000), s = timeUnitFor(1e7);
    QCOMPARE(us.name, QStringLiteral("µs"));
    QCOMPARE(ms.name, QStringLiteral("ms"));
    QCOMPARE(s.name, QStringLiteral("s"));
    QCOMPARE(inUnit(45078.3, ms), QStringLiteral("45.1"));
    QCOMPARE(inUnit(4140, ms), QStringLiteral("4.14"));
    QCOMPARE(inUnit(1, ms), QStringLiteral("<0.01"));
    QCOMPARE(inUnit(0, ms), format::missing());
    QCOMPARE(inUnit(std::nan(""), ms), format::missing());
    QCOMPARE(inUnit(0.01, us), QStringLiteral("<0.1"));
    QCOMPARE(inColumn(45078.3, ms), QStringLiteral("45.08"));
    QCOMPARE(inColumn(4140, ms), QStringLiteral("4.14"));
    QCOMPARE(inColumn(12.34, us), QStringLiteral("12.3"));
    QCOMPARE(inColumn(1, ms), QStringLiteral("<0.01"));
    QCOMPARE(inColumn(0, ms), format::missing());
    QCOMPARE(shortName(QStringLiteral("fused_conv2d_add")), QStringLiteral("conv2d_add"));
    QCOMPARE(shortName(QStringLiteral("fused_")), QStringLiteral("fused_"));
    QCOMPARE(tickStep(50, 5), 10.0);
    QCOMPARE(tickStep(90, 5), 20.0);
    QCOMPARE(tickStep(0.13, 5), 0.05);
    QCOMPARE(decimalsOf(0.05), 2);
    QCOMPARE(decimalsOf(20), 0);
  }
};

}  // namespace opscope::ui

QTEST_APPLESS_MAIN(opscope::ui::ChartNumbersTest)
#include "chart_numbers_test.moc"
