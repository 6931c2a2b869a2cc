// SPDX-License-Identifier: GPL-3.0-or-later
// What is open and what runs: files opened during a run, input files that are mended, executables for another
// computer, and what the pages say meanwhile.
#include <QDropEvent>
#include <QFile>
#include <QHeaderView>
#include <QLabel>
#include <QMessageBox>
#include <QMimeData>
#include <QPushButton>
#include <QtTest>

#include "engine/arrays/npy.h"
#include "engine/report/exporters.h"
#include "engine/store/store.h"
#include "tests/ui/support/window_stage.h"
#include "ui/shell/run_tool_bar.h"
#include "ui/views/look/properties.h"
#include "ui/views/ops_page.h"
#include "ui/views/widgets/labels.h"
#include "ui/views/widgets/panels.h"

namespace opscope::ui {

using testing::openExecutable;
using testing::runToEnd;
using testing::Stage;

class WorkspaceTest : public QObject {
  Q_OBJECT

 private:
  static bool shows(const Stage& stage, const QString& text) {
    const auto labels = stage.window->findChildren<QLabel*>();
    return std::any_of(labels.begin(), labels.end(), [&](const QLabel* label) {
      return label->isVisible() && label->text().contains(text);
    });
  }
  static QPushButton* button(const Stage& stage, const QString& text) {
    for (QPushButton* candidate : stage.window->findChildren<QPushButton*>()) {
      if (candidate->isVisible() && candidate->text() == text) return candidate;
    }
    return nullptr;
  }
  /// Filled buttons that can be pressed.
  static int accents(const Stage& stage) {
    const auto buttons = stage.window->findChildren<QPushButton*>();
    return int(std::count_if(buttons.begin(), buttons.end(), [](const QPushButton* candidate) {
      return candidate->isVisible() && candidate->isEnabled() && candidate->property(kPrimary).toBool();
    }));
  }

 private Q_SLOTS:
  void anotherFileEndsARunOnceItIsOpen() {
    Stage stage;
    openExecutable(stage);
    stage.workspace->profile();
    const auto runSink = stage.session.sink;
    const session::RequestId run = stage.session.last;
    stage.workspace->openFile(QStringLiteral("/models/other.so"));
    QTRY_COMPARE(stage.session.opens.size(), std::size_t(2));
    QVERIFY(stage.workspace->isRunning());
    QCOMPARE(stage.session.stops, 0);
    stage.session.post(session::ExecutableOpened{testing::syntheticExecutable()});
    QMessageBox* asked = nullptr;
    QTRY_VERIFY((asked = stage.window->findChild<QMessageBox*>()) != nullptr);
    for (QAbstractButton* answer : asked->buttons()) {
      if (answer->text() == QLatin1String("End the run and open")) QTest::mouseClick(answer, Qt::LeftButton);
    }
    QTRY_COMPARE(stage.session.opens.size(), std::size_t(3));
    QCOMPARE(stage.session.stops, 1);
    QVERIFY(!stage.workspace->isRunning());
    // What was measured up to the stop is kept, and not shown as a run of the new file.
    runSink({run, session::ProfileFinished{testing::syntheticDocument()}});
    stage.session.post(session::ExecutableOpened{testing::syntheticExecutable()});
    QTRY_VERIFY(!stage.workspace->isOpening());
    QTRY_COMPARE(stage.store->runs()->size(), std::size_t(1));
    QTest::qWait(50);
    QVERIFY(stage.workspace->run() == nullptr);
    QVERIFY(stage.workspace->canRun());
  }

