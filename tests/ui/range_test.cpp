// SPDX-License-Identifier: GPL-3.0-or-later
// A range of the Timeline limits Ops and Charts: its numbers, and the way there and back by mouse and key.
#include <QAbstractItemModelTester>
#include <QLabel>
#include <QMenu>
#include <QtTest>
#include <cmath>

#include "engine/report/run_report.h"
#include "tests/ui/support/nested_run.h"
#include "tests/ui/support/window_stage.h"
#include "ui/models/range_view.h"
#include "ui/models/timeline_data.h"
#include "ui/views/charts_page.h"
#include "ui/views/ops_page.h"
#include "ui/views/timeline/range_panel.h"
#include "ui/views/timeline/timeline_view.h"
#include "ui/views/timeline_page.h"
#include "ui/views/widgets/range_chip.h"

namespace opscope::ui {

using testing::openExecutable;
using testing::runToEnd;
using testing::Stage;

class RangeTest : public QObject {
  Q_OBJECT

 private:
  /// Own time in ns of each op of the report within [start, end], with the Timeline's count as the peer.
  static void compareWithTimeline(const RunView& part, const Timeline& timeline, const TimeRange& range) {
    const RangeTotals totals = rangeTotals(timeline, range.startNs, range.endNs);
    std::size_t rows = 0;
    for (const RangeTotals::Row& total : totals.rows) {
      const OpId op = timeline.ops().ops[total.op];
      const auto calls = timeline.ops().callsOf(total.op);
      if (!timeline.run().calls[calls.front()].inReport) continue;
      ++rows;
      const auto details = detailsOf(part, op);
      QVERIFY(details != nullptr);
      QCOMPARE(details->count, total.count);
      QVERIFY(std::abs(details->durationUs - total.durationNs / 1000) < 1e-6);
      QVERIFY(details->percent.has_value());
      const double percent = total.durationNs / (range.endNs - range.startNs) * 100;
      QVERIFY(std::abs(*details->percent - percent) < 1e-6);
    }
    QCOMPARE(part.byOp.rows.size(), rows);
  }

  static RangeChip* chipOf(QWidget* page) { return page->findChild<RangeChip*>(); }
  static OpsPage* ops(const Stage& stage) { return stage.window->findChild<OpsPage*>(); }
  static TimelinePage* timeline(const Stage& stage) { return stage.window->findChild<TimelinePage*>(); }

 private Q_SLOTS:
  void aRangeCountsWhatLiesWithin() {
    for (std::uint32_t seed = 1; seed < 6; ++seed) {
      for (const bool startTimes : {true, false}) {
        const auto whole = makeRunView(testing::nestedDocument({250, 2, seed, startTimes}));
        const auto ops = buildTimelineOps(whole->run(), {});
        const Timeline timeline(whole, ops, 1);
        for (const double part : {0.9, 0.4, 0.05}) {
          const TimeRange range{timeline.totalNs() * 0.07, timeline.totalNs() * (0.07 + part), 1};
          const auto view = makeRangeView(*whole, range);
          compareWithTimeline(*view, timeline, range);
          QVERIFY(view->byOp.totals.opsUs <= (range.endNs - range.startNs) / 1000 * (1 + 1e-9));
          QVERIFY(std::abs(view->byOp.totals.totalUs - (range.endNs - range.startNs) / 1000) < 1e-6);
          QVERIFY(view->rangeText.endsWith(QLatin1String("of repeat 2")));
        }
      }
    }
  }

  void theModelOfARangeKeepsTheRulesOfModels() {
    const auto whole = makeRunView(testing::nestedDocument({250, 2, 3, true}));
    const auto timeline = std::make_shared<const Timeline>(whole, buildTimelineOps(whole->run(), {}), 1);
    RangeModel model;
    const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    for (const double part : {0.9, 0.1, 0.0, 0.5}) {  // more rows, fewer, none, more again
      const double end = timeline->totalNs() * part;
      RangeTotals totals = rangeTotals(*timeline, 0, end);
      const std::size_t rows = totals.rows.size();
      model.setTotals(timeline, std::move(totals), std::max(end, 1.0), false);
      QCOMPARE(model.rowCount(), static_cast<int>(rows));
      for (int row = 0; row < model.rowCount(); ++row) {
        QCOMPARE(model.rowOf(model.opAt(row)), row);
      }
    }
  }

