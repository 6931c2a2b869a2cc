// SPDX-License-Identifier: GPL-3.0-or-later
// Saved boards and the Boards dialog: models, fields, checks and trackers, against servers that run.
#include <QAbstractItemModelTester>
#include <QClipboard>
#include <QtTest>

#include "engine/report/run_report.h"
#include "engine/session/session.h"
#include "tests/ui/support/find_button.h"
#include "tests/ui/support/real_stage.h"
#include "tests/ui/support/synthetic_run.h"
#include "ui/models/target_list.h"
#include "ui/shell/board_desk.h"

namespace opscope::ui {

using testing::BoardServer;
using testing::buttonOf;
using testing::RealStage;
using testing::TrackerServer;

namespace {

SavedBoard direct(const QString& address) {
  SavedBoard board;
  board.name = QStringLiteral("desk");
  board.address = address;
  return board;
}

QLineEdit* fieldOf(QWidget* widget, const QString& name) {
  for (QLineEdit* field : widget->findChildren<QLineEdit*>()) {
    if (field->accessibleName() == name) return field;
  }
  return nullptr;
}

void typeInto(QLineEdit* field, const QString& text) {
  field->setFocus();
  field->selectAll();
  QTest::keyClicks(field, text);
}

}  // namespace

class BoardsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { session::initialiseEngine(); }

  void targetsAreWrittenAsTheCommandLineTakesThem() {
    SavedBoard board = direct(QStringLiteral(" 10.0.0.7:9090 "));
    QCOMPARE(board.target(), QStringLiteral("rpc://10.0.0.7:9090"));
    board.key = QStringLiteral("pi4");
    QCOMPARE(board.target(), QStringLiteral("rpc://10.0.0.7:9090/pi4"));
    board.kind = SavedBoard::Kind::Tracker;
    board.priority = QStringLiteral("3");
    QCOMPARE(board.target(), QStringLiteral("tracker://10.0.0.7:9090/pi4?priority=3&timeout=60"));
    QVERIFY(session::parseTarget(board.target().toStdString()));
    QCOMPARE(boardFromJson(toJson(board)), board);
  }

  void mistakesAreToldInWords_data() {
    QTest::addColumn<int>("field");
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("says");
    const auto row = [](const char* name, SavedBoard::Field field, const char* text, const char* says) {
      QTest::newRow(name) << int(field) << QString::fromLatin1(text) << QString::fromLatin1(says);
    };
    row("nothing", SavedBoard::Field::Address, "", "Needs a host and a port");
    row("no port", SavedBoard::Field::Address, "board", "has no port");
    row("port of letters", SavedBoard::Field::Address, "board:rpc", "is no port");
    row("port too high", SavedBoard::Field::Address, "board:70000", "is no port");
    row("bare IPv6", SavedBoard::Field::Address, "::1:9090", "brackets");
    row("key in the address", SavedBoard::Field::Address, "board:9090/pi4", "has its own field");
    row("no key", SavedBoard::Field::Key, "", "Needs the key");
    row("blank in key", SavedBoard::Field::Key, "pi 4", "no blanks");
    row("priority", SavedBoard::Field::Priority, "high", "whole number");
    row("wait", SavedBoard::Field::Wait, "-1", "Needs seconds");
    row("secret", SavedBoard::Field::SecretFile, "/no/such/file", "no such file");
    row("name", SavedBoard::Field::Name, " ", "Needs a name");
  }

  void mistakesAreToldInWords() {
    QFETCH(int, field);
    QFETCH(QString, text);
    QFETCH(QString, says);
    SavedBoard board = direct(QStringLiteral("10.0.0.7:9190"));
    board.kind = SavedBoard::Kind::Tracker;
    board.key = QStringLiteral("pi4");
    QVERIFY(board.isValid());
    switch (SavedBoard::Field(field)) {
      case SavedBoard::Field::Name:
        board.name = text;
        break;
      case SavedBoard::Field::Address:
        board.address = text;
        break;
      case SavedBoard::Field::Key:
        board.key = text;
        break;
      case SavedBoard::Field::SecretFile:
        board.secretFile = text;
        break;
      case SavedBoard::Field::Priority:
        board.priority = text;
        break;
      case SavedBoard::Field::Wait:
        board.wait = text;
        break;
    }
    QVERIFY(!board.isValid());
    const QString problem = board.problem(SavedBoard::Field(field));
    QVERIFY2(problem.contains(says), qPrintable(problem));
  }

