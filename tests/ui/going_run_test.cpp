// SPDX-License-Identifier: GPL-3.0-or-later
// A run that goes on: how Stop is told, what happens when another file is opened, and a file that is replaced
// on disk before it runs.
#include <QMessageBox>
#include <QPushButton>
#include <QSpinBox>
#include <QtTest>

#include "tests/ui/support/find_button.h"
#include "tests/ui/support/window_stage.h"
#include "ui/views/widgets/error_panel.h"
#include "ui/views/widgets/running_panel.h"

namespace opscope::ui {

using testing::buttonOf;
using testing::openExecutable;
using testing::Stage;

class GoingRunTest : public QObject {
  Q_OBJECT

 private:
  static bool shows(const QWidget* widget, const QString& text) {
    for (const QLabel* label : widget->findChildren<QLabel*>()) {
      if (label->isVisible() && label->text().replace(QChar(0x00A0), QLatin1Char(' ')).contains(text))
        return true;
    }
    for (const ElidedText* line : widget->findChildren<ElidedText*>()) {
      if (line->isVisible() && line->text().contains(text)) return true;
    }
    return false;
  }
  static QPushButton* stopButton(const Stage& stage) {
    for (QPushButton* button : stage.window->findChild<RunningPanel*>()->findChildren<QPushButton*>()) {
      if (button->isVisible()) return button;
    }
    return nullptr;
  }
  static void measure(Stage& stage, std::uint64_t done, std::optional<std::uint64_t> kept) {
    stage.session.post(session::StateChanged{session::State::Measuring});
    session::Progress progress{session::State::Measuring, done, 30, 1.0};
    progress.kept = kept;
    stage.session.post(progress);
  }
  static QMessageBox* question(const Stage& stage) {
    auto* box = stage.window->findChild<QMessageBox*>();
    return box != nullptr && box->isVisible() ? box : nullptr;
  }
  static void openOther(Stage& stage) {
    const std::size_t opens = stage.session.opens.size();
    stage.workspace->openFile(QStringLiteral("/models/other.so"));
    QTRY_COMPARE(stage.session.opens.size(), opens + 1);
    stage.session.post(session::ExecutableOpened{testing::syntheticExecutable()});
    QTRY_VERIFY(question(stage) != nullptr);
  }
  static void press(const Stage& stage, const char* text) {
    QPushButton* button = buttonOf(stage.window.get(), QString::fromUtf8(text));
    QVERIFY2(button != nullptr && button->isEnabled(), text);
    QTest::mouseClick(button, Qt::LeftButton);
  }
  /// Opens a file of its own, and then writes another one over it.
  static std::shared_ptr<session::ExecutableInfo> openAndReplace(Stage& stage) {
    const QString path = stage.folder.filePath(QStringLiteral("net.so"));
    const auto write = [&](const char* text) {
      QFile file(path);
      if (file.open(QIODevice::WriteOnly)) file.write(text);
    };
    write("one");
    auto info = std::make_shared<session::ExecutableInfo>(*testing::syntheticExecutable());
    info->path = path.toStdString();
    stage.workspace->openFile(path);
    [&]() { QTRY_COMPARE(stage.session.opens.size(), std::size_t(1)); }();
    stage.session.post(session::ExecutableOpened{info});
    [&]() { QTRY_VERIFY(stage.workspace->executable() != nullptr); }();
    testing::runToEnd(stage);
    QFile::remove(path);
    write("another");
    [&]() { QTRY_VERIFY(stage.workspace->isFileReplaced()); }();
    auto next = std::make_shared<session::ExecutableInfo>(*info);
    next->hash = "ffeeddccbbaa99887766554433221100";
    return next;
  }

