// SPDX-License-Identifier: GPL-3.0-or-later
// The charts of devices and of one op: numbers against plain sums, choosing by mouse and keyboard, empty
// states, long names, one op, a hundred thousand ops. OPSCOPE_PICTURES keeps the pictures.
#include <QtTest>
#include <cmath>
#include <map>

#include "engine/report/run_report.h"
#include "tests/ui/support/synthetic_run.h"
#include "tests/ui/support/two_devices_run.h"
#include "ui/models/chart_data.h"
#include "ui/shell/application.h"
#include "ui/views/charts/custom_plot.h"
#include "ui/views/charts/device_chart.h"
#include "ui/views/charts/device_repeat_chart.h"
#include "ui/views/charts/op_calls_chart.h"
#include "ui/views/charts/repeat_chart.h"
#include "ui/views/charts/spread_chart.h"
#include "ui/views/charts_page.h"

namespace opscope::ui {
namespace {

struct Fixture {
  Theme theme;
  Selection selection;
  Background background;
  ChartsPage page{{&theme, &selection, &background}};

  explicit Fixture(const report::Document& document, ChartSegment segment, const QSize& size = {1340, 740},
                   ThemeChoice choice = ThemeChoice::Light) {
    dressApplication(&theme, choice);
    page.resize(size);
    page.setDocument(document);
    page.showSegment(segment);
    page.show();
    QTest::qWait(40);
  }
  template <class T>
  T* chart(const char* id) {
    return qobject_cast<T*>(page.frame(QString::fromLatin1(id))->chart());
  }
  void keep(const QString& name) {
    const QString folder = qEnvironmentVariable("OPSCOPE_PICTURES");
    QTest::qWait(40);
    if (!folder.isEmpty()) QVERIFY(page.grab().save(QStringLiteral("%1/%2.png").arg(folder, name)));
  }
};

}  // namespace

class DeviceChartsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void sharesAreThoseByHand() {
    const auto document = testing::twoDevicesDocument();
    const auto view = makeRunView(document);
    const report::Run& run = view->run();
    std::map<std::uint32_t, double> us;
    std::map<std::uint32_t, std::int64_t> calls;
    double all = 0;
    for (const report::Call& call : run.calls) {
      ++calls[call.device];
      for (std::uint64_t s = call.firstSample; s < call.firstSample + call.sampleCount; ++s) {
        us[call.device] += run.ownNs[s] / 1000 / run.repeats;
        all += run.ownNs[s] / 1000 / run.repeats;
      }
    }
    const DeviceShares shares = deviceShares(*view);
    QCOMPARE(shares.devices.size(), us.size());
    QVERIFY(std::abs(shares.opsUs - all) < 1e-6 * all);
    double percent = 0;
    for (const DeviceShare& share : shares.devices) {
      QVERIFY(std::abs(share.us - us[share.device]) < 1e-6 * all);
      QCOMPARE(share.calls, calls[share.device]);
      double parts = 0;
      for (const DevicePart& part : share.parts) parts += part.us;
      QVERIFY(std::abs(parts - share.us) < 1e-6 * all);
      percent += share.percent;
    }
    // One base with the kinds: the total of the run.
    const double total = std::max(view->byOp.totals.totalUs, all);
    QVERIFY(std::abs(percent - all / total * 100) < 1e-6);
    const KindShares kinds = kindShares(view->byOp);
    QVERIFY(std::abs(kinds.totalUs - shares.totalUs) < 1e-6);
    QVERIFY(std::abs(percent - (100 - kinds.betweenPercent)) < 1e-6);
    const auto totals = deviceTotals(run);
    QCOMPARE(totals.size(), std::size_t(2));
    for (std::size_t i = 0; i < totals[1].us.size(); ++i)
      QCOMPARE(totals[1].us[i], run.totals[1].totalNs[i] / 1000);
  }

  void aPartChoosesItsLargestOp() {
    Fixture fixture(testing::twoDevicesDocument(), ChartSegment::ByDevice);
    auto* chart = fixture.chart<DeviceChart>("time-by-device");
    QVERIFY(chart->emptyText().isEmpty());
    for (std::size_t device = 0; device < 2; ++device) {
      const QRectF part = chart->partRect(device, 0, chart->size());
      QVERIFY(part.width() > 20);
      QTest::mouseClick(chart, Qt::LeftButton, Qt::NoModifier, part.center().toPoint());
      QCOMPARE(fixture.selection.op().device, chart->shares().devices[device].device);
      QVERIFY(chart->areaOf(fixture.selection.op())->intersects(part));
    }
    const auto ops = chart->ops();
    QTest::keyClick(chart, Qt::Key_Home);
    QCOMPARE(fixture.selection.op(), ops.front());
    QTest::keyClick(chart, Qt::Key_Right);
    QCOMPARE(fixture.selection.op(), ops[1]);
    fixture.keep(QStringLiteral("devices"));
  }

