// SPDX-License-Identifier: GPL-3.0-or-later
// Where things run: the tool bar's Target, runs on boards, isolated runs, lost boards, waiting, fleets, all
// with servers that run.
#include <QAbstractItemView>
#include <QLabel>
#include <QtTest>

#include "engine/session/session.h"
#include "tests/ui/support/find_button.h"
#include "tests/ui/support/real_stage.h"
#include "ui/models/target_list.h"
#include "ui/shell/board_desk.h"
#include "ui/shell/run_tool_bar.h"
#include "ui/views/compare_page.h"
#include "ui/views/runs_panel.h"

namespace opscope::ui {

using testing::BoardServer;
using testing::buttonOf;
using testing::RealStage;
using testing::TrackerServer;

namespace {

QComboBox* targetOf(const RealStage& stage) {
  return stage.window->findChild<RunToolBar*>()->targetCombo();
}

bool shows(const QWidget* widget, const QString& text) {
  for (const QLabel* label : widget->findChildren<QLabel*>()) {
    if (label->isVisible() && label->text().contains(text)) return true;
  }
  for (const ElidedText* label : widget->findChildren<ElidedText*>()) {
    if (label->isVisible() && label->text().contains(text)) return true;
  }
  return false;
}

/// Opens the list and takes a row by the keyboard, as people do.
void choose(RealStage& stage, const QString& id) {
  QComboBox* combo = targetOf(stage);
  const auto* targets = qobject_cast<TargetList*>(combo->model());
  combo->setFocus();
  QTest::keyClick(combo, Qt::Key_Down);
  QTRY_VERIFY(combo->view()->isVisible());
  stage.picture(combo->view()->window(), QStringLiteral("target-list"));
  combo->view()->setCurrentIndex(targets->index(targets->rowOf(id)));
  QTest::keyClick(combo->view(), Qt::Key_Return);
}

void runToEnd(const RealStage& stage) {
  QTest::keyClick(stage.window.get(), Qt::Key_F5);
  QVERIFY(stage.workspace->isRunning());
  QTRY_VERIFY_WITH_TIMEOUT(!stage.workspace->isRunning(), 60000);
}

}  // namespace

class TargetTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { session::initialiseEngine(); }

  void aRunGoesToTheBoardThatIsChosen() {
    BoardServer server;
    RealStage stage;
    const QString id = stage.addDirect(server.address());
    stage.open(RealStage::fixture("mlp.so"));
    choose(stage, id);
    QCOMPARE(stage.workspace->choices().target, id);
    QCOMPARE(targetOf(stage)->currentText(), QStringLiteral("board on the desk"));
    QVERIFY(stage.workspace->commandLine().contains(QStringLiteral("--target rpc://") + server.address()));
    QVERIFY(shows(stage.window.get(), QStringLiteral("Target: board on the desk")));
    stage.picture(stage.window.get(), QStringLiteral("target-ready"));
    runToEnd(stage);
    QVERIFY(stage.workspace->run() != nullptr);
    const report::Run& run = stage.workspace->run()->run();
    QCOMPARE(run.repeats, 5u);
    QCOMPARE(QString::fromStdString(run.target), QStringLiteral("rpc://") + server.address());
    QVERIFY(run.remote.has_value());
    QCOMPARE(run.remote->way, std::string("recorder"));
    stage.picture(stage.window.get(), QStringLiteral("target-done"));
    // Another target does not make the numbers stale: they say where they are from.
    choose(stage, kLocalTarget);
    QVERIFY(!stage.workspace->isStale());
  }

  void theLastRowOpensTheBoardsAndIsNoTarget() {
    RealStage stage;
    QComboBox* combo = targetOf(stage);
    QVERIFY(combo->isEnabled());
    choose(stage, TargetList::manageId());
    QCOMPARE(stage.workspace->choices().target, kLocalTarget);
    QCOMPARE(combo->currentText(), QStringLiteral("This computer"));
    QTRY_VERIFY(stage.window->boardDesk()->dialog() != nullptr);
    QVERIFY(stage.window->boardDesk()->dialog()->isVisible());
  }

  void isolatedRunsAreInAProcessOfTheirOwn() {
    RealStage stage;
    stage.open(RealStage::fixture("cnn.so"));
    stage.command("boards.isolated")->trigger();
    QCOMPARE(stage.workspace->choices().target, kIsolatedTarget);
    runToEnd(stage);
    QVERIFY2(stage.workspace->run() != nullptr,
             stage.workspace->failure() ? stage.workspace->failure()->error.message.c_str() : "");
    QCOMPARE(stage.workspace->run()->run().target, std::string("isolated"));
    QVERIFY(!stage.workspace->run()->run().calls.empty());
  }

