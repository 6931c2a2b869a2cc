// SPDX-License-Identifier: GPL-3.0-or-later
// Threads and plugins of a run: the dialog, what requests and the command line carry, what is kept.
#include <QClipboard>
#include <QFileDialog>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QSpinBox>
#include <QtTest>

#include "tests/ui/support/window_stage.h"
#include "ui/shell/page_texts.h"
#include "ui/shell/text_size.h"
#include "ui/views/instrument/diverge_dialog.h"
#include "ui/views/run_settings_dialog.h"
#include "ui/views/widgets/error_panel.h"

namespace opscope::ui {

using testing::openExecutable;
using testing::Stage;

class RunSettingsTest : public QObject {
  Q_OBJECT

 private:
  static RunSettingsDialog* dialogOf(const Stage& stage) {
    return stage.window->findChild<RunSettingsDialog*>();
  }
  static QPushButton* button(const QWidget* parent, const QString& text) {
    for (QPushButton* candidate : parent->findChildren<QPushButton*>()) {
      if (candidate->isVisible() && candidate->text() == text) return candidate;
    }
    return nullptr;
  }
  static void press(const QWidget* parent, const char* text) {
    QPushButton* wanted = button(parent, QString::fromUtf8(text));
    QVERIFY2(wanted != nullptr, text);
    QTest::mouseClick(wanted, Qt::LeftButton);
  }
  static void open(Stage& stage, const char* command) {
    QTRY_VERIFY(dialogOf(stage) == nullptr);
    stage.command(command)->trigger();
    QTRY_VERIFY(dialogOf(stage) != nullptr && dialogOf(stage)->isVisible());
  }
  static QString whatWillRun(const Stage& stage, const QString& name) {
    const ReadyText text = readyText(*stage.workspace, *stage.workspace->form());
    for (const FactList::Row& row : text.whatWillRun) {
      if (row.name == name) return row.value;
    }
    return {};
  }

  /// One event that is counted here, and two that are not.
  static session::CounterList counters() {
    const base::Error refused{base::ErrorCode::Unsupported, "Counting is not allowed.",
                              "kernel.perf_event_paranoid is 3.", "Ask for 2 or less."};
    session::CounterList list;
    list.events = {{"cycles", "cycles of the processor's clock", true, refused},
                   {"instructions", "instructions done", true, refused},
                   {"task-clock", "time on cores, of all threads", false, std::nullopt}};
    list.processorEvents = {"L1D", "BACLEARS"};
    return list;
  }
  static RunOptions optionsOf(int threads, const QStringList& plugins) {
    RunOptions options;
    options.threads = threads;
    options.plugins = plugins;
    return options;
  }
  static RunOptions withCounters(const QStringList& names) {
    RunOptions options;
    options.counters = names;
    return options;
  }

 private Q_SLOTS:
  // First of all: a file dialog remembers within the program where the one before ended.
  void fileDialogsBeginWhereFilesWere() {
    Stage stage;
    QFile library(stage.folder.filePath(QStringLiteral("ops.so")));
    QVERIFY(library.open(QIODevice::WriteOnly));
    library.close();
    QVERIFY(QDir(stage.folder.path()).mkdir(QStringLiteral("models")));
    auto info = std::make_shared<session::ExecutableInfo>(*testing::syntheticExecutable());
    info->path = stage.folder.filePath(QStringLiteral("models/net.so")).toStdString();
    stage.workspace->openFile(QString::fromStdString(info->path));
    QTRY_COMPARE(stage.session.opens.size(), std::size_t(1));
    stage.session.post(session::ExecutableOpened{info});
    QTRY_VERIFY(stage.workspace->executable() != nullptr);
    const auto ask = [&]() {
      stage.command("file.open")->trigger();
      return stage.window->findChild<QFileDialog*>();
    };
    QPointer<QFileDialog> files = ask();
    QVERIFY(files != nullptr && files->isVisible());
    QCOMPARE(files->directory().path(), stage.folder.filePath(QStringLiteral("models")));
    files->setDirectory(stage.folder.path());
    files->selectFile(library.fileName());
    QMetaObject::invokeMethod(files.data(), "accept");
    QTRY_VERIFY(files.isNull());
    files = ask();
    QVERIFY(files != nullptr);
    QCOMPARE(files->directory().path(), stage.folder.path());
    files->reject();
    // The next start begins there too, as long as nothing is open.
    Workspace next(testing::fakeSessionFactory(stage.session), stage.settings.get());
    MainWindow window(&stage.theme, &next, QString());
    window.show();
    for (Command* command : window.commands()) {
      if (command->id() == QLatin1String("file.open")) command->trigger();
    }
    auto* again = window.findChild<QFileDialog*>();
    QVERIFY(again != nullptr && again->isVisible());
    QCOMPARE(again->directory().path(), stage.folder.path());
    again->reject();
  }

