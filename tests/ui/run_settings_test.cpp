// SPDX-License-Identifier: GPL-3.0-or-later
// Threads and plugins of a run: the dialog, what requests and the command line carry, what is kept.
#include <QClipboard>
#include <QFileDialog>
#include <QPushButton>
#include <QSpinBox>
#include <QtTest>

#include "tests/ui/support/window_stage.h"
#include "ui/shell/page_texts.h"
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
    stage.workspace->setRunOptions({4, {}});
    // Another start of the program.
    Workspace other(testing::fakeSessionFactory(stage.session), stage.settings.get());
    other.openFile(QStringLiteral("/models/shufflenet.so"));
    const std::size_t before = stage.session.opens.size();
    QTRY_COMPARE(stage.session.opens.size(), before + 1);
    stage.session.post(session::ExecutableOpened{testing::syntheticExecutable()});
    QTRY_VERIFY(other.executable() != nullptr);
    QCOMPARE(other.choices().options.threads, 4);
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
    stage.workspace->setRunOptions({0, {QStringLiteral("/lib/a.so"), QStringLiteral("/lib/b.so")}});
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
    stage.workspace->setInitialOptions({2, {QStringLiteral("/lib/a.so")}});
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