  void theListAndTheTargetsHoldWhatModelsPromise() {
    BoardList boards;
    TargetList targets(&boards);
    const QAbstractItemModelTester first(&boards), second(&targets);
    QCOMPARE(targets.rowCount(), 3);
    QCOMPARE(targets.idAt(2), TargetList::manageId());
    const int row = boards.add(direct(QStringLiteral("a:1")));
    boards.add(direct(QStringLiteral("b:2")));
    QCOMPARE(boards.duplicate(row), row + 1);
    QCOMPARE(targets.rowCount(), 6);
    QCOMPARE(targets.index(3).data().toString(), QStringLiteral("desk (2)"));
    SavedBoard edited = boards.boards()[0];
    edited.name = QStringLiteral("d");
    boards.change(edited);
    edited.name = QStringLiteral("de");
    boards.change(edited);
    const QString id = edited.id;
    boards.setState(id, true, QStringLiteral("answers"), {QStringLiteral("cpu:0"), QStringLiteral("cuda:0")});
    QVERIFY(targets.index(2).data(TargetList::DetailRole).toString().contains(QLatin1String("answers")));
    boards.remove(0);
    QCOMPARE(boards.find(id), nullptr);
    QCOMPARE(boards.undo(), 0);
    QCOMPARE(boards.find(id)->name, QStringLiteral("de"));
    QCOMPARE(boards.find(id)->devices.size(), 2);
    boards.undo();  // both letters are one step
    QCOMPARE(boards.find(id)->name, QStringLiteral("desk"));
    while (boards.canUndo()) boards.undo();
    QCOMPARE(boards.rowCount(), 0);
  }

  void otherModelsHoldWhatModelsPromise() {
    CheckModel check;
    TrackerModel tracker;
    FleetModel fleet;
    const QAbstractItemModelTester first(&check), second(&tracker), third(&fleet);
    check.prepare(true);
    check.begin();
    check.addStep(
        {"tracker-name", "Name of the tracker", session::CheckStep::Outcome::Passed, "x is 127.0.0.1", 0.4});
    check.addStep({"later", "A step of a later version", session::CheckStep::Outcome::Noted, "", 1});
    check.addStep({"key", "Key is known", session::CheckStep::Outcome::Failed, "no", 2});
    session::BoardCheck result;
    result.failure = base::Error{base::ErrorCode::NotFound, "no", "", ""};
    check.finish(result);
    QCOMPARE(check.rowCount(), 15);
    QVERIFY(check.summary().startsWith(QLatin1String("stopped at step 4 of 15")));
    session::TrackerOverview overview;
    overview.keys.push_back({"pi4", 3, 1, 2, 4, {"10.0.0.7:9090"}, {}});
    overview.keys.push_back({"pi5", 1, 1, 0, 0, {}, {}});
    tracker.setOverview(overview);
    QCOMPARE(tracker.words(QStringLiteral("pi4")), QStringLiteral("1 free, 2 busy"));
    QCOMPARE(tracker.index(0, TrackerModel::HeldBy).data().toString(),
             QStringLiteral("not told by the board"));
    tracker.clear();
    fleet.start(2);
    fleet.add({"10.0.0.7:9090", {}, base::Error{base::ErrorCode::Io, "refused", "", ""}});
    fleet.add({"10.0.0.8:9090", {}, std::nullopt});
    fleet.add({"10.0.0.9:9090", {}, std::nullopt});
    QCOMPARE(fleet.rowCount(), 3);
    QVERIFY(!fleet.extremes());
  }