  void threadsAreSetForARunAndKept() {
    Stage stage;
    QVERIFY(!stage.command("run.settings")->isEnabled());
    openExecutable(stage);
    QVERIFY(stage.command("run.settings")->isEnabled());
    QVERIFY(!stage.workspace->commandLine().contains(QStringLiteral("--threads")));
    open(stage, "run.settings");
    QSpinBox* threads = dialogOf(stage)->threads();
    QCOMPARE(threads->value(), 0);
    threads->setFocus();
    threads->selectAll();
    QTest::keyClicks(threads, QStringLiteral("3"));
    press(dialogOf(stage), "Keep");
    QCOMPARE(stage.workspace->choices().options.threads, 3);
    QVERIFY(stage.workspace->commandLine().contains(QStringLiteral(" --threads 3 ")));
    QCOMPARE(whatWillRun(stage, QStringLiteral("Threads")), QStringLiteral("3"));
    stage.workspace->profile();
    QCOMPARE(stage.session.profiles.back().settings.runtime.threads, 3);
    stage.session.post(session::ProfileFinished{testing::syntheticDocument()});
    QTRY_VERIFY(stage.workspace->run() != nullptr);
    QVERIFY(!stage.workspace->isStale());
    open(stage, "run.settings");
    QCOMPARE(dialogOf(stage)->threads()->value(), 3);
    dialogOf(stage)->threads()->setValue(0);
    press(dialogOf(stage), "Cancel");
    QCOMPARE(stage.workspace->choices().options.threads, 3);
    stage.workspace->setRunOptions({});
    QVERIFY(stage.workspace->isStale());
    stage.workspace->setRunOptions(optionsOf(4, {}));
    // Another start of the program.
    Workspace other(testing::fakeSessionFactory(stage.session), stage.settings.get());
    other.openFile(QStringLiteral("/models/shufflenet.so"));
    const std::size_t before = stage.session.opens.size();
    QTRY_COMPARE(stage.session.opens.size(), before + 1);
    stage.session.post(session::ExecutableOpened{testing::syntheticExecutable()});
    QTRY_VERIFY(other.executable() != nullptr);
    QCOMPARE(other.choices().options.threads, 4);
  }

