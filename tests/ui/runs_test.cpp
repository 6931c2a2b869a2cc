// SPDX-License-Identifier: GPL-3.0-or-later
// Saved runs: the store behind its door, the list, the panel at the foot of the window, session files.
#include <sys/resource.h>

#include <QAbstractItemModelTester>
#include <QHeaderView>
#include <QLineEdit>
#include <QMessageBox>
#include <QTemporaryDir>
#include <QtTest>
#include <csignal>

#include "tests/ui/support/find_button.h"
#include "tests/ui/support/window_stage.h"
#include "ui/models/board_list.h"
#include "ui/models/board_names.h"
#include "ui/models/target_list.h"
#include "ui/shell/store_bar.h"
#include "ui/views/runs_panel.h"

namespace opscope::ui {

using testing::buttonOf;
using testing::openExecutable;
using testing::Stage;

namespace {

store::StoredRun storedRun(store::RunId id, const char* executable, double medianUs) {
  store::StoredRun run;
  run.id = id;
  run.executable = executable;
  run.path = std::string("/models/") + executable;
  run.function = "main";
  run.target = "local";
  run.device = "cpu0";
  run.startedAt = "2026-11-0" + std::to_string(1 + id % 9) + "T10:00:00Z";
  run.repeats = run.repeatsWanted = 30;
  run.medianUs = medianUs;
  run.noise = 0.02 * double(id);
  return run;
}

std::shared_ptr<const RunsModel::Runs> listOf(std::vector<store::StoredRun> runs) {
  return std::make_shared<const RunsModel::Runs>(std::move(runs));
}

/// Saves with a connection of its own, as another process would.
void saveFromOutside(const QString& file, const char* executable) {
  auto other = store::Store::open(file.toStdString(), store::Access::Write);
  QVERIFY(other.has_value());
  auto run = std::make_shared<report::Run>(*testing::syntheticDocument().run);
  run->executablePath = std::string("/models/") + executable;
  report::Document document = testing::syntheticDocument();
  document.run = run;
  QVERIFY(other->save(document, {}).has_value());
}

QStringList names(const RunsModel& model) {
  QStringList list;
  for (int row = 0; row < model.rowCount(); ++row)
    list << model.index(row, RunsModel::Model).data().toString();
  return list;
}

void click(DataTable* table, const QModelIndex& index, bool twice = false) {
  const QPoint place = table->visualRect(index).center();
  QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, place);
  if (twice) QTest::mouseDClick(table->viewport(), Qt::LeftButton, {}, place);
}

}  // namespace

class RunsTest : public QObject {
  Q_OBJECT

 private:
  void run(Stage& stage) {
    const auto before = stage.session.profiles.size();
    QTest::keyClick(stage.window.get(), Qt::Key_F5);
    QTRY_COMPARE(stage.session.profiles.size(), before + 1);
    stage.session.post(session::ProfileFinished{testing::syntheticDocument()});
    QTRY_VERIFY(!stage.workspace->isRunning());
  }
  void runAndSave(Stage& stage, std::size_t count) {
    openExecutable(stage);
    for (std::size_t i = 1; i <= count; ++i) {
      run(stage);
      QTRY_COMPARE(stage.store->runs()->size(), i);
    }
  }

 private Q_SLOTS:
  void theModelKeepsTheRulesOfModels() {
    RunsModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    QPersistentModelIndex kept;
    for (int round = 0; round < 40; ++round) {
      std::vector<store::StoredRun> runs;
      for (int id = 40; id > 0; --id) {
        if ((id * 7 + round * 3) % 5 == 0) continue;
        runs.push_back(storedRun(id, id % 2 == 0 ? "even.so" : "odd.so", 1000.0 * ((id * 31) % 17)));
      }
      model.setRuns(listOf(runs));
      model.sort(round % RunsModel::kColumns, round % 2 == 0 ? Qt::AscendingOrder : Qt::DescendingOrder);
      model.setFilter(round % 3 == 0 ? QStringLiteral("even") : QString());
      model.setTicked(runs.front().id, true);
      const int row = model.rowOf(12);
      if (kept.isValid()) QCOMPARE(row, kept.row());
      kept = row < 0 ? QPersistentModelIndex() : QPersistentModelIndex(model.index(row, RunsModel::Note));
    }
    model.setRuns(listOf({}));
    QCOMPARE(model.rowCount(), 0);
    QVERIFY(model.ticked().empty());
  }