  void aReportFromAFileKeepsItsOtherColumns() {
    report::Report file;
    for (int i = 0; i < 4; ++i) {
      report::MetricMap row;
      row.set(report::kName, std::string("op") + char('a' + i));
      row.set(report::kDurationUs, report::Duration{100});
      row.set(report::kPercent, report::Percent{20});
      row.set(report::kCount, report::Count{3});
      row.set(report::kDevice, std::string("cpu0"));
      row.set("Cache misses", report::Count{i + 10});
      file.calls.push_back(row);
    }
    report::MetricMap total;
    total.set(report::kDurationUs, report::Duration{500});
    file.deviceMetrics.emplace_back("cpu0", total);
    const auto whole = makeRunView(report::importReport(file));
    // Blocks of 100 us with gaps of 20 us: the range holds the first whole and half of the second.
    const auto part = makeRangeView(*whole, {20e3, 190e3, 0});
    QCOMPARE(part->byOp.rows.size(), std::size_t(2));
    QCOMPARE(part->byOp.rows[0].count, std::int64_t(3));
    QVERIFY(std::abs(*part->byOp.rows[0].percent - 100 / 1.7) < 1e-6);
    QVERIFY(std::abs(part->byOp.rows[1].durationUs - 50) < 1e-6);
    QCOMPARE(part->byOp.extras.size(), std::size_t(1));
    QCOMPARE(*part->byOp.extras[0].numbers[1], 11.0);
  }

  void opsAndChartsFollowTheRange() {
    Stage stage;
    openExecutable(stage);
    runToEnd(stage);
    const int whole = ops(stage)->model()->rowCount();
    stage.window->showPageById(QStringLiteral("ops"));
    QVERIFY(!chipOf(ops(stage))->isVisible());
    const report::Span first = stage.workspace->run()->run().spans[0];
    stage.workspace->selection()->setRange(TimeRange{first.startNs, first.startNs + first.durationNs / 2, 0});
    QTRY_COMPARE(ops(stage)->model()->rowCount(), 1);
    QVERIFY(chipOf(ops(stage))->isVisible());
    QVERIFY(chipOf(ops(stage))->text().contains(QLatin1String("of repeat 1")));
    QCOMPARE(ops(stage)->model()->index(0, 2).data(PlainTextRole).toString(), QStringLiteral("100"));
    const QString tip = ops(stage)->model()->headerData(2, Qt::Horizontal, Qt::ToolTipRole).toString();
    QVERIFY(tip.contains(QLatin1String("Part of the range")));
    auto* charts = stage.window->findChild<ChartsPage*>();
    QVERIFY(!chipOf(charts)->isHidden());
    QCOMPARE(charts->frame(QStringLiteral("time-by-op"))->chart()->ops().size(), std::size_t(1));
    QVERIFY(charts->frame(QStringLiteral("total-against-repeat"))->canSave());
    charts->showSegment(ChartSegment::AgainstRepeat);
    QVERIFY(chipOf(charts)->isHidden());
    QTest::mouseClick(chipOf(ops(stage)), Qt::LeftButton);
    QVERIFY(!stage.workspace->selection()->range().has_value());
    QTRY_COMPARE(ops(stage)->model()->rowCount(), whole);
    QVERIFY(!chipOf(ops(stage))->isVisible());
  }