  void everySettingIsSetByKeysAndGoesIntoRuns() {
    Stage stage;
    openExecutable(stage);
    open(stage, "run.settings");
    RunSettingsDialog* dialog = dialogOf(stage);
    QVERIFY(QTest::qWaitForWindowActive(dialog));
    QTRY_VERIFY(dialog->counters()->list()->count() > 0);
    dialog->setCounters(counters());
    // Each by its letter.
    const auto jump = [&](Qt::Key key, QWidget* field) {
      QTest::keyClick(dialog, key, Qt::AltModifier);
      QTRY_VERIFY(field->hasFocus());
    };
    jump(Qt::Key_I, dialog->spin());
    dialog->spin()->selectAll();
    QTest::keyClicks(dialog->spin(), QStringLiteral("0"));
    QTest::keyClick(dialog, Qt::Key_B, Qt::AltModifier);
    QTRY_VERIFY(!dialog->pin()->isChecked());
    jump(Qt::Key_O, dialog->allocator());
    QTest::keyClick(dialog->allocator(), Qt::Key_Down);
    jump(Qt::Key_W, dialog->overhead());
    QTest::keyClick(dialog->overhead(), Qt::Key_End);
    jump(Qt::Key_C, dialog->counters()->list());
    QTest::keyClick(dialog->counters()->list(), Qt::Key_Home);
    QTest::keyClick(dialog->counters()->list(), Qt::Key_Space);
    jump(Qt::Key_H, dialog->counters()->others());
    QTest::keyClicks(dialog->counters()->others(), QStringLiteral("L1D, L1D, BACLEARS"));
    jump(Qt::Key_L, dialog->timeout());
    dialog->timeout()->selectAll();
    QTest::keyClicks(dialog->timeout(), QStringLiteral("20"));
    press(dialog, "Keep");
    const QStringList wanted = {QStringLiteral("task-clock"), QStringLiteral("L1D"),
                                QStringLiteral("BACLEARS")};
    const RunOptions& options = stage.workspace->choices().options;
    QCOMPARE(options.counters, wanted);
    QCOMPARE(RunOptions::fromSaved(options.save()), options);
    stage.workspace->profile();
    const session::ProfileRequest& request = stage.session.profiles.back();
    QCOMPARE(request.settings.runtime.pin, false);
    QCOMPARE(request.settings.runtime.spinUs, 0);
    QVERIFY(request.settings.runtime.allocator == runtime::AllocatorKind::Naive);
    QVERIFY(request.overhead == profile::OverheadCheck::Full);
    QCOMPARE(request.collectors, std::vector<std::string>{"perf:task-clock,L1D,BACLEARS"});
    // On this computer no board is waited for.
    QCOMPARE(request.settings.timeoutSeconds, 0.0);
    QVERIFY2(stage.workspace->commandLine().contains(QStringLiteral(
                 " --pin off --spin-us 0 --allocator naive --warmup 3 --repeat 30 --overhead full --counters "
                 "task-clock,L1D,BACLEARS")),
             qPrintable(stage.workspace->commandLine()));
    QVERIFY(!stage.workspace->commandLine().contains(QStringLiteral("--timeout")));
    QCOMPARE(whatWillRun(stage, QStringLiteral("Allocator")), QStringLiteral("naive"));
    QCOMPARE(whatWillRun(stage, QStringLiteral("Threads pinned")), QStringLiteral("no"));
  }

  void eventsThatCannotBeCountedSayWhy() {
    Stage stage;
    openExecutable(stage);
    stage.workspace->setRunOptions(withCounters({QStringLiteral("cycles"), QStringLiteral("L1D")}));
    open(stage, "run.settings");
    RunSettingsDialog* dialog = dialogOf(stage);
    QTRY_VERIFY(dialog->counters()->list()->count() > 0);
    dialog->setCounters(counters());
    QListWidget* list = dialog->counters()->list();
    QCOMPARE(list->item(0)->data(Qt::UserRole).toString(), QStringLiteral("task-clock"));
    // One that is chosen already can be taken back, the other cannot be chosen.
    QCOMPARE(list->item(1)->data(Qt::UserRole).toString(), QStringLiteral("cycles"));
    QVERIFY(list->item(1)->flags() & Qt::ItemIsEnabled);
    QVERIFY(!(list->item(2)->flags() & Qt::ItemIsEnabled));
    QVERIFY(list->item(2)->toolTip().contains(QStringLiteral("not allowed")));
    QCOMPARE(dialog->counters()->others()->text(), QStringLiteral("L1D"));
    bool told = false;
    for (const QLabel* label : dialog->findChildren<QLabel*>())
      told = told || (label->isVisible() && label->text().contains(QStringLiteral("perf_event_paranoid")));
    QVERIFY(told);
    QCOMPARE(dialog->options().counters, (QStringList{QStringLiteral("cycles"), QStringLiteral("L1D")}));
  }