  void numbersSayWhatIsKnown() {
    RunsModel model;
    store::StoredRun once = storedRun(1, "a.so", 82700);
    once.noise.reset();
    once.repeats = 7;
    once.complete = false;
    store::StoredRun empty;
    empty.id = 2;
    model.setRuns(listOf({empty, once}));
    const int row = model.rowOf(1), other = model.rowOf(2);
    const auto text = [&](int at, int column) { return model.index(at, column).data().toString(); };
    QCOMPARE(text(row, RunsModel::Total), QStringLiteral("82.7"));
    QCOMPARE(text(row, RunsModel::Noise), QStringLiteral("–"));
    QCOMPARE(text(row, RunsModel::Repeats), QStringLiteral("7 of 30"));
    QCOMPARE(text(row, RunsModel::Target), QStringLiteral("This computer"));
    QCOMPARE(text(other, RunsModel::Total), QStringLiteral("–"));
    QCOMPARE(text(other, RunsModel::Model), QStringLiteral("–"));
    model.setRuns(listOf({storedRun(3, "quick.so", 12.5)}));
    QCOMPARE(text(0, RunsModel::Total), QStringLiteral("0.013"));
    model.sort(RunsModel::Total, Qt::AscendingOrder);
    model.setRuns(listOf({storedRun(1, "a.so", 3e6), storedRun(2, "b.so", 1e6), empty}));
    QCOMPARE(model.runAt(1).executable, std::string("b.so"));
  }

  void aSavedBoardIsCalledByItsName() {
    RunsModel model;
    store::StoredRun direct = storedRun(1, "a.so", 10), other = storedRun(2, "b.so", 20),
                     tracked = storedRun(3, "c.so", 30);
    direct.target = "rpc://10.0.0.7:9090";
    other.target = "rpc://10.0.0.8:9090";
    tracked.target = "tracker://lab:9190/rpi4?priority=1&timeout=60";
    model.setRuns(listOf({direct, other, tracked}));
    const auto target = [&](store::RunId id) {
      return model.index(model.rowOf(id), RunsModel::Target).data().toString();
    };
    QCOMPARE(target(1), QStringLiteral("rpc://10.0.0.7:9090"));
    SavedBoard pi, lab;
    pi.name = QStringLiteral("Pi on the desk");
    pi.address = QStringLiteral("10.0.0.7:9090");
    lab.name = QStringLiteral("lab, rpi4");
    lab.kind = SavedBoard::Kind::Tracker;
    lab.address = QStringLiteral("lab:9190");
    lab.key = QStringLiteral("rpi4");
    model.setBoards({pi, lab});
    QCOMPARE(target(1), pi.name);
    QCOMPARE(target(2), QStringLiteral("rpc://10.0.0.8:9090"));
    QCOMPARE(target(3), lab.name);
    const QString tip = model.index(model.rowOf(1), RunsModel::Target).data(Qt::ToolTipRole).toString();
    QVERIFY2(tip.contains(QLatin1String("rpc://10.0.0.7:9090")), qPrintable(tip));
    // Found by both, and sorted by what is shown.
    for (const char* words : {"desk", "10.0.0.7"}) {
      model.setFilter(QLatin1String(words));
      QCOMPARE(model.rowCount(), 1);
    }
    model.setFilter({});
    model.setBoards({});
    QCOMPARE(target(1), QStringLiteral("rpc://10.0.0.7:9090"));
  }

  void boardsOfOneNameAreToldApart() {
    SavedBoard one, two, third;
    one.name = two.name = QStringLiteral("127.0.0.1");
    one.address = QStringLiteral("127.0.0.1:9090");
    two.address = QStringLiteral("127.0.0.1:9091");
    third.name = QStringLiteral("Pi");
    third.address = QStringLiteral("10.0.0.7:9090");
    RunsModel model;
    store::StoredRun run = storedRun(1, "net.so", 100);
    run.target = "rpc://127.0.0.1:9091";
    model.setRuns(listOf({run}));
    model.setBoards({one, two, third});
    QCOMPARE(model.index(0, RunsModel::Target).data().toString(), two.address);
    BoardList boards;
    for (const SavedBoard& board : {one, two, third}) boards.add(board);
    const TargetList targets(&boards);
    QCOMPARE(targets.index(2).data().toString(), one.address);
    QCOMPARE(targets.index(3).data().toString(), two.address);
    QCOMPARE(targets.index(4).data().toString(), third.name);
    QCOMPARE(targetName(boards, targets.idAt(3)), two.address);
    // A name of its own, given twice, keeps its words.
    one.name = two.name = QStringLiteral("desk");
    QCOMPARE(distinctName({one, two}, two), QStringLiteral("desk (127.0.0.1:9091)"));
  }