  void aFileThatCannotBeOpenedLeavesTheRun() {
    Stage stage;
    openExecutable(stage);
    stage.workspace->profile();
    const auto runSink = stage.session.sink;
    const session::RequestId run = stage.session.last;
    stage.workspace->openFile(QStringLiteral("/models/notes.txt"));
    QTRY_COMPARE(stage.session.opens.size(), std::size_t(2));
    stage.session.post(session::RequestFailed{
        {base::ErrorCode::Format, "notes.txt is not a shared library", {}, {}}, {}, {}});
    QTRY_VERIFY(stage.workspace->failure().has_value());
    QCOMPARE(stage.workspace->failure()->during, Failure::During::Opening);
    QVERIFY(stage.workspace->isRunning());
    QVERIFY(!stage.workspace->isOpening());
    QCOMPARE(stage.session.stops, 0);
    QCOMPARE(stage.workspace->fileName(), QStringLiteral("shufflenet.so"));
    QVERIFY(shows(stage, QStringLiteral("notes.txt is not a shared library")));
    // A report that is broken does no more harm, and the run comes to its end.
    const QString broken = stage.folder.filePath(QStringLiteral("r.json"));
    QFile file(broken);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("{\"calls\": [");
    file.close();
    stage.workspace->openFile(broken);
    QTRY_VERIFY(stage.workspace->failure()->path == broken);
    QVERIFY(stage.workspace->isRunning());
    runSink({run, session::ProfileFinished{testing::syntheticDocument()}});
    QTRY_VERIFY(stage.workspace->run() != nullptr);
    QVERIFY(!stage.workspace->isRunning());
  }

  void aFileThatIsClosedKeepsWhatWasMeasured() {
    Stage stage;
    openExecutable(stage);
    stage.workspace->profile();
    const auto sink = stage.session.sink;
    stage.workspace->closeFile();
    sink({stage.session.last, session::ProfileFinished{testing::syntheticDocument()}});
    QTRY_COMPARE(stage.store->runs()->size(), std::size_t(1));
    // So does the end of the program.
    stage.workspace->openFile(QStringLiteral("/models/shufflenet.so"));
    QTRY_COMPARE(stage.session.opens.size(), std::size_t(2));
    stage.session.post(session::ExecutableOpened{testing::syntheticExecutable()});
    QTRY_VERIFY(stage.workspace->canRun());
    stage.workspace->profile();
    stage.session.post(session::ProfileFinished{testing::syntheticDocument()});
    QVERIFY(stage.workspace->shutDown());
    auto reopened = store::Store::open(stage.storeFile().toStdString(), store::Access::Read);
    QVERIFY(reopened);
    QCOMPARE(reopened->list({})->size(), std::size_t(2));
  }

  void otherRepeatsAreNoOtherInputs() {
    Stage stage;
    openExecutable(stage);
    testing::runToEnd(stage);
    QVERIFY(!stage.workspace->isStale());
    stage.workspace->setRunLengths(7, 2);
    QVERIFY(!stage.workspace->isStale());
    stage.workspace->form()->setSource(0, InputSource::Zeros);
    QVERIFY(stage.workspace->isStale());
    // A number is seen whole.
    auto* spin = stage.window->findChild<RunToolBar*>()->findChildren<QSpinBox*>().front();
    spin->setValue(100000);
    const auto* edit = spin->findChild<QLineEdit*>();
    QTRY_VERIFY(edit->fontMetrics().horizontalAdvance(edit->text()) < edit->width());
  }

