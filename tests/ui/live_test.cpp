// SPDX-License-Identifier: GPL-3.0-or-later
// A profile while it goes on: what is kept of it, the ops so far, the Summary page and the Inspector.
#include <QAbstractItemModelTester>
#include <QScrollArea>
#include <QtTest>
#include <numeric>

#include "tests/ui/support/window_stage.h"
#include "ui/models/format.h"
#include "ui/models/live_ops_model.h"
#include "ui/views/inspector_running.h"
#include "ui/views/summary_page.h"
#include "ui/views/summary_running.h"
#include "ui/views/widgets/data_table.h"

namespace opscope::ui {

using testing::openExecutable;
using testing::Stage;

class LiveTest : public QObject {
  Q_OBJECT

 private:
  /// Repeats [from, end) of the run that runToEnd shows.
  static report::RepeatTimes piece(std::size_t from, std::size_t end) {
    const report::RepeatTimes whole = report::repeatTimes(*testing::syntheticDocument().run, 0, 0);
    const auto part = [&](const std::vector<double>& values) {
      return std::vector<double>(values.begin() + std::ptrdiff_t(from), values.begin() + std::ptrdiff_t(end));
    };
    report::RepeatTimes times{std::uint32_t(from), part(whole.totalNs), std::uint32_t(from), whole.ops};
    for (report::RepeatTimes::Op& op : times.ops) op.ownNs = part(op.ownNs);
    return times;
  }
  static report::RepeatTimes made(std::uint32_t first, std::size_t repeats, std::size_t ops) {
    report::RepeatTimes times{first, std::vector<double>(repeats, 5e6), first, {}};
    for (std::size_t op = 0; op < ops; ++op)
      times.ops.push_back({"op" + std::to_string(op), 1, std::vector<double>(repeats, 1e3)});
    return times;
  }
  static void begin(Stage& stage) {
    openExecutable(stage);
    QTest::keyClick(stage.window.get(), Qt::Key_F5);
    QTRY_COMPARE(stage.session.profiles.size(), std::size_t(1));
    stage.session.post(session::StateChanged{session::State::Measuring});
  }
  static void measure(Stage& stage, std::size_t from, std::size_t end) {
    stage.session.post(session::RepeatsMeasured{piece(from, end)});
    QTRY_COMPARE(stage.workspace->live().done(), std::uint64_t(end));
  }
  static SummaryRunning* going(const Stage& stage) { return stage.window->findChild<SummaryRunning*>(); }
  static QString words(QWidget* widget) {
    QStringList all;
    for (const ElidedText* text : widget->findChildren<ElidedText*>()) all << text->text();
    for (const QLabel* label : widget->findChildren<QLabel*>()) {
      if (label->isVisible()) all << label->text();
    }
    return all.join(QLatin1Char('\n')).replace(QChar(0x00A0), QLatin1Char(' '));
  }

 private Q_SLOTS:
  void repeatsAreTakenOnceAndInOrder() {
    LiveRun run;
    run.begin(30);
    run.add(piece(0, 5));
    run.add(piece(0, 5));    // told before
    run.add(piece(10, 12));  // leaves some out
    QCOMPARE(run.done(), std::uint64_t(5));
    run.add(piece(5, 12));
    QCOMPARE(run.done(), std::uint64_t(12));
    const report::RepeatTimes whole = piece(0, 12);
    QCOMPARE(run.totalsUs().size(), std::size_t(12));
    for (std::size_t i = 0; i < 12; ++i) QCOMPARE(run.totalsUs()[i], whole.totalNs[i] * 1e-3);
    QCOMPARE(run.ops().size(), whole.ops.size());
    QCOMPARE(run.ops()[2].us.back(), whole.ops[2].ownNs.back() * 1e-3);
    run.clear();
    QVERIFY(run.isEmpty());
  }

  void anOpThatComesLaterTookNothingBefore() {
    LiveRun run;
    run.begin(10);
    run.add(made(0, 3, 1));
    run.add(made(3, 2, 2));
    run.add(made(5, 1, 1));
    QCOMPARE(run.ops()[1].us, (std::vector<double>{0, 0, 0, 1, 1, 0}));
  }