 private Q_SLOTS:
  void stopIsShownAtOnceWithItsTime() {
    Stage stage;
    openExecutable(stage);
    QTest::keyClick(stage.window.get(), Qt::Key_F5);
    measure(stage, 18, std::nullopt);
    QTRY_COMPARE(stopButton(stage)->text(), QStringLiteral("Stop and keep 18"));
    // Of a board, what came over is promised, not what it has done.
    measure(stage, 18, 17);
    QTRY_COMPARE(stopButton(stage)->text(), QStringLiteral("Stop and keep 17 or more"));
    measure(stage, 1, 0);
    QTRY_COMPARE(stopButton(stage)->text(), QStringLiteral("Stop"));
    QTest::mouseClick(stopButton(stage), Qt::LeftButton);
    QCOMPARE(stage.session.stops, 1);
    QCOMPARE(stopButton(stage)->text(), QStringLiteral("Stopping…"));
    QVERIFY(!stopButton(stage)->isEnabled());
    QVERIFY(!stage.command("run.stop")->isEnabled());
    QVERIFY(shows(stage.window.get(), QStringLiteral("ends at the next instruction")));
    QTRY_COMPARE_WITH_TIMEOUT(stopButton(stage)->text(), QStringLiteral("Stopping… 1 s"), 5000);
    QVERIFY(shows(stage.window.get(), QStringLiteral("Stopping… 1 s")));
    // Progress that was on its way does not bring the promise back.
    measure(stage, 2, 1);
    QTest::qWait(50);
    QVERIFY(stopButton(stage)->text().startsWith(QStringLiteral("Stopping…")));
    stage.session.post(session::RequestCancelled{});
    QTRY_VERIFY(!stage.workspace->isRunning());
    QVERIFY(!stage.workspace->isStopping());
    QTest::keyClick(stage.window.get(), Qt::Key_F5);
    QTRY_COMPARE(stopButton(stage)->text(), QStringLiteral("Stop"));
  }

  void anotherFileIsAskedForBeforeTheRunEnds() {
    Stage stage;
    openExecutable(stage);
    stage.workspace->profile();
    openOther(stage);
    QVERIFY(question(stage)->text().contains(QStringLiteral("Opening other.so ends the run of main.")));
    QVERIFY(stage.workspace->isRunning());
    QCOMPARE(stage.session.stops, 0);
    QTest::keyClick(question(stage), Qt::Key_Escape);
    QTRY_VERIFY(question(stage) == nullptr);
    QVERIFY(stage.workspace->isRunning());
    QVERIFY(!stage.workspace->isOpening());
    QCOMPARE(stage.workspace->fileName(), QStringLiteral("shufflenet.so"));
    QCOMPARE(stage.session.stops, 0);
    // No answer is remembered.
    openOther(stage);
    press(stage, "End the run and open");
    QTRY_COMPARE(stage.session.opens.size(), std::size_t(4));
    QCOMPARE(stage.session.stops, 1);
    QVERIFY(!stage.workspace->isRunning());
    QCOMPARE(stage.workspace->fileName(), QStringLiteral("other.so"));
  }

  void aRunThatEndsMeanwhileAnswersTheQuestion() {
    Stage stage;
    openExecutable(stage);
    stage.workspace->profile();
    const auto sink = stage.session.sink;
    const session::RequestId run = stage.session.last;
    openOther(stage);
    sink({run, session::ProfileFinished{testing::syntheticDocument()}});
    QTRY_VERIFY(question(stage) == nullptr);
    QTRY_COMPARE(stage.session.opens.size(), std::size_t(3));
    QCOMPARE(stage.session.stops, 0);
    QTRY_COMPARE(stage.store->runs()->size(), std::size_t(1));
  }

  void closingTheFileIsAskedToo() {
    Stage stage;
    openExecutable(stage);
    stage.workspace->profile();
    stage.command("file.close")->trigger();
    QTRY_VERIFY(question(stage) != nullptr);
    press(stage, "Let it run on");
    QTRY_VERIFY(question(stage) == nullptr);
    QVERIFY(stage.workspace->isRunning() && stage.workspace->executable() != nullptr);
    stage.command("file.close")->trigger();
    QTRY_VERIFY(question(stage) != nullptr);
    press(stage, "End the run and close");
    QTRY_VERIFY(stage.workspace->executable() == nullptr);
  }

  void aReplacedFileIsReloadedBeforeItRuns() {
    Stage stage;
    const auto next = openAndReplace(stage);
    stage.workspace->form()->setSeed(0, 7);
    const std::size_t runs = stage.session.profiles.size();
    QTest::keyClick(stage.window.get(), Qt::Key_F5);
    QTRY_COMPARE(stage.session.opens.size(), std::size_t(2));
    QCOMPARE(stage.session.profiles.size(), runs);
    stage.session.post(session::ExecutableOpened{next});
    // The same inputs: it runs, with what was chosen.
    QTRY_COMPARE(stage.session.profiles.size(), runs + 1);
    QCOMPARE(stage.workspace->executable()->hash, next->hash);
    QCOMPARE(stage.workspace->form()->fields()[0].seed, quint64(7));
  }