  void anEmptyRangeSaysSoAndEscapeClearsIt() {
    Stage stage;
    openExecutable(stage);
    runToEnd(stage);
    const int whole = ops(stage)->model()->rowCount();
    stage.window->showPageById(QStringLiteral("ops"));
    stage.workspace->selection()->setRange(TimeRange{10, 1400, 2});  // before the first call
    QTRY_COMPARE(ops(stage)->model()->rowCount(), 0);
    bool told = false;
    for (const QLabel* label : ops(stage)->findChildren<QLabel*>()) {
      told = told || (label->isVisible() && label->text().startsWith(QLatin1String("No op in ")));
    }
    QVERIFY(told);
    QTest::keyClick(stage.window.get(), Qt::Key_Escape);
    QTRY_COMPARE(ops(stage)->model()->rowCount(), whole);
  }

  void theTimelineLeadsToOps() {
    Stage stage;
    openExecutable(stage);
    runToEnd(stage);
    stage.window->showPageById(QStringLiteral("timeline"));
    QTRY_VERIFY(timeline(stage)->view()->timeline() != nullptr);
    stage.workspace->selection()->setCall(stage.workspace->run()->run(), 3);
    QMenu menu;
    timeline(stage)->view()->fillMenu(&menu);
    QCOMPARE(menu.actions().front()->text(), QStringLiteral("Show in Ops"));
    menu.actions().front()->trigger();
    QCOMPARE(stage.window->currentPage(), static_cast<RunPage*>(ops(stage)));
    QCOMPARE(ops(stage)->table()->selectedRows().size(), std::size_t(1));
  }

  void theContextMenuOpensByMouseAndKey() {
    Stage stage;
    openExecutable(stage);
    runToEnd(stage);
    stage.window->showPageById(QStringLiteral("timeline"));
    QTRY_VERIFY(timeline(stage)->view()->timeline() != nullptr);
    QWidget* area = timeline(stage)->view()->viewport();
    for (const auto reason : {QContextMenuEvent::Mouse, QContextMenuEvent::Keyboard}) {
      QContextMenuEvent event(reason, QPoint(300, 200), area->mapToGlobal(QPoint(300, 200)));
      QCoreApplication::sendEvent(area, &event);
      QTRY_VERIFY(timeline(stage)->view()->findChild<QMenu*>() != nullptr);
      QMenu* menu = timeline(stage)->view()->findChild<QMenu*>();
      QVERIFY(menu->isVisible());
      menu->close();
      QTRY_VERIFY(timeline(stage)->view()->findChild<QMenu*>() == nullptr);
    }
  }

  void editMenuTakesBackAZoom() {
    Stage stage;
    openExecutable(stage);
    runToEnd(stage);
    stage.window->showPageById(QStringLiteral("timeline"));
    QTRY_VERIFY(timeline(stage)->view()->timeline() != nullptr);
    timeline(stage)->setAnimated(false);
    Command* undo = stage.command("edit.undo");
    Command* redo = stage.command("edit.redo");
    QCOMPARE(undo->shortcutText(), QStringLiteral("Ctrl+Z"));
    QVERIFY(!undo->isEnabled());
    const TimeScale before = timeline(stage)->view()->scene().scale;
    timeline(stage)->view()->showTimes(1e6, 2e6, 0);
    QTRY_VERIFY(undo->isEnabled());
    undo->trigger();
    QVERIFY(timeline(stage)->view()->scene().scale.sameView(before));
    QVERIFY(redo->isEnabled());
    redo->trigger();
    QVERIFY(!timeline(stage)->view()->scene().scale.sameView(before));
    // On other pages it is the filter that goes back.
    stage.window->showPageById(QStringLiteral("ops"));
    QVERIFY(!undo->isEnabled());
    stage.workspace->selection()->setFilter({QStringLiteral("conv"), false});
    QTRY_VERIFY(undo->isEnabled());
    undo->trigger();
    QVERIFY(stage.workspace->selection()->filter().isEmpty());
  }
};

}  // namespace opscope::ui

QTEST_MAIN(opscope::ui::RangeTest)
#include "range_test.moc"