  void everyRunIsSaved() {
    Stage stage;
    runAndSave(stage, 1);
    QTRY_VERIFY(stage.workspace->origin().saved.has_value());
    auto* panel = stage.window->findChild<RunsPanel*>();
    QTRY_COMPARE(panel->model()->rowCount(), 1);
    QVERIFY(panel->isVisible());
    QCOMPARE(panel->table()->currentIndex().row(), 0);
    // What failed half way is kept too.
    stage.workspace->profile();
    testing::SyntheticOptions options;
    options.repeats = 7;
    stage.session.post(session::RequestFailed{
        {base::ErrorCode::KernelFailed, "a kernel raised", "", ""}, testing::syntheticDocument(options), {}});
    QTRY_COMPARE(stage.store->runs()->size(), std::size_t(2));
    QCOMPARE(panel->model()->index(panel->model()->rowOf(2), RunsModel::Repeats).data().toString(),
             QStringLiteral("7 of 30"));
    stage.workspace->dismissFailure();
    // Not when it is turned off.
    stage.command("run.save")->trigger();
    run(stage);
    QVERIFY(stage.store->waitForDone(10000));
    QTest::qWait(50);
    QCOMPARE(stage.store->runs()->size(), std::size_t(2));
    QVERIFY(!stage.command("run.save")->isChecked());
  }

  void aRunThatCannotBeSavedIsKeptAndTold() {
    Stage stage(QStringLiteral("missing/runs.sqlite"));
    openExecutable(stage);
    run(stage);
    auto* bar = stage.window->findChild<StoreBar*>();
    QTRY_VERIFY(bar->isVisible());
    QCOMPARE(stage.store->unsavedCount(), std::size_t(1));
    QVERIFY(QDir(stage.folder.path()).mkdir(QStringLiteral("missing")));
    for (QPushButton* button : bar->findChildren<QPushButton*>()) {
      if (button->text() == QLatin1String("Try again")) QTest::mouseClick(button, Qt::LeftButton);
    }
    QTRY_COMPARE(stage.store->runs()->size(), std::size_t(1));
    QCOMPARE(stage.store->unsavedCount(), std::size_t(0));
    QVERIFY(!bar->isVisible());
  }

  void whatOthersSaveIsShown() {
    Stage stage;
    runAndSave(stage, 1);
    auto* panel = stage.window->findChild<RunsPanel*>();
    saveFromOutside(stage.storeFile(), "other.so");
    QTRY_COMPARE(panel->model()->rowCount(), 2);
    QVERIFY(names(*panel->model()).contains(QStringLiteral("other.so")));
    // A store that is taken away is an empty one, and a new one in its place is followed.
    for (const char* end : {"", "-wal", "-shm"}) QFile::remove(stage.storeFile() + QLatin1String(end));
    QTRY_COMPARE(panel->model()->rowCount(), 0);
    saveFromOutside(stage.storeFile(), "third.so");
    QTRY_COMPARE(names(*panel->model()), QStringList{QStringLiteral("third.so")});
  }

  void aSavedRunOpensByReturnAndDoubleClick() {
    Stage stage;
    saveFromOutside(stage.storeFile(), "first.so");
    saveFromOutside(stage.storeFile(), "second.so");
    runAndSave(stage, 0);
    auto* panel = stage.window->findChild<RunsPanel*>();
    QTRY_COMPARE(panel->model()->rowCount(), 2);
    DataTable* table = panel->table();
    click(table, panel->model()->index(0, RunsModel::Model));
    QTest::keyClick(table, Qt::Key_Return);
    QTRY_VERIFY(stage.workspace->run() != nullptr);
    QCOMPARE(int(stage.workspace->origin().kind), int(RunOrigin::Kind::Saved));
    const auto first = stage.workspace->origin().saved;
    // The same file is open, so it stays open.
    QVERIFY(stage.workspace->executable() != nullptr);
    click(table, panel->model()->index(1, RunsModel::Model), true);
    QTRY_VERIFY(stage.workspace->origin().saved != first);
    QVERIFY(stage.workspace->run() != nullptr);
  }