  void whatABoardCannotDoIsSaidBeforeTheRun() {
    Stage stage;
    openExecutable(stage);
    SavedBoard board;
    board.id = QStringLiteral("pi");
    board.name = QStringLiteral("pi5");
    board.address = QStringLiteral("10.0.0.7:9090");
    stage.workspace->boards()->add(board);
    const QString id = stage.workspace->boards()->boards().back().id;
    RunOptions options = withCounters({QStringLiteral("cycles")});
    options.pin = false;
    options.timeoutSeconds = 20;
    stage.workspace->setRunOptions(options);
    stage.workspace->setTarget(id);
    // Nothing is known of its server: what was chosen is sent, and refused there if need be.
    session::ProfileRequest request = stage.workspace->profileRequest();
    QCOMPARE(request.settings.timeoutSeconds, 20.0);
    QCOMPARE(request.settings.runtime.pin, false);
    QVERIFY(whatWillRun(stage, QStringLiteral("Not on this board")).isEmpty());
    stage.workspace->boards()->setServer(id, SavedBoard::Server::Tvm);
    request = stage.workspace->profileRequest();
    QCOMPARE(request.settings.runtime.pin, true);
    QVERIFY(request.collectors.empty());
    QCOMPARE(whatWillRun(stage, QStringLiteral("Not on this board")),
             QStringLiteral("binding of threads, counters: TVM's own server cannot do it"));
    QVERIFY(stage.workspace->commandLine().contains(QStringLiteral(" --timeout 20")));
    QVERIFY(!stage.workspace->commandLine().contains(QStringLiteral("--pin")));
    open(stage, "run.settings");
    QVERIFY(!dialogOf(stage)->pin()->isEnabled());
    QVERIFY(!dialogOf(stage)->counters()->isEnabled());
    press(dialogOf(stage), "Keep");
    QCOMPARE(stage.workspace->choices().options, options);
    // What the server is comes back with the board, and goes with its address.
    BoardList again;
    again.restore(stage.workspace->boards()->save());
    QVERIFY(again.find(id)->server == SavedBoard::Server::Tvm);
    SavedBoard moved = *again.find(id);
    moved.address = QStringLiteral("10.0.0.8:9090");
    again.change(moved);
    QVERIFY(again.find(id)->server == SavedBoard::Server::Unknown);
  }

  void theDialogFitsASmallWindowWithLargeText() {
    {
      Stage stage;
      setTextSize(150);
      stage.window->resize(900, 600);
      openExecutable(stage);
      open(stage, "run.settings");
      RunSettingsDialog* dialog = dialogOf(stage);
      QTRY_VERIFY(dialog->counters()->list()->count() > 0);
      dialog->setCounters(counters());
      QVERIFY2(dialog->width() <= 900 && dialog->height() <= 600,
               qPrintable(QStringLiteral("%1 x %2").arg(dialog->width()).arg(dialog->height())));
      auto* scroll = dialog->findChild<QScrollArea*>();
      QVERIFY(scroll->widget()->width() <= scroll->viewport()->width());
      QVERIFY(button(dialog, QStringLiteral("Keep")) != nullptr);
      // The last field comes into view by Tab.
      dialog->focusPlugins();
      QTRY_VERIFY(!button(dialog, QStringLiteral("Add…"))->visibleRegion().isEmpty());
    }
    setTextSize(kUsualTextSize);
  }