  void linesAndLegendTellTheirColours() {
    Fixture fixture(testing::twoDevicesDocument(), ChartSegment::ByDevice);
    auto* chart = fixture.chart<DeviceChart>("time-by-device");
    const auto& entries = chart->legend().entries();
    QVERIFY(entries.size() > 3 && chart->legend().isVisible());
    // In the order of the fills.
    qsizetype before = -1;
    for (const KindLegend::Entry& entry : entries) {
      const auto& fills = fixture.theme.fills();
      const auto place =
          std::find_if(fills.begin(), fills.end(), [&](const Fill& fill) { return fill.fill == entry.fill; });
      QVERIFY(place - fills.begin() >= before);
      before = place - fills.begin();
    }
    for (const QString& text : chart->numbersOf(0)) QVERIFY(!text.contains(QStringLiteral("ms")));
    const auto linesOf = [&]() {
      return fixture.chart<DeviceRepeatChart>("devices-against-repeat")->findChild<QCustomPlot*>();
    };
    QCOMPARE(linesOf()->plottable(0)->pen().color(), fixture.theme.colours().text);
    QCOMPARE(linesOf()->plottable(1)->pen().color(), fixture.theme.colours().text);
    QVERIFY(linesOf()->plottable(0)->pen().style() != linesOf()->plottable(1)->pen().style());
    fixture.selection.setColourBy(ColourBy::Device);
    QVERIFY(linesOf()->plottable(0)->pen().color() != linesOf()->plottable(1)->pen().color());
    QVERIFY(chart->legend().entries().empty());
  }

  void namesOfLinesStandAboveThePlot() {
    for (const QSize& size : {QSize(1340, 740), QSize(700, 700)}) {
      Fixture fixture(testing::syntheticDocument(), ChartSegment::OneOp, size);
      for (const char* id : {"op-histogram", "op-ecdf"}) {
        const auto* chart = fixture.chart<SpreadChart>(id);
        const auto rects = chart->labelRects();
        QCOMPARE(rects.size(), std::size_t(2));
        QVERIFY2(!rects[0].intersects(rects[1]), id);
        for (const QRectF& rect : rects) {
          QVERIFY2(rect.bottom() <= chart->plotRect().top() + 1, id);
          QVERIFY2(rect.top() >= 0 && rect.left() >= 0 && rect.right() <= chart->width(), id);
        }
        const auto items = chart->findChildren<QCPItemText*>();
        for (const QCPItemText* item : items) QVERIFY(item->text().endsWith(QStringLiteral("ms")));
      }
    }
  }

  void barsAreToScale() {
    Fixture fixture(testing::twoDevicesDocument(), ChartSegment::ByDevice);
    auto* chart = fixture.chart<DeviceChart>("time-by-device");
    const DeviceShares& shares = chart->shares();
    const double width = chart->width() - 24;
    for (std::size_t device = 0; device < shares.devices.size(); ++device) {
      double sum = 0;
      for (std::size_t part = 0; part < shares.devices[device].parts.size(); ++part)
        sum += chart->partRect(device, part, chart->size()).width();
      QVERIFY(std::abs(sum - width * shares.devices[device].us / shares.largestUs) < 3);
    }
  }

  void callsOfAnOpAreChosen() {
    Fixture fixture(testing::syntheticDocument(), ChartSegment::OneOp);
    fixture.selection.setOp({1, 1, 0});
    QTest::qWait(40);
    auto* chart = fixture.chart<OpCallsChart>("op-calls");
    const auto view = makeRunView(testing::syntheticDocument());
    const auto details = detailsOf(*view, {1, 1, 0});
    QCOMPARE(chart->values().size(), details->calls.size());
    for (std::size_t i = 0; i < details->calls.size(); ++i) {
      double sum = 0;
      const report::Call& call = view->run().calls[details->calls[i]];
      for (std::uint64_t s = call.firstSample; s < call.firstSample + call.sampleCount; ++s)
        sum += view->run().ownNs[s] / 1000;
      QVERIFY(std::abs(chart->values()[i] - sum / call.sampleCount) < 1e-6);
    }
    const std::size_t wanted = details->calls.size() - 1;
    QTest::mouseClick(chart, Qt::LeftButton, Qt::NoModifier, chart->pointOf(wanted).toPoint());
    QCOMPARE(*fixture.selection.call(), details->calls[wanted]);
    QCOMPARE(fixture.chart<HistogramChart>("op-histogram")->form(), SpreadChart::Form::Histogram);
    QCOMPARE(fixture.chart<EcdfChart>("op-ecdf")->form(), SpreadChart::Form::Ecdf);
    QVERIFY(fixture.page.frame(QStringLiteral("op-histogram"))->chart()->titleControl() == nullptr);
    fixture.keep(QStringLiteral("one-op"));
  }