  void aMendedInputFileIsReadAgain() {
    Stage stage;
    openExecutable(stage);
    const QString path = stage.folder.filePath(QStringLiteral("take2.npy"));
    const std::vector<std::int64_t> shape = {1, 3, 224, 224};
    const auto zeros =
        arrays::Array::make({}, shape, *arrays::Bytes::allocate(*arrays::byteCount({}, shape)));
    QVERIFY(arrays::writeNpy(path.toStdString(), *zeros));
    stage.workspace->form()->setSource(0, InputSource::File);
    stage.workspace->form()->setFile(0, path, {});
    QTRY_VERIFY(stage.workspace->form()->listingOf(stage.workspace->form()->fields()[0]) != nullptr);
    QVERIFY2(stage.workspace->canRun(), qPrintable(stage.workspace->form()->firstProblem()));
    stage.workspace->profile();
    const base::Error wrong{base::ErrorCode::InvalidArgument,
                            "Input x does not fit.",
                            "Needs float32 [1, 3, 224, 224]. The file take2.npy has float64 [1, 44100, 1].",
                            {}};
    stage.session.post(session::RequestFailed{wrong, {}, "x"});
    QTRY_COMPARE(stage.workspace->form()->problemCount(), 1);
    QVERIFY(shows(stage, QStringLiteral("main did not run.")));
    QTRY_VERIFY(button(stage, QStringLiteral("Read it again and run")) != nullptr);
    QCOMPARE(accents(stage), 1);
    QPushButton* again = button(stage, QStringLiteral("Read it again and run"));
    QVERIFY(stage.command("run.profile")->isEnabled());
    QTest::mouseClick(again, Qt::LeftButton);
    QTRY_COMPARE(stage.session.profiles.size(), std::size_t(2));
    QCOMPARE(stage.workspace->form()->problemCount(), 0);
    stage.session.post(session::RequestFailed{wrong, {}, "x"});
    QTRY_COMPARE(stage.workspace->form()->problemCount(), 1);
    // What went wrong otherwise has the next step in its panel.
    stage.workspace->profile();
    stage.session.post(
        session::RequestFailed{{base::ErrorCode::KernelFailed, "conv failed", {}, {}}, {}, {}});
    QTRY_VERIFY(stage.workspace->failure().has_value());
    QTRY_COMPARE(accents(stage), 1);
    QVERIFY(button(stage, QStringLiteral("Run again"))->property(kPrimary).toBool());
    stage.workspace->dismissFailure();
    // A problem that no file can mend still keeps from running.
    stage.workspace->form()->setFile(0, {}, {});
    QVERIFY(!stage.workspace->canRun());
    QVERIFY(shows(stage, QStringLiteral("main cannot run yet.")));
  }

  void aRunThatFailsLeavesTheInputsOfTheRunThatIsShown() {
    Stage stage;
    openExecutable(stage);
    runToEnd(stage);
    stage.workspace->form()->setSource(0, InputSource::File);
    stage.workspace->form()->setFile(0, QStringLiteral("take2.npy"), {});
    QVERIFY(stage.workspace->isStale());
    QTest::keyClick(stage.window.get(), Qt::Key_F5);
    QTRY_COMPARE(stage.session.profiles.size(), std::size_t(2));
    stage.session.post(
        session::RequestFailed{{base::ErrorCode::InvalidArgument, "Input x does not fit.", {}, {}}, {}, "x"});
    QTRY_COMPARE(stage.workspace->form()->problemCount(), 1);
    // The numbers are still those of the random values, and come true again with them.
    QVERIFY(stage.workspace->isStale());
    stage.workspace->form()->setSource(0, InputSource::Random);
    QVERIFY(!stage.workspace->isStale());
    QVERIFY(!shows(stage, QStringLiteral("Measured with other inputs")));
    // A run that succeeds is the one that is shown.
    stage.workspace->form()->setSource(0, InputSource::Zeros);
    QVERIFY(shows(stage, QStringLiteral("Measured with other inputs")));
    QTest::keyClick(stage.window.get(), Qt::Key_F5);
    QTRY_COMPARE(stage.session.profiles.size(), std::size_t(3));
    stage.session.post(session::ProfileFinished{testing::syntheticDocument()});
    QTRY_VERIFY(!stage.workspace->isRunning());
    QVERIFY(!stage.workspace->isStale());
  }

  void theFirstRunIsNotReadyToRun() {
    Stage stage;
    openExecutable(stage);
    QVERIFY(shows(stage, QStringLiteral("Ready to run main")));
    stage.workspace->profile();
    QVERIFY(!shows(stage, QStringLiteral("Ready to run")));
    QVERIFY(shows(stage, QStringLiteral("main runs")));
  }

