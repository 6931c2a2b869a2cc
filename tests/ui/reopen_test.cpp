// SPDX-License-Identifier: GPL-3.0-or-later
// After the program was killed the next start offers what was open. Files of every kind that can be opened.
#include <QMimeData>
#include <QProcess>
#include <QtTest>
#include <csignal>

#include "engine/report/exporters.h"
#include "engine/report/run_report.h"
#include "tests/ui/support/window_stage.h"
#include "ui/shell/crash_guard.h"
#include "ui/views/executable_panel.h"
#include "ui/views/start_page.h"
#include "ui/views/timeline_page.h"

namespace opscope::ui {

using testing::openExecutable;
using testing::Stage;

class ReopenTest : public QObject {
  Q_OBJECT

 private:
  QString write(const Stage& stage, const char* name, const char* format) {
    const QString path = stage.folder.filePath(QLatin1String(name));
    const auto text = report::findExporter(format)->write(testing::syntheticDocument());
    QFile file(path);
    if (!text || !file.open(QIODevice::WriteOnly)) return {};
    file.write(text->data(), qint64(text->size()));
    return path;
  }

  const QString m_file = QStringLiteral(OPSCOPE_TEST_DATA "/vm/mlp_compiled.so");

  /// The program with a file, until it has noted that it is open.
  void start(QProcess& program, const QTemporaryDir& folder) {
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("XDG_CONFIG_HOME"), folder.path());
    environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("offscreen"));
    program.setProcessEnvironment(environment);
    program.start(QStringLiteral(OPSCOPE_BINARY_DIR "/bin/opscope"),
                  {m_file, QStringLiteral("--store"), folder.filePath(QStringLiteral("runs.sqlite"))});
    QVERIFY(program.waitForStarted());
    const QDir place(folder.filePath(QStringLiteral("opscope")));
    QTRY_VERIFY_WITH_TIMEOUT(!place.entryList({QStringLiteral("open-*.json")}).isEmpty(), 60000);
  }

 private Q_SLOTS:
  void aCleanEndLeavesNothing() {
    const QTemporaryDir folder;
    {
      CrashGuard guard(folder.path());
      guard.keep({QStringLiteral("/models/a.so"), QStringLiteral("main"), {}, 3, QStringLiteral("ops")});
      guard.writeNow();
      QVERIFY(guard.waitForDone(5000));
      QCOMPARE(QDir(folder.path()).entryList({QStringLiteral("open-*.json")}).size(), 1);
      // Another window that starts meanwhile leaves it alone.
      CrashGuard other(folder.path());
      QSignalSpy found(&other, &CrashGuard::found);
      other.look();
      QVERIFY(other.waitForDone(5000));
      QCoreApplication::processEvents();
      QCOMPARE(found.count(), 0);
      QCOMPARE(QDir(folder.path()).entryList({QStringLiteral("open-*.json")}).size(), 1);
    }
    QCOMPARE(QDir(folder.path()).entryList({QStringLiteral("open-*")}).size(), 0);
  }

  void aProgramThatIsAskedToEndLeavesNothing() {
    for (const int number : {SIGTERM, SIGINT, SIGHUP}) {
      const QTemporaryDir folder;
      QProcess program;
      start(program, folder);
      if (QTest::currentTestFailed()) return;
      ::kill(pid_t(program.processId()), number);
      QVERIFY(program.waitForFinished());
      QCOMPARE(program.exitStatus(), QProcess::NormalExit);
      QCOMPARE(program.exitCode(), 0);
      const QDir place(folder.filePath(QStringLiteral("opscope")));
      QCOMPARE(place.entryList({QStringLiteral("open-*")}), QStringList());
    }
  }

  void aKilledProgramLeavesWhatWasOpen() {
    const QTemporaryDir folder;
    QProcess program;
    start(program, folder);
    if (QTest::currentTestFailed()) return;
    const QString place = folder.filePath(QStringLiteral("opscope"));
    ::kill(pid_t(program.processId()), SIGKILL);
    QVERIFY(program.waitForFinished());
    CrashGuard guard(place);
    QSignalSpy found(&guard, &CrashGuard::found);
    guard.look();
    QTRY_COMPARE(found.count(), 1);
    const auto state = found[0][0].value<OpenState>();
    QCOMPARE(state.path, m_file);
    QCOMPARE(state.page, QStringLiteral("summary"));
    QVERIFY(!state.function.isEmpty());
    // It is offered once.
    QCOMPARE(QDir(place).entryList({QStringLiteral("open-*.json")}).size(), 0);
  }

  void anUnknownPageEndsTheProgramBeforeAWindow() {
    for (const bool picture : {false, true}) {
      QProcess program;
      QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
      environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("offscreen"));
      program.setProcessEnvironment(environment);
      QStringList words = {QStringLiteral("--page"), QStringLiteral("moon")};
      if (picture) words << QStringLiteral("--screenshot") << QStringLiteral("/no/such/folder/out.png");
      program.start(QStringLiteral(OPSCOPE_BINARY_DIR "/bin/opscope"), words);
      QVERIFY(program.waitForFinished(30000));
      QCOMPARE(program.exitCode(), 2);
      const QString told = QString::fromUtf8(program.readAllStandardError());
      QVERIFY2(told.contains(QLatin1String("\"moon\" is no page")), qPrintable(told));
      Stage stage;
      QStringList ids = stage.window->pageIds();
      const QString last = ids.takeLast();
      QVERIFY2(told.contains(QStringLiteral("%1 or %2").arg(ids.join(QStringLiteral(", ")), last)),
               qPrintable(told));
    }
  }

  void whatWasOpenOpensAgain() {
    Stage stage;
    stage.store->save(testing::syntheticDocument());
    QTRY_COMPARE(stage.store->runs()->size(), std::size_t(1));
    OpenState state;
    state.path = QStringLiteral("/models/shufflenet.so");
    state.function = QStringLiteral("main");
    state.run = 1;
    state.page = QStringLiteral("ops");
    stage.window->offerRestore(state);
    auto* start = stage.window->findChild<StartPage*>();
    for (QPushButton* button : start->findChildren<QPushButton*>()) {
      if (button->text() == QLatin1String("Open it again")) QTest::mouseClick(button, Qt::LeftButton);
    }
    QTRY_COMPARE(stage.session.opens.size(), std::size_t(1));
    stage.session.post(session::ExecutableOpened{testing::syntheticExecutable()});
    QTRY_VERIFY(stage.workspace->run() != nullptr);
    QVERIFY(stage.workspace->executable() != nullptr);
    QCOMPARE(stage.workspace->origin().saved, std::optional<store::RunId>(1));
    QCOMPARE(stage.window->openState().page, QStringLiteral("ops"));
    QCOMPARE(stage.window->openState().path, state.path);
  }

  void aSavedRunOffersItsExecutable() {
    Stage stage;
    const QString path = stage.folder.filePath(QStringLiteral("shufflenet.so"));
    QVERIFY(QFile(path).open(QIODevice::WriteOnly));
    auto run = std::make_shared<report::Run>(*testing::syntheticDocument().run);
    run->executablePath = path.toStdString();
    stage.store->save(report::makeDocument(run));
    QTRY_COMPARE(stage.store->runs()->size(), std::size_t(1));
    stage.workspace->openSaved(1);
    QTRY_VERIFY(stage.workspace->run() != nullptr);
    auto* panel = stage.window->findChild<ExecutablePanel*>();
    stage.window->showPageById(QStringLiteral("ops"));
    QPushButton* open = nullptr;
    for (QPushButton* button : panel->findChildren<QPushButton*>()) {
      if (button->text() == QLatin1String("Open it")) open = button;
    }
    QVERIFY(open != nullptr && open->isVisible());
    QCOMPARE(open->toolTip(), path);
    QTest::mouseClick(open, Qt::LeftButton);
    QTRY_COMPARE(stage.session.opens.size(), std::size_t(1));
    stage.session.post(session::ExecutableOpened{testing::syntheticExecutable()});
    QTRY_VERIFY(stage.workspace->executable() != nullptr);
    // The run is shown as before, now with the file around it.
    QTRY_VERIFY(stage.workspace->run() != nullptr);
    QCOMPARE(stage.workspace->origin().saved, std::optional<store::RunId>(1));
    QCOMPARE(stage.window->currentPageId(), QStringLiteral("ops"));
    // A report of another program knows of none.
    stage.workspace->openFile(write(stage, "report.json", "json"));
    QTRY_VERIFY(stage.workspace->origin().kind == RunOrigin::Kind::File);
    QVERIFY(!open->isVisible());
  }

  void theRunOpensWhenItsFileIsGone() {
    Stage stage;
    stage.store->save(testing::syntheticDocument());
    QTRY_COMPARE(stage.store->runs()->size(), std::size_t(1));
    OpenState state;
    state.path = QStringLiteral("/models/gone.so");
    state.run = 1;
    stage.workspace->restore(state);
    QTRY_COMPARE(stage.session.opens.size(), std::size_t(1));
    stage.session.post(
        session::RequestFailed{{base::ErrorCode::NotFound, "there is no such file", "", ""}, {}, {}});
    QTRY_VERIFY(stage.workspace->run() != nullptr);
    QVERIFY(!stage.workspace->failure().has_value());
  }

  void theStartPageListsTheLastRuns() {
    Stage stage;
    for (int i = 0; i < 6; ++i) stage.store->save(testing::syntheticDocument());
    QTRY_COMPARE(stage.store->runs()->size(), std::size_t(6));
    auto* last = stage.window->findChild<LastRuns*>();
    QTRY_VERIFY(last->isVisible());
    const auto lines = last->findChildren<QAbstractButton*>();
    QCOMPARE(lines.size(), 5);  // titles and four runs
    QTest::mouseClick(lines[1], Qt::LeftButton);
    QTRY_VERIFY(stage.workspace->run() != nullptr);
    QCOMPARE(stage.workspace->origin().saved, std::optional<store::RunId>(6));
  }

  void filesOfEveryKindAreTold_data() {
    QTest::addColumn<QByteArray>("name");
    QTest::addColumn<QByteArray>("format");
    QTest::addColumn<QString>("words");
    QTest::newRow("report") << QByteArray("report.json") << QByteArray("json")
                            << QStringLiteral("TVM report");
    QTest::newRow("csv") << QByteArray("report.csv") << QByteArray("csv") << QStringLiteral("CSV");
    QTest::newRow("samples") << QByteArray("samples.json") << QByteArray("samples")
                             << QStringLiteral("samples");
    QTest::newRow("trace") << QByteArray("trace.json") << QByteArray("trace") << QStringLiteral("trace");
  }

  void filesOfEveryKindAreTold() {
    QFETCH(QByteArray, name);
    QFETCH(QByteArray, format);
    QFETCH(QString, words);
    Stage stage;
    const QString path = write(stage, name.constData(), format.constData());
    QVERIFY(!path.isEmpty());
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(path)});
    QDragEnterEvent enter(QPoint(300, 300), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(stage.window.get(), &enter);
    QDropEvent drop(QPointF(300, 300), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(stage.window.get(), &drop);
    QTRY_VERIFY(stage.workspace->run() != nullptr);
    QVERIFY2(stage.workspace->origin().format.contains(words), qPrintable(stage.workspace->origin().format));
    // Every page shows it, or says in words why not.
    for (const QString& id : stage.window->pageIds()) {
      QVERIFY(stage.window->showPageById(id));
      QVERIFY(stage.workspace->background()->waitForDone(60000));
      QTest::qWait(20);
      QVERIFY(!stage.window->pagePicture(1).isNull());
    }
    // The same stays open after a crash.
    QCOMPARE(stage.window->openState().path, path);
  }
};

}  // namespace opscope::ui

QTEST_MAIN(opscope::ui::ReopenTest)
#include "reopen_test.moc"