  void emptyStatesSayWhy() {
    testing::SyntheticOptions once;
    once.repeats = once.repeatsWanted = 1;
    Fixture one(testing::twoDevicesDocument(once), ChartSegment::ByDevice);
    QVERIFY(one.chart<DeviceRepeatChart>("devices-against-repeat")
                ->emptyText()
                .contains(QLatin1String("1 repeat")));
    one.keep(QStringLiteral("devices-one-repeat"));
    auto none = std::make_shared<report::Run>();
    none->repeats = 1;
    none->totals.push_back({"cpu0", {0}});
    report::Document document;
    document.run = none;
    for (const ChartSegment segment : {ChartSegment::ByDevice, ChartSegment::OneOp, ChartSegment::Sweep}) {
      Fixture fixture(document, segment);
      for (ChartFrame* frame : fixture.page.frames()) {
        if (frame->entry().segment != segment) continue;
        QVERIFY2(!frame->chart()->emptyText().isEmpty(), frame->entry().id);
        QVERIFY(!frame->canSave());
      }
      fixture.keep(QStringLiteral("charts-nothing-%1").arg(int(segment)));
    }
    // Ops that took no time at all.
    const auto zero = testing::syntheticDocument();
    auto run = std::make_shared<report::Run>(*zero.run);
    for (double& ns : run->ownNs) ns = 0;
    for (report::DeviceTotal& total : run->totals) total.totalNs.assign(total.totalNs.size(), 0);
    Fixture fixture(report::makeDocument(run), ChartSegment::OneOp);
    for (ChartFrame* frame : fixture.page.frames()) QVERIFY(!frame->grab().isNull());
  }

  void oneOpAndManyOps() {
    for (const std::uint32_t groups : {1U, 100000U}) {
      testing::SyntheticOptions options;
      options.groups = groups;
      options.calls = groups;
      options.repeats = options.repeatsWanted = groups == 1 ? 5 : 1;
      const auto document = testing::syntheticDocument(options);
      for (const ChartSegment segment : {ChartSegment::TimeByOp, ChartSegment::ByDevice, ChartSegment::OneOp,
                                         ChartSegment::AgainstRepeat}) {
        Fixture fixture(document, segment);
        QVERIFY(!fixture.page.grab().isNull());
        fixture.keep(QStringLiteral("charts-%1-ops-%2").arg(groups).arg(int(segment)));
      }
    }
  }

  void pictures_data() {
    QTest::addColumn<int>("theme");
    QTest::addColumn<QSize>("size");
    for (const auto& [name, theme] :
         {std::pair("light", ThemeChoice::Light), std::pair("dark", ThemeChoice::Dark),
          std::pair("contrast", ThemeChoice::HighContrast)}) {
      QTest::newRow(name) << int(theme) << QSize(1340, 740);
      QTest::newRow(qPrintable(QStringLiteral("%1-small").arg(QLatin1String(name))))
          << int(theme) << QSize(860, 470);
    }
  }

  void pictures() {
    QFETCH(int, theme);
    QFETCH(QSize, size);
    testing::SyntheticOptions options;
    options.longNames = size.width() < 900;
    const QString name = QString::fromLatin1(QTest::currentDataTag());
    Fixture devices(testing::twoDevicesDocument(options), ChartSegment::ByDevice, size, ThemeChoice(theme));
    QVERIFY(!devices.page.grab().isNull());
    devices.keep(QStringLiteral("devices-") + name);
    Fixture op(testing::twoDevicesDocument(options), ChartSegment::OneOp, size, ThemeChoice(theme));
    op.selection.setOp({1, 1, 1});
    QVERIFY(!op.page.grab().isNull());
    op.keep(QStringLiteral("one-op-") + name);
  }
};

}  // namespace opscope::ui

QTEST_MAIN(opscope::ui::DeviceChartsTest)
#include "device_charts_test.moc"