  void anExecutableForAnotherComputerIsShownAndNotRun() {
    Stage stage;
    stage.workspace->openFile(QStringLiteral("/models/board.so"));
    QTRY_COMPARE(stage.session.opens.size(), std::size_t(1));
    auto info = std::make_shared<session::ExecutableInfo>(*testing::syntheticExecutable());
    info->architecture = "aarch64";
    info->runsHere = false;
    info->path = "/models/board.so";
    stage.session.post(session::ExecutableOpened{info});
    QTRY_VERIFY(stage.workspace->executable() != nullptr);
    QVERIFY(!stage.workspace->canRun());
    QVERIFY(!stage.command("run.profile")->isEnabled());
    QVERIFY(shows(stage, QStringLiteral("board.so cannot run on this computer.")));
    QVERIFY(!shows(stage, QStringLiteral("Ready to run")));
  }

  void shapesStayBetweenOpenPanels() {
    Stage stage;
    openExecutable(stage);
    testing::SyntheticOptions options;
    options.longNames = true;
    stage.workspace->profile();
    stage.session.post(session::ProfileFinished{testing::syntheticDocument(options)});
    QTRY_VERIFY(stage.workspace->run() != nullptr);
    stage.window->showPageById(QStringLiteral("ops"));
    auto* ops = stage.window->findChild<OpsPage*>();
    QTest::qWait(50);
    const int shapes = ops->model()->columnOf(OpsColumn::Kind::Shapes);
    for (const int width : {1440, 1600, 1920}) {
      stage.window->resize(width, 900);
      QTest::qWait(50);
      QVERIFY2(ops->width() < width - 400, "both panels are open");
      QVERIFY2(!ops->table()->isColumnHidden(shapes), qPrintable(QString::number(width)));
      QVERIFY(ops->table()->columnWidth(shapes) >= 80);
      QVERIFY(ops->table()->columnWidth(0) >= 120);
      int sum = 0;
      for (int i = 0; i < ops->model()->columnCount(); ++i) sum += ops->table()->columnWidth(i);
      QVERIFY2(sum <= ops->table()->viewport()->width() + 1, qPrintable(QString::number(sum)));
    }
  }

  void aReportWithoutKernelsTellsNoPercentOfNothing() {
    Stage stage;
    const QString path = stage.folder.filePath(QStringLiteral("odd.json"));
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(R"j({"calls":[{"Name":{"string":"conv"},"Duration (us)":{"microseconds":0.0},)j"
               R"j("Device":{"string":"cpu0"},"Count":{"count":1}}],)j"
               R"j("device_metrics":{"cpu0":{"Duration (us)":{"microseconds":10.0}}},"configuration":{}})j");
    file.close();
    stage.workspace->openFile(path);
    QTRY_VERIFY(stage.workspace->run() != nullptr);
    for (const QLabel* label : stage.window->findChildren<QLabel*>()) {
      QVERIFY2(!label->isVisible() || !label->text().startsWith(QLatin1String("0.0\u00A0% of")),
               qPrintable(label->text()));
    }
    QVERIFY(shows(stage, QStringLiteral("none in this report")));
  }