  void anyNumberOfBoardsIsCompared() {
    Theme theme;
    FleetModel fleet;
    FleetDialog dialog(&theme, &fleet);
    fleet.start(4);
    for (int i = 0; i < 4; ++i) {
      auto run = std::make_shared<report::Run>(*testing::syntheticDocument().run);
      for (double& ns : run->totals[0].totalNs) ns *= 1 + 0.1 * i;
      fleet.add({"10.0.0." + std::to_string(i) + ":9090", report::makeDocument(run), std::nullopt});
      QVERIFY(!fleet.index(i, FleetModel::Tick).data(Qt::CheckStateRole).isValid());
      fleet.noteSaved(run, 10 + i);
      QCOMPARE(fleet.index(i, FleetModel::Tick).data(Qt::CheckStateRole).toInt(), int(Qt::Checked));
    }
    dialog.refresh(false);
    dialog.show();
    QSignalSpy asked(&dialog, &FleetDialog::compareRequested);
    // The fastest is what the others are held against.
    QPushButton* compare = buttonOf(&dialog, QStringLiteral("Compare 3\u00a0boards with 10.0.0.0:9090"));
    QVERIFY(compare != nullptr && compare->isEnabled());
    QTest::mouseClick(compare, Qt::LeftButton);
    QCOMPARE(asked.back()[0].value<std::vector<store::RunId>>(), std::vector<store::RunId>{10});
    QCOMPARE(asked.back()[1].value<std::vector<store::RunId>>(), (std::vector<store::RunId>{11, 12, 13}));
    // One is left out, and another one is chosen.
    const auto click = [&](int row, int column) {
      const QRect cell = dialog.table()->visualRect(fleet.index(row, column));
      QTest::mouseClick(dialog.table()->viewport(), Qt::LeftButton, {}, cell.center());
    };
    click(3, FleetModel::Tick);
    QCOMPARE(fleet.index(3, FleetModel::Tick).data(Qt::CheckStateRole).toInt(), int(Qt::Unchecked));
    click(1, FleetModel::Board);
    QCOMPARE(compare->text(), QStringLiteral("Compare 2\u00a0boards with 10.0.0.1:9090"));
    if (const QString folder = qEnvironmentVariable("OPSCOPE_PICTURES"); !folder.isEmpty())
      QVERIFY(dialog.grab().save(folder + QStringLiteral("/fleet-ticks.png")));
    QTest::mouseClick(compare, Qt::LeftButton);
    QCOMPARE(asked.back()[0].value<std::vector<store::RunId>>(), std::vector<store::RunId>{11});
    QCOMPARE(asked.back()[1].value<std::vector<store::RunId>>(), (std::vector<store::RunId>{10, 12}));
    for (const int row : {0, 2}) click(row, FleetModel::Tick);
    click(1, FleetModel::Board);
    QVERIFY(!compare->isEnabled());
  }

  void aBoardIsAddedCheckedAndUsed() {
    BoardServer server;
    QVERIFY(server.isUp());
    RealStage stage;
    QTest::keyClick(stage.window.get(), Qt::Key_B, Qt::ControlModifier);
    BoardsDialog* dialog = stage.window->boardDesk()->dialog();
    QVERIFY(dialog != nullptr && dialog->isVisible());
    stage.picture(dialog, QStringLiteral("boards-empty"));
    QTest::mouseClick(buttonOf(dialog, QStringLiteral("Add a board")), Qt::LeftButton);
    QPushButton* check = buttonOf(dialog, QStringLiteral("Check the board"));
    QVERIFY(check != nullptr && !check->isEnabled());
    typeInto(fieldOf(dialog, QStringLiteral("Address")), QStringLiteral("127.0.0.1"));
    QVERIFY(!check->isEnabled());
    stage.picture(dialog, QStringLiteral("boards-mistake"));
    typeInto(fieldOf(dialog, QStringLiteral("Address")), server.address());
    QCOMPARE(stage.workspace->boards()->boards()[0].name, QStringLiteral("127.0.0.1"));
    QVERIFY(check->isEnabled());
    QTest::mouseClick(check, Qt::LeftButton);
    auto* panel = dialog->findChild<CheckPanel*>();
    QTRY_VERIFY_WITH_TIMEOUT(panel->model()->result().has_value(), 20000);
    QVERIFY2(panel->model()->result()->passed(), qPrintable(panel->model()->summary()));
    QCOMPARE(panel->model()->failedRow(), -1);
    stage.picture(dialog, QStringLiteral("boards-passed"));
    const SavedBoard& board = stage.workspace->boards()->boards()[0];
    QCOMPARE(board.stateToday(), QStringLiteral("answers"));
    QVERIFY(board.devices.contains(QStringLiteral("cpu:0")));
    QTest::mouseClick(buttonOf(dialog, QStringLiteral("Use as target")), Qt::LeftButton);
    QCOMPARE(stage.workspace->choices().target, board.id);
    // Kept for the next start.
    const Settings again(stage.settings->fileName());
    BoardList kept;
    kept.restore(again.boards());
    QCOMPARE(kept.rowCount(), 1);
    QCOMPARE(again.target(), board.id);
  }