  void notesAndTagsAreWrittenInPlace() {
    Stage stage;
    runAndSave(stage, 1);
    auto* panel = stage.window->findChild<RunsPanel*>();
    DataTable* table = panel->table();
    QTRY_COMPARE(panel->model()->rowCount(), 1);
    click(table, panel->model()->index(0, RunsModel::Model));
    table->setFocus();
    QTest::keyClick(table, Qt::Key_F2);
    auto* field = table->viewport()->findChild<QLineEdit*>();
    QVERIFY(field != nullptr);
    QTest::keyClicks(field, QStringLiteral("base"));
    // A list that comes while the note is written leaves it alone.
    saveFromOutside(stage.storeFile(), "other.so");
    QTRY_COMPARE(panel->model()->rowCount(), 2);
    QCOMPARE(table->viewport()->findChild<QLineEdit*>(), field);
    QTest::keyClicks(field, QStringLiteral("line"));
    QTest::keyClick(field, Qt::Key_Return);
    QTRY_COMPARE(QString::fromStdString(stage.store->find(1)->note), QStringLiteral("baseline"));
    // Return ended the note; it does not open the run.
    QVERIFY(!stage.workspace->isOpening());
    QTest::keyClick(table, Qt::Key_F2, Qt::ShiftModifier);
    QTRY_VERIFY(table->viewport()->findChild<QLineEdit*>() != nullptr);
    QTRY_VERIFY(qobject_cast<QLineEdit*>(QApplication::focusWidget()) != nullptr);
    QTest::keyClicks(QApplication::focusWidget(), QStringLiteral("nightly, avx2 ,nightly"));
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Return);
    QTRY_COMPARE(stage.store->find(1)->tags, (std::vector<std::string>{"avx2", "nightly"}));
  }

  void deletingCanBeTakenBack() {
    Stage stage;
    runAndSave(stage, 3);
    auto* panel = stage.window->findChild<RunsPanel*>();
    QTRY_COMPARE(panel->model()->rowCount(), 3);
    click(panel->table(), panel->model()->index(0, RunsModel::Model));
    panel->table()->setFocus();
    QTest::keyClick(panel->table(), Qt::Key_Delete);
    QTRY_COMPARE(panel->model()->rowCount(), 2);
    for (LinkButton* link : panel->findChildren<LinkButton*>()) {
      if (link->text() == QLatin1String("Undo")) QTest::mouseClick(link, Qt::LeftButton);
    }
    QTRY_COMPARE(panel->model()->rowCount(), 3);
    click(panel->table(), panel->model()->index(0, RunsModel::Model));
    QTest::keyClick(panel->table(), Qt::Key_Delete);
    QTRY_COMPARE(panel->model()->rowCount(), 2);
    stage.store->finishRemoval();
    QVERIFY(stage.store->waitForDone(10000));
    auto other = store::Store::open(stage.storeFile().toStdString(), store::Access::Read);
    QVERIFY(other.has_value());
    QCOMPARE(other->list({}).value_or(RunStore::Runs()).size(), std::size_t(2));
  }

  void filterSortAndTicks() {
    Stage stage;
    for (const char* name : {"alpha.so", "beta.so", "gamma.so"}) saveFromOutside(stage.storeFile(), name);
    openExecutable(stage);
    auto* panel = stage.window->findChild<RunsPanel*>();
    QTRY_COMPARE(panel->model()->rowCount(), 3);
    QHeaderView* header = panel->table()->horizontalHeader();
    QTest::mouseClick(header->viewport(), Qt::LeftButton, {},
                      QPoint(header->sectionViewportPosition(RunsModel::Model) + 20, 10));
    QCOMPARE(names(*panel->model()).front(), QStringLiteral("alpha.so"));
    panel->table()->setFocus();
    QTest::keyClick(stage.window.get(), Qt::Key_F, Qt::ControlModifier);
    auto* field = panel->findChild<QLineEdit*>();
    QTest::keyClicks(field, QStringLiteral("MAIN bet"));
    QTRY_COMPARE(names(*panel->model()), QStringList{QStringLiteral("beta.so")});
    field->clear();
    panel->model()->setFilter({});
    for (const int row : {0, 1, 2}) click(panel->table(), panel->model()->index(row, RunsModel::Tick));
    QCOMPARE(panel->model()->ticked(), (std::vector<store::RunId>{2, 3}));
    click(panel->table(), panel->model()->index(1, RunsModel::Tick));
    QCOMPARE(panel->model()->ticked(), (std::vector<store::RunId>{3}));
  }

  void aThousandRunsAreListed() {
    std::vector<store::StoredRun> runs;
    for (int id = 1000; id > 0; --id) runs.push_back(storedRun(id, "net.so", 500.0 * id));
    RunsModel model;
    model.setRuns(listOf(runs));
    model.sort(RunsModel::Total, Qt::AscendingOrder);
    QCOMPARE(model.rowCount(), 1000);
    QCOMPARE(model.runAt(0).id, store::RunId(1));
    model.setFilter(QStringLiteral("nothing at all"));
    QCOMPARE(model.rowCount(), 0);
  }

  void aSessionFileHoldsARunWhole() {
    Stage stage;
    runAndSave(stage, 1);
    const QString path = stage.folder.filePath(QStringLiteral("for-you.opscope"));
    QSignalSpy noticed(stage.workspace.get(), &Workspace::noticed);
    stage.workspace->exportSaved(1, path);
    QTRY_VERIFY(QFile::exists(path));
    QTRY_VERIFY(noticed.count() > 0);
    const auto before = stage.workspace->run();
    stage.workspace->openFile(path);
    QTRY_VERIFY(stage.workspace->run() != nullptr && stage.workspace->run() != before);
    QVERIFY(stage.workspace->run()->run() == before->run());
    QCOMPARE(stage.workspace->origin().format, QStringLiteral("session file"));
    QCOMPARE(QDir(stage.folder.path()).entryList({QStringLiteral("*.part*")}).size(), 0);
    stage.workspace->exportSession(QStringLiteral("/nowhere/at/all.opscope"));
    QTRY_VERIFY(stage.workspace->failure().has_value());
  }

  void aSessionFileThatFindsNoRoomIsNamed() {
    Stage stage;
    runAndSave(stage, 1);
    const QString path = stage.folder.filePath(QStringLiteral("for-you.opscope"));
    // As a full disk, but for this process alone.
    rlimit before{};
    QCOMPARE(::getrlimit(RLIMIT_FSIZE, &before), 0);
    const auto handler = ::signal(SIGXFSZ, SIG_IGN);
    rlimit small = before;
    small.rlim_cur = 4096;
    QCOMPARE(::setrlimit(RLIMIT_FSIZE, &small), 0);
    const auto written = writeStoreFile(stage.workspace->run()->document, {}, path.toStdString());
    ::setrlimit(RLIMIT_FSIZE, &before);
    ::signal(SIGXFSZ, handler);
    QVERIFY(!written);
    const QString message = QString::fromStdString(written.error().message);
    QVERIFY2(message.contains(QStringLiteral("session file ") + path + QLatin1Char(' ')),
             qPrintable(message));
    QVERIFY2(!message.contains(QStringLiteral(".part")), qPrintable(message));
    QCOMPARE(QDir(stage.folder.path()).entryList({QStringLiteral("for-you*")}).size(), 0);
  }

  void whoClosesWithAnUnsavedRunMayTryAgain() {
    Stage stage(QStringLiteral("none yet/runs.sqlite"));
    openExecutable(stage);
    runToEnd(stage);
    QTRY_COMPARE(stage.store->unsavedCount(), std::size_t(1));
    // The question is answered by its buttons while it waits, each time with the next of these words.
    QStringList answers;
    QTimer hand;
    connect(&hand, &QTimer::timeout, this, [&answers]() {
      auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
      if (box == nullptr || answers.isEmpty()) return;
      QVERIFY(box->informativeText().contains(QStringLiteral("none yet/runs.sqlite")));
      QPushButton* button = buttonOf(box, answers.takeFirst());
      QVERIFY(button != nullptr);
      QTest::mouseClick(button, Qt::LeftButton);
    });
    hand.start(5);
    answers = QStringList{QStringLiteral("Stay")};
    QVERIFY(!stage.window->close());
    // Still no place: it asks once more.
    answers = QStringList{QStringLiteral("Try again"), QStringLiteral("Stay")};
    QVERIFY(!stage.window->close());
    QTRY_VERIFY(answers.isEmpty());
    QVERIFY(stage.window->isVisible());
    QCOMPARE(stage.store->unsavedCount(), std::size_t(1));
    QVERIFY(QDir(stage.folder.path()).mkdir(QStringLiteral("none yet")));
    answers = QStringList{QStringLiteral("Try again")};
    QVERIFY(!stage.window->close());
    QTRY_VERIFY(!stage.window->isVisible());
    QCOMPARE(stage.store->unsavedCount(), std::size_t(0));
    QVERIFY(QFile::exists(stage.storeFile()));
  }

  void theFoldedPanelIsAStrip() {
    Stage stage;
    runAndSave(stage, 1);
    auto* panel = stage.window->findChild<RunsPanel*>();
    QVERIFY(!panel->isFolded());
    const int open = panel->height();
    QTest::keyClick(stage.window.get(), Qt::Key_3, Qt::ControlModifier | Qt::AltModifier);
    QVERIFY(panel->isFolded());
    QCOMPARE(panel->height(), stage.theme.px(28));
    QVERIFY(stage.window->showPageById(QStringLiteral("ops")));
    QVERIFY(!panel->isFolded());
    QCOMPARE(panel->height(), open);
    QCOMPARE(panel->width(), stage.window->width());
  }
};

}  // namespace opscope::ui

QTEST_MAIN(opscope::ui::RunsTest)
#include "runs_test.moc"