  void aMissingFunctionOffersPlugins() {
    Stage stage;
    openExecutable(stage);
    stage.workspace->profile();
    stage.session.post(session::RequestFailed{
        {base::ErrorCode::MissingFunction, "The function my.op is not registered.", {}, {}}, {}, {}});
    QTRY_VERIFY(stage.workspace->failure().has_value());
    QPushButton* offered = nullptr;
    QTRY_VERIFY((offered = button(stage.window.get(), QStringLiteral("Plugins…"))) != nullptr);
    QTest::mouseClick(offered, Qt::LeftButton);
    QTRY_VERIFY(dialogOf(stage) != nullptr && dialogOf(stage)->isVisible());
    QFile library(stage.folder.filePath(QStringLiteral("ops.so")));
    QVERIFY(library.open(QIODevice::WriteOnly));
    library.close();
    press(dialogOf(stage), "Add…");
    auto* files = dialogOf(stage)->findChild<QFileDialog*>();
    QVERIFY(files != nullptr && files->isVisible());
    files->setDirectory(stage.folder.path());
    files->selectFile(library.fileName());
    QMetaObject::invokeMethod(files, "accept");
    QTRY_COMPARE(dialogOf(stage)->plugins()->count(), 1);
    press(dialogOf(stage), "Keep");
    QCOMPARE(stage.workspace->choices().options.plugins, QStringList{library.fileName()});
    QVERIFY(stage.workspace->commandLine().contains(QStringLiteral("--plugin ")));
    QCOMPARE(whatWillRun(stage, QStringLiteral("Plugins")), QStringLiteral("ops.so"));
    press(stage.window.get(), "Run again");
    QTRY_COMPARE(stage.session.profiles.size(), std::size_t(2));
    QCOMPARE(stage.session.profiles.back().settings.plugins,
             std::vector<std::string>{library.fileName().toStdString()});
  }

  void pluginsAreTakenOutAgain() {
    Stage stage;
    openExecutable(stage);
    stage.workspace->setRunOptions(optionsOf(0, {QStringLiteral("/lib/a.so"), QStringLiteral("/lib/b.so")}));
    open(stage, "run.plugins");
    RunSettingsDialog* dialog = dialogOf(stage);
    dialog->addPlugins({QStringLiteral("/lib/a.so")});
    QCOMPARE(dialog->plugins()->count(), 2);
    QVERIFY(!button(dialog, QStringLiteral("Remove"))->isEnabled());
    const QRect first = dialog->plugins()->visualItemRect(dialog->plugins()->item(0));
    QTest::mouseClick(dialog->plugins()->viewport(), Qt::LeftButton, Qt::NoModifier, first.center());
    QCOMPARE(dialog->plugins()->selectedItems().size(), 1);
    QVERIFY(QTest::qWaitForWindowActive(dialog));  // for shortcuts
    QTRY_VERIFY(dialog->plugins()->hasFocus());
    QTest::keyClick(dialog->plugins(), Qt::Key_Delete);
    QCOMPARE(dialog->options().plugins, QStringList{QStringLiteral("/lib/b.so")});
    press(dialog, "Keep");
    stage.workspace->runWithoutTiming();
    QCOMPARE(stage.session.runs.back().settings.plugins, std::vector<std::string>{"/lib/b.so"});
  }

  void returnInAFieldStartsTheSearchForADifference() {
    Stage stage;
    openExecutable(stage);
    stage.command("instrument.diverge")->trigger();
    auto* dialog = stage.window->findChild<DivergeDialog*>();
    QVERIFY(dialog != nullptr && dialog->isVisible());
    // The lines stand together at the top.
    const int foot = dialog->fileB()->mapTo(dialog, QPoint(0, dialog->fileB()->height())).y();
    QVERIFY2(foot < dialog->height() / 2, qPrintable(QString::number(foot)));
    dialog->fileB()->setFocus();
    QTest::keyClick(dialog->fileB(), Qt::Key_Return);
    QTRY_COMPARE(stage.session.diverges.size(), std::size_t(1));
  }

  void optionsOfTheCommandLineHoldForTheFile() {
    Stage stage;
    stage.workspace->setInitialOptions(optionsOf(2, {QStringLiteral("/lib/a.so")}));
    openExecutable(stage);
    QCOMPARE(stage.workspace->profileRequest().settings.runtime.threads, 2);
    QCOMPARE(stage.workspace->profileRequest().settings.plugins, std::vector<std::string>{"/lib/a.so"});
    stage.workspace->closeFile();
    QCOMPARE(stage.workspace->choices().options, RunOptions());
  }
};

}  // namespace opscope::ui

QTEST_MAIN(opscope::ui::RunSettingsTest)
#include "run_settings_test.moc"
