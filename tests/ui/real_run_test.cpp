// SPDX-License-Identifier: GPL-3.0-or-later
// The Timeline's lanes and a sweep with the real engine: from the file through session, bridge and models to
// what is drawn, and back from the store. OPSCOPE_PICTURES keeps the pictures.
#include <QtTest>

#include "engine/session/session.h"
#include "tests/ui/support/engine_stage.h"
#include "ui/views/charts/sweep_bar.h"
#include "ui/views/charts/sweep_chart.h"
#include "ui/views/charts_page.h"
#include "ui/views/timeline/timeline_view.h"
#include "ui/views/timeline_page.h"

namespace opscope::ui {

using testing::EngineStage;

namespace {

constexpr int kLongMs = 60000;

void keep(const EngineStage& stage, const QString& name) {
  const QString folder = qEnvironmentVariable("OPSCOPE_PICTURES");
  QTest::qWait(80);
  if (!folder.isEmpty()) QVERIFY(stage.window->grab().save(QStringLiteral("%1/%2.png").arg(folder, name)));
}

}  // namespace

class RealRunTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { session::initialiseEngine(); }

  void lanesOfARealRun() {
    EngineStage stage;
    stage.workspace->openFile(QStringLiteral(OPSCOPE_TEST_DATA "/vm/parallel.so"));
    QTRY_VERIFY_WITH_TIMEOUT(stage.workspace->executable() != nullptr, kLongMs);
    stage.workspace->setRecordsMemory(true);
    stage.workspace->setRecordsThreads(true);
    stage.workspace->setRunLengths(3, 1);
    QVERIFY(stage.workspace->canRun());
    QTest::keyClick(stage.window.get(), Qt::Key_F5);
    QTRY_VERIFY_WITH_TIMEOUT(stage.workspace->run() != nullptr, kLongMs);
    const report::Run& run = stage.workspace->run()->run();
    QVERIFY(run.lanes.has_value() && run.memory.has_value());
    QVERIFY(stage.window->showPageById(QStringLiteral("timeline")));
    auto* page = qobject_cast<TimelinePage*>(stage.window->currentPage());
    QTRY_VERIFY(page->view()->timeline() != nullptr);
    const Timeline& timeline = *page->view()->timeline();
    std::size_t tasks = 0;
    for (const report::Launch& launch : run.lanes->launches)
      tasks += launch.repeat == 0 ? launch.taskCount : 0;
    QVERIFY(tasks > 0);
    QCOMPARE(timeline.pool().spans().size(), tasks);
    std::int64_t highest = 0;
    for (const report::MemoryPoint& point : run.memory->storage.points) {
      if (point.repeat == 0) highest = std::max(highest, point.bytes);
    }
    QVERIFY(highest > 0);
    QCOMPARE(timeline.storageCurve().highest(), double(highest));
    // Tasks lie within the calls that launched them.
    for (const report::Span& task : timeline.pool().spans()) {
      QVERIFY(task.call != report::kNone);
      const report::Span& call = timeline.spans()[timeline.spanOfCall(task.call)];
      QVERIFY(task.startNs >= call.startNs &&
              task.startNs + task.durationNs <= call.startNs + call.durationNs);
    }
    keep(stage, QStringLiteral("real-timeline"));
  }

  void aRealSweep() {
    EngineStage stage;
    stage.open(QStringLiteral("mlp_dyn.so"));
    stage.workspace->setRunLengths(3, 1);
    QVERIFY(stage.window->showPageById(QStringLiteral("charts")));
    auto* page = qobject_cast<ChartsPage*>(stage.window->currentPage());
    page->showSegment(ChartSegment::Sweep);
    SweepBar* bar = page->sweepBar();
    QCOMPARE(bar->variable()->currentText(), QStringLiteral("n"));
    bar->values()->setText(QStringLiteral("1, 4, 16"));
    QTest::mouseClick(bar->startButton(), Qt::LeftButton);
    auto* chart = qobject_cast<SweepChart*>(page->frame(QStringLiteral("sweep"))->chart());
    QTRY_VERIFY_WITH_TIMEOUT(chart->sweep() != nullptr, kLongMs);
    const report::Scaling& scaling = chart->sweep()->scaling;
    QCOMPARE(scaling.values, (std::vector<std::int64_t>{1, 4, 16}));
    for (const auto& us : scaling.total.us) QVERIFY(us && *us > 0);
    QVERIFY(!scaling.rows.empty());
    QTRY_COMPARE_WITH_TIMEOUT(stage.store->runs()->size(), std::size_t(3), kLongMs);
    keep(stage, QStringLiteral("real-sweep"));
    // What was saved gives the same curve.
    QTRY_COMPARE(bar->saved()->count(), 1);
    const auto before = chart->sweep();
    Q_EMIT bar->saved()->activated(0);
    QTRY_VERIFY_WITH_TIMEOUT(chart->sweep() != before, kLongMs);
    for (std::size_t i = 0; i < 3; ++i)
      QCOMPARE(*chart->sweep()->scaling.total.us[i], *before->scaling.total.us[i]);
  }
};

}  // namespace opscope::ui

QTEST_MAIN(opscope::ui::RealRunTest)
#include "real_run_test.moc"