  void aLostBoardKeepsWhatWasMeasured() {
    BoardServer server;
    RealStage stage;
    const QString id = stage.addDirect(server.address());
    stage.open(RealStage::fixture("cnn.so"));
    stage.workspace->setTarget(id);
    stage.workspace->setRunLengths(200000, 0);
    QTest::keyClick(stage.window.get(), Qt::Key_F5);
    QTRY_VERIFY_WITH_TIMEOUT(stage.workspace->progress().stage == session::State::Measuring &&
                                 stage.workspace->progress().done > 50,
                             30000);
    QTest::qWait(1500);  // a copy of what is there comes now and then
    stage.picture(stage.window.get(), QStringLiteral("target-running"));
    server.end(true);
    QTRY_VERIFY_WITH_TIMEOUT(stage.workspace->failure().has_value(), 30000);
    QVERIFY(!stage.workspace->isRunning());
    QTRY_VERIFY(shows(stage.window.get(), QStringLiteral("The run stopped: the board no longer answers")));
    QTRY_VERIFY(shows(stage.window.get(), QStringLiteral("not connected")));
    stage.picture(stage.window.get(), QStringLiteral("target-lost"));
    QVERIFY(stage.workspace->failure()->partial != nullptr);
    QVERIFY(stage.workspace->failure()->partial->isPartial());
    QTest::mouseClick(buttonOf(stage.window.get(), QStringLiteral("Check the board")), Qt::LeftButton);
    QTRY_VERIFY(stage.window->boardDesk()->dialog() != nullptr);
    QTRY_COMPARE_WITH_TIMEOUT(stage.workspace->boards()->boards()[0].stateToday(),
                              QStringLiteral("failed: TCP connection"), 20000);
    stage.window->boardDesk()->dialog()->close();
    QTest::mouseClick(buttonOf(stage.window.get(), QStringLiteral("Show them")), Qt::LeftButton);
    QTRY_VERIFY(stage.workspace->run() != nullptr);
    QVERIFY(stage.workspace->run()->run().repeats > 0);
  }

  void stopOnABoardKeepsTheFinishedRepeats() {
    BoardServer server;
    RealStage stage;
    const QString id = stage.addDirect(server.address());
    stage.open(RealStage::fixture("mlp.so"));
    stage.workspace->setTarget(id);
    stage.workspace->setRunLengths(1000000, 0);
    QTest::keyClick(stage.window.get(), Qt::Key_F5);
    QTRY_VERIFY_WITH_TIMEOUT(stage.workspace->progress().done > 10, 30000);
    QTest::keyClick(stage.window.get(), Qt::Key_Escape);
    QTest::keyClick(stage.window.get(), Qt::Key_Escape);
    QTRY_VERIFY_WITH_TIMEOUT(!stage.workspace->isRunning(), 15000);
    QVERIFY(stage.workspace->run() != nullptr);
    QVERIFY(stage.workspace->run()->isPartial());
  }

  void aBoardIsWaitedForAndTheWaitCanBeEnded() {
    TrackerServer tracker;
    BoardServer server(
        {QStringLiteral("--key"), QStringLiteral("pi4"), QStringLiteral("--tracker"), tracker.address()});
    QTRY_COMPARE_WITH_TIMEOUT(tracker.freeBoards(), 1, 20000);
    RealStage first, second;
    const QString firstId = first.addTracker(tracker.address(), QStringLiteral("pi4"));
    const QString secondId = second.addTracker(tracker.address(), QStringLiteral("pi4"));
    for (RealStage* stage : {&first, &second}) stage->open(RealStage::fixture("mlp.so"));
    first.workspace->setTarget(firstId);
    first.workspace->setRunLengths(1000000, 0);
    second.workspace->setTarget(secondId);
    first.workspace->profile();
    QTRY_VERIFY_WITH_TIMEOUT(first.workspace->progress().done > 10, 30000);
    second.workspace->profile();
    QTRY_VERIFY_WITH_TIMEOUT(!second.workspace->waiting().isEmpty(), 20000);
    QVERIFY2(second.workspace->waiting().contains(QStringLiteral("0 free")),
             qPrintable(second.workspace->waiting()));
    QVERIFY(shows(second.window.get(), QStringLiteral("Waiting for a board")));
    second.picture(second.window.get(), QStringLiteral("target-waiting"));
    second.workspace->stop();
    QTRY_VERIFY_WITH_TIMEOUT(!second.workspace->isRunning(), 10000);
    QVERIFY(second.workspace->waiting().isEmpty());
    // The one that waits gets the board when it is given back.
    second.workspace->profile();
    QTRY_VERIFY_WITH_TIMEOUT(!second.workspace->waiting().isEmpty(), 20000);
    first.workspace->stop();
    QTRY_VERIFY_WITH_TIMEOUT(second.workspace->run() != nullptr, 60000);
  }