  void opsOfTheNewestRepeatsAlone() {
    LiveRun run;
    run.begin(1000);
    report::RepeatTimes times = made(0, 100, 1);
    times.opsFirst = 97;
    times.ops[0].ownNs = {1e3, 2e3, 3e3};
    run.add(times);
    QCOMPARE(run.done(), std::uint64_t(100));
    QCOMPARE(run.totalsUs().size(), std::size_t(100));
    QCOMPARE(run.opRepeats(), std::size_t(3));
    QCOMPARE(run.ops()[0].us, (std::vector<double>{1, 2, 3}));
    times = made(100, 50, 1);
    times.opsFirst = 149;
    times.ops[0].ownNs = {4e3};
    run.add(times);
    QCOMPARE(run.done(), std::uint64_t(150));
    QCOMPARE(run.ops()[0].us, (std::vector<double>{1, 2, 3, 4}));
    QCOMPARE(run.opTotalsUs().size(), std::size_t(4));
  }

  void onlyTheNewestOfVeryManyAreKept() {
    LiveRun run;
    run.begin(1'000'000);
    for (std::uint32_t first = 0; first < 60'000; first += 10'000) run.add(made(first, 10'000, 200));
    QCOMPARE(run.done(), std::uint64_t(60'000));
    QCOMPARE(run.totalsUs().size(), LiveRun::kMostTotals);
    QCOMPARE(run.opRepeats(), LiveRun::kMostOpSamples / 200);
    for (const LiveRun::Op& op : run.ops()) QCOMPARE(op.us.size(), run.opRepeats());
    QCOMPARE(run.opTotalsUs().size(), run.opRepeats());
  }

  void opsSoFarAreMediansLongestFirst() {
    LiveOpsModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    LiveRun run;
    run.begin(30);
    run.add(piece(0, 7));
    model.setRun(run);
    const report::RepeatTimes whole = piece(0, 7);
    QCOMPARE(model.rowCount(), int(whole.ops.size()));
    double before = 1e300, sum = 0;
    for (int row = 0; row < model.rowCount(); ++row) {
      const QString name = model.index(row, LiveOpsModel::Name).data().toString();
      const auto op = std::ranges::find(whole.ops, name.toStdString(), &report::RepeatTimes::Op::name);
      QVERIFY(op != whole.ops.end());
      const report::Statistics s = report::computeStatistics(op->ownNs);
      QCOMPARE(model.index(row, LiveOpsModel::Duration).data().toString(),
               format::microseconds(s.median * 1e-3));
      QCOMPARE(model.index(row, LiveOpsModel::Deviation).data().toString(),
               format::microseconds(*s.standardDeviation * 1e-3));
      QCOMPARE(model.index(row, LiveOpsModel::Count).data().toString(), QString::number(op->calls));
      QVERIFY(s.median <= before);
      before = s.median;
      sum += model.index(row, LiveOpsModel::Percent).data(PlainTextRole).toString().toDouble();
    }
    QVERIFY2(sum > 50 && sum <= 100.0001, qPrintable(QString::number(sum)));
    run.add(piece(7, 9));
    model.setRun(run);
    model.clear();
    QCOMPARE(model.rowCount(), 0);
  }

  void oneRepeatHasNoDeviation() {
    LiveOpsModel model;
    LiveRun run;
    run.begin(30);
    run.add(piece(0, 1));
    model.setRun(run);
    QCOMPARE(model.index(0, LiveOpsModel::Deviation).data().toString(), format::missing());
  }

  void theSummaryShowsTheRunThatGoesOn() {
    Stage stage;
    begin(stage);
    QVERIFY(stage.session.profiles[0].tellsRepeats);
    QVERIFY(!going(stage)->isVisible());  // nothing to show yet
    measure(stage, 0, 18);
    QTRY_VERIFY(going(stage)->isVisible());
    const report::Statistics s = report::computeStatistics(stage.workspace->live().totalsUs());
    const QString shown = words(going(stage));
    QVERIFY2(
        shown.contains(QStringLiteral("median %1")
                           .arg(format::duration(s.median).text().replace(QChar(0x00A0), QLatin1Char(' ')))),
        qPrintable(shown));
    QVERIFY(shown.contains(QStringLiteral("medians of 18 repeats")));
    QCOMPARE(going(stage)->findChild<DataTable*>()->model()->rowCount(), 57);
    measure(stage, 18, 22);
    QVERIFY(words(going(stage)).contains(QStringLiteral("medians of 22 repeats")));
    stage.session.post(session::ProfileFinished{testing::syntheticDocument()});
    QTRY_VERIFY(stage.workspace->run() != nullptr);
    QTRY_VERIFY(!going(stage)->isVisible());
    QVERIFY(stage.workspace->live().isEmpty());
    QVERIFY(stage.window->findChild<SummaryResult*>()->isVisible());
  }

  void whatWasShownBeforeComesBackAfterStop() {
    Stage stage;
    begin(stage);
    measure(stage, 0, 3);
    QTRY_VERIFY(going(stage)->isVisible());
    QTest::keyClick(stage.window.get(), Qt::Key_Escape, Qt::ShiftModifier);
    stage.session.post(session::RequestCancelled{});
    QTRY_VERIFY(!stage.workspace->isRunning());
    QVERIFY(!going(stage)->isVisible());
    QVERIFY(stage.window->findChild<SummaryReady*>()->isVisible());
    QTest::keyClick(stage.window.get(), Qt::Key_F5);
    QTRY_COMPARE(stage.session.profiles.size(), std::size_t(2));
    QVERIFY(!going(stage)->isVisible());
    measure(stage, 0, 2);
    QTRY_VERIFY(going(stage)->isVisible());
  }

  void otherPagesKeepTheRunBefore() {
    Stage stage;
    openExecutable(stage);
    testing::runToEnd(stage);
    QTest::keyClick(stage.window.get(), Qt::Key_F5);
    QTRY_COMPARE(stage.session.profiles.size(), std::size_t(2));
    measure(stage, 0, 2);
    QTRY_VERIFY(going(stage)->isVisible());
    QVERIFY(stage.window->showPageById(QStringLiteral("ops")));
    QVERIFY(stage.workspace->run() != nullptr);
    QVERIFY(!stage.window->findChild<InspectorRunning*>()->isVisible());
    measure(stage, 2, 4);
    QVERIFY(stage.window->currentPageId() == QStringLiteral("ops"));
    QVERIFY(stage.window->showPageById(QStringLiteral("summary")));
    QVERIFY(going(stage)->isVisible());
  }

  void theInspectorTellsOfTheRunBesideSummary() {
    Stage stage;
    begin(stage);
    if (!stage.command("view.inspector")->isChecked()) stage.command("view.inspector")->trigger();
    measure(stage, 0, 18);
    auto* inspector = stage.window->findChild<InspectorRunning*>();
    QTRY_VERIFY(inspector->isVisible());
    const QString shown = words(inspector);
    for (const char* part : {"shufflenet.so", "This computer", "cpu:0", "18 of 30", "Quiet so far"})
      QVERIFY2(shown.contains(QString::fromLatin1(part)), qPrintable(shown));
    stage.session.post(session::ProfileFinished{testing::syntheticDocument()});
    QTRY_VERIFY(!inspector->isVisible());
  }

  void aRunOfUnsteadyRepeatsIsCalledNoisy() {
    Theme theme;
    InspectorRunning inspector(&theme);
    inspector.show();
    LiveRun run;
    run.begin(8);
    report::RepeatTimes times = made(0, 8, 1);
    for (std::size_t i = 0; i < times.totalNs.size(); ++i) times.totalNs[i] *= 1 + 0.1 * double(i % 3);
    run.add(times);
    inspector.setRun({}, run);
    QVERIFY(words(&inspector).contains(QStringLiteral("Noisy so far")));
    run.begin(8);
    run.add(made(0, 2, 1));
    inspector.setRun({}, run);
    QVERIFY(!words(&inspector).contains(QStringLiteral("so far")));  // too few to tell
  }
};

}  // namespace opscope::ui

QTEST_MAIN(opscope::ui::LiveTest)
#include "live_test.moc"