  void aFileCanBeDroppedAnywhere() {
    Stage stage;
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(QStringLiteral("/models/shufflenet.so"))});
    const QPoint point(400, 300);
    QDragEnterEvent enter(point, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(stage.window.get(), &enter);
    QVERIFY(enter.isAccepted());
    QDropEvent drop(point, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(stage.window.get(), &drop);
    QTRY_COMPARE(stage.session.opens.size(), std::size_t(1));
    // Lists that are empty, and places in the web, are no files.
    for (const char* list : {"", "https://example.org/a.so\r\n"}) {
      QMimeData none;
      none.setData(QStringLiteral("text/uri-list"), QByteArray(list));
      QDropEvent away(point, Qt::CopyAction, &none, Qt::LeftButton, Qt::NoModifier);
      QCoreApplication::sendEvent(stage.window.get(), &away);
    }
    QTest::qWait(20);
    QCOMPARE(stage.session.opens.size(), std::size_t(1));
    QMimeData text;
    text.setText(QStringLiteral("words"));
    QDragEnterEvent words(point, Qt::CopyAction, &text, Qt::LeftButton, Qt::NoModifier);
    words.ignore();
    QCoreApplication::sendEvent(stage.window.get(), &words);
    QVERIFY(!words.isAccepted());
  }

  void anExportIntoAFolderThatIsNoneIsToldInThePage() {
    Stage stage;
    openExecutable(stage);
    runToEnd(stage);
    stage.workspace->exportRun(report::exporters().front(), QStringLiteral("/proc/none/r.json"));
    QTRY_VERIFY(stage.workspace->failure().has_value());
    QCOMPARE(stage.workspace->failure()->during, Failure::During::Exporting);
    QVERIFY(shows(stage, QStringLiteral("/proc/none")));
    QVERIFY(stage.workspace->run() != nullptr);
  }

  void aDumpThatCannotBeWrittenIsAFileThatWasNotWritten() {
    Stage stage;
    openExecutable(stage);
    runToEnd(stage);
    stage.workspace->dumpTensors(QStringLiteral("/proc/none"));
    QTRY_COMPARE(stage.session.runs.size(), std::size_t(1));
    session::RequestFailed failed;
    failed.error = {base::ErrorCode::Io, "/proc/none/dump.npz cannot be written", "No such folder", ""};
    stage.session.post(std::move(failed));
    QTRY_VERIFY(stage.workspace->failure().has_value());
    QCOMPARE(stage.workspace->failure()->during, Failure::During::Exporting);
    QVERIFY(shows(stage, QStringLiteral("The file was not written")));
    QVERIFY(!stage.workspace->isRunning() && stage.workspace->run() != nullptr);
  }

  void aBoardThatDoesNotAnswerARunIsToldSo() {
    Stage stage;
    SavedBoard board;
    board.name = QStringLiteral("nuc");
    board.address = QStringLiteral("10.0.0.7:9090");
    const QString id =
        stage.workspace->boards()->boards()[std::size_t(stage.workspace->boards()->add(board))].id;
    stage.workspace->boards()->setState(id, true, QStringLiteral("answers"), {QStringLiteral("cpu:0")});
    openExecutable(stage);
    stage.workspace->setTarget(id);
    QTest::keyClick(stage.window.get(), Qt::Key_F5);
    QTRY_COMPARE(stage.session.profiles.size(), std::size_t(1));
    session::RequestFailed failed;
    failed.error = {base::ErrorCode::ConnectionLost, "10.0.0.7:9090 refuses the connection", "", ""};
    stage.session.post(std::move(failed));
    QTRY_VERIFY(stage.workspace->failure().has_value());
    QVERIFY(!stage.workspace->boards()->find(id)->passed);
    QCOMPARE(stage.workspace->boards()->find(id)->state, QStringLiteral("no answer"));
  }

  void aLongReportStaysUsable() {
    Stage stage;
    testing::SyntheticOptions options;
    options.groups = options.calls = 100000;
    options.repeats = options.repeatsWanted = 2;
    openExecutable(stage);
    stage.workspace->profile();
    stage.session.post(session::ProfileFinished{testing::syntheticDocument(options)});
    QTRY_VERIFY_WITH_TIMEOUT(stage.workspace->run() != nullptr, 60000);
    auto* ops = stage.window->findChild<OpsPage*>();
    stage.window->showPageById(QStringLiteral("ops"));
    QTRY_COMPARE_WITH_TIMEOUT(ops->model()->rowCount(), 100000, 60000);
    ops->model()->sort(0, Qt::AscendingOrder);
    QTRY_VERIFY_WITH_TIMEOUT(!ops->model()->isBusy(), 60000);
    stage.workspace->selection()->setFilter({QStringLiteral("9999"), false});
    QTRY_VERIFY_WITH_TIMEOUT(!ops->model()->isBusy() && ops->model()->rowCount() < 1000, 60000);
    for (const char* page : {"charts", "timeline", "summary"}) {
      stage.window->showPageById(QLatin1String(page));
      QTest::qWait(20);
    }
  }
};

}  // namespace opscope::ui

QTEST_MAIN(opscope::ui::WorkspaceTest)
#include "workspace_test.moc"