  void aReplacedFileWithOtherInputsSaysSo() {
    Stage stage;
    const auto next = openAndReplace(stage);
    next->functions[0].signature.parameters[0].name = "image";
    const std::size_t runs = stage.session.profiles.size();
    QTest::keyClick(stage.window.get(), Qt::Key_F5);
    QTRY_COMPARE(stage.session.opens.size(), std::size_t(2));
    stage.session.post(session::ExecutableOpened{next});
    QTRY_VERIFY(stage.workspace->failure().has_value());
    QCOMPARE(stage.session.profiles.size(), runs);
    const base::Error& error = stage.workspace->failure()->error;
    QCOMPARE(QString::fromStdString(error.message),
             QStringLiteral("net.so changed on disk since it was opened."));
    QVERIFY2(QString::fromStdString(error.detail).contains(QStringLiteral("now it takes image float32")),
             error.detail.c_str());
    QTRY_VERIFY(shows(stage.window.get(), QStringLiteral("Look at them and run again.")));
    QCOMPARE(stage.workspace->form()->fields()[0].name, QStringLiteral("image"));
    // The times of the build before are marked, when they are looked at.
    QVERIFY(stage.workspace->isStale());
    QTest::keyClick(stage.window.get(), Qt::Key_F5);
    QTRY_COMPARE(stage.session.profiles.size(), runs + 1);
    QCOMPARE(stage.session.profiles.back().plan.inputs.values.count("image"), std::size_t(1));
  }

  void theBarReloadsAReplacedFile() {
    Stage stage;
    const auto next = openAndReplace(stage);
    QVERIFY(shows(stage.window.get(), QStringLiteral("Measured before net.so changed on disk")));
    QTRY_VERIFY(buttonOf(stage.window.get(), QStringLiteral("Reload")) != nullptr);
    press(stage, "Reload");
    QTRY_COMPARE(stage.session.opens.size(), std::size_t(2));
    stage.session.post(session::ExecutableOpened{next});
    QTRY_COMPARE(stage.workspace->executable()->hash, next->hash);
    QVERIFY(!stage.workspace->isFileReplaced());
    // What is shown is still of the build before.
    QVERIFY(stage.workspace->run() != nullptr);
    QVERIFY(shows(stage.window.get(), QStringLiteral("Measured before net.so changed on disk")));
    QTRY_VERIFY(buttonOf(stage.window.get(), QStringLiteral("Reload")) == nullptr);
  }

  void aRunThatFindsAnotherBuildSaysSo() {
    // The file was replaced so shortly before that the window did not see it yet.
    Stage stage;
    openExecutable(stage);
    stage.workspace->profile();
    auto next = std::make_shared<session::ExecutableInfo>(*testing::syntheticExecutable());
    next->hash = "ffeeddccbbaa99887766554433221100";
    next->functions[0].signature.parameters[0].name = "image";
    stage.session.post(session::ExecutableOpened{next});
    stage.session.post(session::RequestFailed{
        {base::ErrorCode::InvalidArgument, "There is no input x.", "There is image.", {}}, {}, "x"});
    QTRY_VERIFY(stage.workspace->failure().has_value());
    const base::Error& error = stage.workspace->failure()->error;
    QVERIFY(QString::fromStdString(error.message).contains(QStringLiteral("changed on disk")));
    QVERIFY(QString::fromStdString(error.detail).contains(QStringLiteral("There is no input x.")));
  }

  void zeroIsSaidAndNotTurnedIntoOne() {
    Stage stage;
    openExecutable(stage);
    QSpinBox *size = nullptr, *repeats = nullptr;
    for (QSpinBox* field : stage.window->findChildren<QSpinBox*>()) {
      if (field->accessibleName() == QLatin1String("Size of free dimension n")) size = field;
      if (field->accessibleName() == QLatin1String("Repeats")) repeats = field;
    }
    QVERIFY(size != nullptr && repeats != nullptr);
    const auto type = [](QSpinBox* field, const char* text) {
      field->setFocus();
      field->selectAll();
      QTest::keyClicks(field, QString::fromLatin1(text));
      QTest::keyClick(field, Qt::Key_Return);
    };
    type(size, "0");
    QCOMPARE(stage.workspace->form()->dimensions()[0].value, qint64(0));
    QVERIFY(!stage.workspace->canRun());
    QTRY_VERIFY(shows(stage.window.get(), QStringLiteral("n must be at least 1.")));
    type(size, "2");
    QVERIFY(stage.workspace->canRun());
    type(repeats, "0");
    QCOMPARE(repeats->value(), 30);
    QTRY_VERIFY(
        shows(stage.window.get(), QStringLiteral("Repeats must be at least 1; “0” was typed and 30 stays")));
  }
};

}  // namespace opscope::ui

QTEST_MAIN(opscope::ui::GoingRunTest)
#include "going_run_test.moc"