  void aCheckThatFailsSaysAtWhichStepAndWhatToDo() {
    RealStage stage;
    QTcpServer nobody;
    QVERIFY(nobody.listen(QHostAddress::LocalHost));
    const QString address = QStringLiteral("127.0.0.1:%1").arg(nobody.serverPort());
    nobody.close();
    stage.addDirect(address);
    QTest::keyClick(stage.window.get(), Qt::Key_B, Qt::ControlModifier);
    BoardsDialog* dialog = stage.window->boardDesk()->dialog();
    QTest::keyClick(dialog, Qt::Key_F5);
    auto* panel = dialog->findChild<CheckPanel*>();
    QTRY_VERIFY_WITH_TIMEOUT(panel->model()->result().has_value(), 20000);
    QCOMPARE(panel->model()->index(panel->model()->failedRow(), 0).data().toString(),
             QStringLiteral("TCP connection"));
    QVERIFY(buttonOf(dialog, QStringLiteral("Check again")) != nullptr);
    stage.picture(dialog, QStringLiteral("boards-refused"));
    QPushButton* copy = buttonOf(dialog, QStringLiteral("Copy the server command"));
    QVERIFY(copy != nullptr);
    QTest::mouseClick(copy, Qt::LeftButton);
    QVERIFY(QGuiApplication::clipboard()->text().startsWith(QLatin1String("opscope-server")));
    QCOMPARE(stage.workspace->boards()->boards()[0].stateToday(), QStringLiteral("failed: TCP connection"));
  }

  void aCheckCanBeStopped() {
    RealStage stage;
    QTcpServer deaf;  // accepts and never answers
    QVERIFY(deaf.listen(QHostAddress::LocalHost));
    stage.addDirect(QStringLiteral("127.0.0.1:%1").arg(deaf.serverPort()));
    QTest::keyClick(stage.window.get(), Qt::Key_B, Qt::ControlModifier);
    BoardsDialog* dialog = stage.window->boardDesk()->dialog();
    QTest::keyClick(dialog, Qt::Key_F5);
    auto* panel = dialog->findChild<CheckPanel*>();
    QTRY_COMPARE(panel->model()->stateOf(2), CheckModel::State::Now);
    stage.picture(dialog, QStringLiteral("boards-checking"));
    QTest::mouseClick(buttonOf(dialog, QStringLiteral("Stop the check")), Qt::LeftButton);
    QVERIFY(!panel->model()->isRunning());
    QVERIFY(panel->model()->summary().startsWith(QLatin1String("ended by you")));
    QVERIFY(buttonOf(dialog, QStringLiteral("Check the board")) != nullptr);
  }

  void aTrackerTellsItsBoardsAndTheKeyIsTaken() {
    TrackerServer tracker;
    BoardServer server(
        {QStringLiteral("--key"), QStringLiteral("pi4"), QStringLiteral("--tracker"), tracker.address()});
    QTRY_COMPARE_WITH_TIMEOUT(tracker.freeBoards(), 1, 20000);
    RealStage stage;
    stage.addTracker(tracker.address(), QStringLiteral("pi9"));
    QTest::keyClick(stage.window.get(), Qt::Key_B, Qt::ControlModifier);
    BoardsDialog* dialog = stage.window->boardDesk()->dialog();
    auto* table = dialog->findChild<TrackerPanel*>();
    QTRY_COMPARE_WITH_TIMEOUT(table->model()->rowCount(), 1, 20000);
    QCOMPARE(table->model()->index(0, TrackerModel::Key).data().toString(), QStringLiteral("pi4"));
    QCOMPARE(table->model()->index(0, TrackerModel::Free).data().toString(), QStringLiteral("1"));
    QTest::mouseClick(buttonOf(dialog, QStringLiteral("Check the board")), Qt::LeftButton);
    auto* panel = dialog->findChild<CheckPanel*>();
    QTRY_VERIFY_WITH_TIMEOUT(panel->model()->result().has_value(), 20000);
    QCOMPARE(panel->model()->index(panel->model()->failedRow(), 0).data().toString(),
             QStringLiteral("Key is known"));
    QTRY_VERIFY(buttonOf(dialog, QStringLiteral("Use pi4")) != nullptr);
    stage.picture(dialog, QStringLiteral("boards-unknown-key"));
    QTRY_VERIFY(buttonOf(dialog, QStringLiteral("Use pi4")) != nullptr);
    QTest::mouseClick(buttonOf(dialog, QStringLiteral("Use pi4")), Qt::LeftButton);
    QTRY_COMPARE(stage.workspace->boards()->boards()[0].key, QStringLiteral("pi4"));
    QTest::keyClick(dialog, Qt::Key_F5);
    QTRY_VERIFY_WITH_TIMEOUT(panel->model()->result().has_value(), 20000);
    QVERIFY2(panel->model()->result()->passed(), qPrintable(panel->model()->summary()));
    // The check itself held the board for a moment, and is not counted when it is over.
    QTRY_COMPARE(table->model()->index(0, TrackerModel::Free).data().toString(), QStringLiteral("1"));
    QCOMPARE(table->model()->index(0, TrackerModel::Busy).data().toString(), QStringLiteral("0"));
    stage.picture(dialog, QStringLiteral("boards-tracker"));
  }