  void aFleetIsMeasuredSavedTickedAndCompared() {
    TrackerServer tracker;
    const QStringList options = {QStringLiteral("--key"), QStringLiteral("pi4"), QStringLiteral("--tracker"),
                                 tracker.address()};
    BoardServer one(options), two(options);
    QTRY_COMPARE_WITH_TIMEOUT(tracker.freeBoards(), 2, 20000);
    RealStage stage;
    const QString id = stage.addTracker(tracker.address(), QStringLiteral("pi4"));
    stage.open(RealStage::fixture("cnn.so"));
    QVERIFY(!stage.command("boards.fleet")->isEnabled());
    stage.workspace->setTarget(id);
    QTRY_VERIFY(stage.command("boards.fleet")->isEnabled());
    stage.command("boards.fleet")->trigger();
    FleetDialog* dialog = stage.window->boardDesk()->fleetDialog();
    QVERIFY(dialog != nullptr && dialog->isVisible());
    QTRY_COMPARE_WITH_TIMEOUT(stage.workspace->fleet()->measured(), 2, 60000);
    QTRY_VERIFY_WITH_TIMEOUT(stage.workspace->fleet()->extremes().has_value(), 20000);
    auto* runs = stage.window->findChild<RunsPanel*>();
    QTRY_COMPARE_WITH_TIMEOUT(runs->model()->ticked().size(), std::size_t(2), 20000);
    QTRY_COMPARE(stage.window->currentPageId(), QStringLiteral("compare"));
    stage.picture(dialog, QStringLiteral("fleet"));
    for (const store::StoredRun& run : *stage.store->runs()) {
      QVERIFY(run.note.starts_with("127.0.0.1:"));
      QCOMPARE(run.tags, std::vector<std::string>{"fleet"});
    }
  }

  void aFleetWithoutAFreeBoardSaysWhy() {
    TrackerServer tracker;
    RealStage stage;
    const QString id = stage.addTracker(tracker.address(), QStringLiteral("pi4"));
    stage.open(RealStage::fixture("mlp.so"));
    stage.workspace->setTarget(id);
    stage.command("boards.fleet")->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(!stage.workspace->isRunning(), 20000);
    QVERIFY(
        shows(stage.window->boardDesk()->fleetDialog(), QStringLiteral("has no board with the key \"pi4\"")));
  }

  void aTargetThatIsRemovedIsNoneAnyMore() {
    RealStage stage;
    const QString id = stage.addDirect(QStringLiteral("10.0.0.1:9090"));
    stage.workspace->setTarget(id);
    stage.workspace->boards()->remove(0);
    QCOMPARE(stage.workspace->choices().target, kLocalTarget);
    QCOMPARE(targetOf(stage)->currentText(), QStringLiteral("This computer"));
  }

  void theDevicesFollowTheTarget() {
    RealStage stage;
    const QString id = stage.addDirect(QStringLiteral("10.0.0.1:9090"));
    stage.open(RealStage::fixture("mlp.so"));
    stage.workspace->boards()->setState(id, true, QStringLiteral("answers"),
                                        {QStringLiteral("cpu:0"), QStringLiteral("cuda:0")});
    stage.workspace->setTarget(id);
    QComboBox* devices = stage.window->findChild<RunToolBar*>()->deviceCombo();
    QCOMPARE(devices->count(), 2);
    stage.workspace->setDevice(QStringLiteral("cuda:0"));
    QCOMPARE(devices->currentText(), QStringLiteral("cuda:0"));
    stage.workspace->setTarget(kLocalTarget);
    QCOMPARE(devices->count(), 1);
    QCOMPARE(stage.workspace->choices().device, QStringLiteral("cpu:0"));
  }
};

}  // namespace opscope::ui

QTEST_MAIN(opscope::ui::TargetTest)
#include "target_test.moc"