  void whoHoldsABoardIsTold() {
    TrackerServer tracker;
    BoardServer server(
        {QStringLiteral("--key"), QStringLiteral("pi4"), QStringLiteral("--tracker"), tracker.address()});
    QTRY_COMPARE_WITH_TIMEOUT(tracker.freeBoards(), 1, 20000);
    RealStage stage;
    const QString id = stage.addTracker(tracker.address(), QStringLiteral("pi4"));
    stage.open(RealStage::fixture("mlp.so"));
    stage.workspace->setTarget(id);
    stage.workspace->setRunLengths(20000, 0);
    QTest::keyClick(stage.window.get(), Qt::Key_F5);
    QTRY_VERIFY_WITH_TIMEOUT(stage.workspace->progress().stage == session::State::Measuring, 20000);
    QTest::keyClick(stage.window.get(), Qt::Key_B, Qt::ControlModifier);
    BoardsDialog* dialog = stage.window->boardDesk()->dialog();
    auto* table = dialog->findChild<TrackerPanel*>();
    QTRY_COMPARE_WITH_TIMEOUT(table->model()->rowCount(), 1, 20000);
    QCOMPARE(table->model()->index(0, TrackerModel::Busy).data().toString(), QStringLiteral("1"));
    const QString holder = table->model()->index(0, TrackerModel::HeldBy).data().toString();
    QVERIFY2(holder.contains(QLatin1String("since")), qPrintable(holder));
    stage.picture(dialog, QStringLiteral("boards-held"));
    stage.workspace->stop();
    QTRY_VERIFY_WITH_TIMEOUT(!stage.workspace->isRunning(), 20000);
  }

  void theDialogFitsIntoASmallWindow() {
    RealStage stage;
    stage.window->resize(900, 600);
    stage.addTracker(QStringLiteral("10.0.0.7:9190"), QStringLiteral("a-key-that-is-very-long-for-a-field"));
    stage.addDirect(QStringLiteral("a.very.long.name.of.a.board.in.the.lab.example.org:9090"),
                    QStringLiteral("the board with a very long name that no list has room for"));
    QTest::keyClick(stage.window.get(), Qt::Key_B, Qt::ControlModifier);
    BoardsDialog* dialog = stage.window->boardDesk()->dialog();
    QVERIFY(dialog->width() <= 900 && dialog->height() <= 600);
    stage.picture(dialog, QStringLiteral("boards-small"));
    stage.picture(stage.window.get(), QStringLiteral("start-small"));
    dialog->close();
    stage.window->resize(1440, 900);
    stage.picture(stage.window.get(), QStringLiteral("start"));
  }

  void removingIsUndone() {
    RealStage stage;
    stage.addDirect(QStringLiteral("10.0.0.1:9090"), QStringLiteral("first"));
    stage.addDirect(QStringLiteral("10.0.0.2:9090"), QStringLiteral("second"));
    QTest::keyClick(stage.window.get(), Qt::Key_B, Qt::ControlModifier);
    BoardsDialog* dialog = stage.window->boardDesk()->dialog();
    stage.picture(dialog, QStringLiteral("boards-two"));
    QTest::mouseClick(buttonOf(dialog, QStringLiteral("Remove")), Qt::LeftButton);
    QCOMPARE(stage.workspace->boards()->rowCount(), 1);
    QCOMPARE(fieldOf(dialog, QStringLiteral("Name"))->text(), QStringLiteral("second"));
    QTest::keyClick(dialog, Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(stage.workspace->boards()->rowCount(), 2);
    QCOMPARE(fieldOf(dialog, QStringLiteral("Name"))->text(), QStringLiteral("first"));
    QTest::mouseClick(buttonOf(dialog, QStringLiteral("Duplicate")), Qt::LeftButton);
    QCOMPARE(fieldOf(dialog, QStringLiteral("Name"))->text(), QStringLiteral("first (2)"));
  }
};

}  // namespace opscope::ui

QTEST_MAIN(opscope::ui::BoardsTest)
#include "boards_test.moc"
