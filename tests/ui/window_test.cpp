// SPDX-License-Identifier: GPL-3.0-or-later
// A walk through the window with real events: open, run, sort, filter, select, export, fail, stop.
#include <QClipboard>
#include <QFile>
#include <QHeaderView>
#include <QLineEdit>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QtTest>

#include "engine/report/exporters.h"
#include "engine/report/run_report.h"
#include "tests/ui/support/window_stage.h"
#include "ui/shell/application.h"
#include "ui/shell/command_palette.h"
#include "ui/shell/main_window.h"
#include "ui/shell/side_panel.h"
#include "ui/views/ops_page.h"
#include "ui/views/start_page.h"
#include "ui/views/widgets/error_panel.h"
#include "ui/views/widgets/labels.h"

namespace opscope::ui {

using testing::openExecutable;
using testing::runToEnd;
using testing::Stage;

class WindowTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void startsWithNothingOpen() {
    Stage stage;
    QVERIFY(stage.window->findChild<StartPage*>()->isVisible());
    QVERIFY(!stage.command("run.profile")->isEnabled());
    QVERIFY(stage.command("file.open")->isEnabled());
  }

  void everyCommandHasWordsAndAWayByKeyboard() {
    Stage stage;
    QSet<QString> shortcuts;
    for (const Command* command : stage.window->commands()) {
      QVERIFY2(!command->text().isEmpty() && !command->toolTip().isEmpty(), qPrintable(command->id()));
      QVERIFY2(!command->shortcutText().isEmpty(), qPrintable(command->text()));
      for (const QKeySequence& keys : command->shortcuts()) {
        const QString text = keys.toString();
        QVERIFY2(!shortcuts.contains(text), qPrintable(text));
        shortcuts.insert(text);
        QVERIFY2(command->toolTip().contains(text), qPrintable(command->toolTip()));
        // Linux takes these for its virtual terminals.
        static const QRegularExpression terminals(QStringLiteral("^Ctrl\\+Alt\\+F\\d+$"));
        QVERIFY2(!terminals.match(text).hasMatch(), qPrintable(text));
      }
    }
    QVERIFY(shortcuts.size() > 25);
  }

  void panelsGetTheirWidthBackInAWideWindow() {
    Stage stage;
    openExecutable(stage);
    stage.window->resize(1440, 900);
    QVERIFY(stage.window->showPageById(QStringLiteral("ops")));  // Summary has no Inspector at first
    const SidePanel* inspector = nullptr;
    for (const SidePanel* panel : stage.window->findChildren<SidePanel*>())
      if (panel->id() == QLatin1String("inspector")) inspector = panel;
    QTRY_VERIFY(inspector != nullptr && inspector->isVisible());
    const int width = inspector->keptWidth();
    QTRY_COMPARE(inspector->width(), width);
    for (int i = 0; i < 2; ++i) {
      stage.window->resize(900, 600);
      QTRY_VERIFY(!inspector->isVisible());
      stage.window->resize(1440, 900);
      QTRY_VERIFY(inspector->isVisible());
      QTRY_COMPARE(inspector->width(), width);
    }
  }

  void opensRunsSortsFiltersSelects() {
    Stage stage;
    openExecutable(stage);
    runToEnd(stage);
    QCOMPARE(stage.session.profiles[0].plan.inputs.values.at("x"), std::string("random:0"));
    QVERIFY(stage.command("view.ops")->isEnabled());
    QTest::keyClick(stage.window.get(), Qt::Key_2, Qt::AltModifier);
    auto* ops = stage.window->findChild<OpsPage*>();
    QCOMPARE(stage.window->currentPage(), static_cast<RunPage*>(ops));
    QCOMPARE(ops->model()->rowCount(), 57);
    QHeaderView* header = ops->table()->horizontalHeader();
    QTest::mouseClick(header->viewport(), Qt::LeftButton, {},
                      QPoint(header->sectionViewportPosition(0) + 20, 10));
    QCOMPARE(ops->model()->sortColumn(), 0);
    QTest::keyClick(stage.window.get(), Qt::Key_F, Qt::ControlModifier);
    auto* field = qobject_cast<QLineEdit*>(QApplication::focusWidget());
    if (field == nullptr) field = ops->findChild<QLineEdit*>();
    QTest::keyClicks(field, QStringLiteral("batch"));
    QTRY_VERIFY(ops->model()->rowCount() < 57);
    const QRect cell = ops->table()->visualRect(ops->model()->index(0, 0));
    QTest::mouseClick(ops->table()->viewport(), Qt::LeftButton, {}, cell.center());
    QVERIFY(!stage.workspace->selection()->op().isNull());
    QTest::keyClick(ops->table(), Qt::Key_C, Qt::ControlModifier);
    QVERIFY(QGuiApplication::clipboard()->text().contains(QLatin1String("batch_norm")));
    QTest::keyClick(stage.window.get(), Qt::Key_Escape);
    QTRY_COMPARE(ops->model()->rowCount(), 57);
    QVERIFY(!stage.workspace->selection()->op().isNull());
    stage.workspace->selection()->undo();
    QTRY_VERIFY(ops->model()->rowCount() < 57);
  }

  void exportsEveryFormatInTheBackground() {
    Stage stage;
    openExecutable(stage);
    runToEnd(stage);
    for (const report::Exporter& exporter : report::exporters()) {
      const QString path = stage.folder.filePath(
          QStringLiteral("out.") + QString::fromUtf8(exporter.id.data(), qsizetype(exporter.id.size())));
      QSignalSpy noticed(stage.workspace.get(), &Workspace::noticed);
      stage.workspace->exportRun(exporter, path);
      QTRY_COMPARE(noticed.count(), 1);
      QVERIFY(QFile(path).size() > 0);
    }
    stage.workspace->exportRun(report::exporters().front(), QStringLiteral("/nowhere/at/all.json"));
    QTRY_VERIFY(stage.workspace->failure().has_value());
    QCOMPARE(int(stage.workspace->failure()->during), int(Failure::During::Exporting));
    stage.workspace->dismissFailure();
  }

  void aPictureOfAPageIsSharp() {
    Stage stage;
    openExecutable(stage);
    runToEnd(stage);
    stage.window->showPageById(QStringLiteral("charts"));
    RunPage* page = stage.window->currentPage();
    QWidget* plot = nullptr;
    for (QWidget* widget : page->findChildren<QWidget*>())
      if (widget->inherits("QCustomPlot") && widget->isVisible()) plot = widget;
    QVERIFY(plot != nullptr);
    QVERIFY(stage.workspace->background()->waitForDone(60000));
    QCoreApplication::processEvents();
    const QImage image = stage.window->pagePicture(2.0);
    const QRect area = QRect(plot->mapTo(page, QPoint()), plot->size()) & page->rect();
    // Something drawn for one point a point would be made of squares of 2 x 2 dots.
    int fine = 0;
    for (int y = 2 * area.top(); y < 2 * area.bottom(); y += 2) {
      for (int x = 2 * area.left(); x < 2 * area.right(); x += 2) {
        const QRgb first = image.pixel(x, y);
        fine += first != image.pixel(x + 1, y) || first != image.pixel(x, y + 1) ? 1 : 0;
      }
    }
    QVERIFY2(fine > 500, qPrintable(QString::number(fine)));
  }

  void opensAReport() {
    Stage stage;
    const auto text = report::findExporter("json")->write(testing::syntheticDocument());
    QVERIFY(text.has_value());
    QFile file(stage.folder.filePath(QStringLiteral("report.json")));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(text->data(), qint64(text->size()));
    file.close();
    stage.workspace->openFile(file.fileName());
    QTRY_VERIFY(stage.workspace->run() != nullptr);
    QVERIFY(stage.workspace->executable() == nullptr);
    QCOMPARE(stage.window->findChild<OpsPage*>()->model()->rowCount(), 57);
    QVERIFY(stage.session.opens.empty());
    QCOMPARE(stage.workspace->recentFiles().files().front().path, file.fileName());
  }

  void aBrokenReportSaysWhatIsWrong() {
    Stage stage;
    QFile file(stage.folder.filePath(QStringLiteral("broken.json")));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("{\"calls\": [");
    file.close();
    stage.workspace->openFile(file.fileName());
    QTRY_VERIFY(stage.workspace->failure().has_value());
    QVERIFY(!stage.workspace->failure()->error.message.empty());
    QVERIFY(!stage.window->findChild<StartPage*>()->isVisible());
    stage.workspace->dismissFailure();
    QVERIFY(stage.window->findChild<StartPage*>()->isVisible());
  }

  void aFailedRunKeepsItsRepeats() {
    Stage stage;
    openExecutable(stage);
    stage.workspace->profile();
    testing::SyntheticOptions options;
    options.repeats = 7;
    stage.session.post(
        session::RequestFailed{{base::ErrorCode::KernelFailed, "a kernel raised", "why", "what to do"},
                               testing::syntheticDocument(options),
                               {}});
    QTRY_VERIFY(stage.workspace->failure().has_value());
    QVERIFY(!stage.workspace->isRunning());
    QVERIFY(stage.workspace->failure()->partial != nullptr);
    stage.workspace->showPartial();
    QVERIFY(stage.workspace->run()->isPartial());
    QCOMPARE(stage.workspace->run()->repeatsText(), QStringLiteral("7 of 30"));
  }

  void aWrongInputIsToldAtTheField() {
    Stage stage;
    openExecutable(stage);
    stage.workspace->profile();
    stage.session.post(session::RequestFailed{{base::ErrorCode::InvalidArgument,
                                               "input x needs float32 [1, 3, 224, 224]",
                                               "take2.npy has float64 [1, 44100, 1]",
                                               {}},
                                              {},
                                              "x"});
    QTRY_COMPARE(stage.workspace->form()->problemCount(), 1);
    QVERIFY(!stage.workspace->canRun());
    QVERIFY(!stage.workspace->failure().has_value());
  }

  void escapeStopsARun() {
    Stage stage;
    openExecutable(stage);
    stage.workspace->profile();
    QVERIFY(stage.workspace->isRunning());
    const auto asks = [&]() {
      for (const Text* text : stage.window->findChildren<Text*>()) {
        if (text->isVisible() && text->text() == QLatin1String("Press Esc again to stop")) return true;
      }
      return false;
    };
    QTest::keyClick(stage.window.get(), Qt::Key_Escape);
    QCOMPARE(stage.session.stops, 0);
    QVERIFY(asks());
    QTest::keyClick(stage.window.get(), Qt::Key_Escape);
    QCOMPARE(stage.session.stops, 1);
    QVERIFY(!asks());
    stage.session.post(session::RequestCancelled{});
    QTRY_VERIFY(!stage.workspace->isRunning());
    QVERIFY(stage.workspace->canRun());
  }

  void headersAreWholeWithTheMarkOfSorting() {
    Stage stage;
    openExecutable(stage);
    runToEnd(stage);
    QVERIFY(stage.window->showPageById(QStringLiteral("ops")));
    QTest::qWait(50);
    auto* ops = stage.window->findChild<OpsPage*>();
    QHeaderView* header = ops->table()->horizontalHeader();
    const QFontMetrics metrics(stage.theme.font(12, QFont::DemiBold));
    int shown = 0;
    for (int i = 0; i < header->count(); ++i) {
      if (header->isSectionHidden(i)) continue;
      ++shown;
      const QString title = ops->model()->headerData(i, Qt::Horizontal, Qt::DisplayRole).toString();
      QVERIFY2(header->sectionSize(i) >= metrics.horizontalAdvance(title) + stage.theme.px(16),
               qPrintable(title));
      // The column that is sorted by has room for the mark too.
      header->setSortIndicator(i, Qt::AscendingOrder);
      QVERIFY(!header->isSectionHidden(i));
      QVERIFY2(header->sectionSize(i) >= metrics.horizontalAdvance(title) + stage.theme.px(30),
               qPrintable(title));
    }
    QVERIFY(shown >= 6);
  }

  void clearingIsOfferedForAFilterOnly() {
    Stage stage;
    openExecutable(stage);
    runToEnd(stage);
    QVERIFY(stage.window->showPageById(QStringLiteral("ops")));
    const auto button = [&]() {
      for (auto* candidate : stage.window->findChild<OpsPage*>()->findChildren<QPushButton*>()) {
        if (candidate->text() == QLatin1String("Clear the filter")) return candidate;
      }
      return static_cast<QPushButton*>(nullptr);
    };
    QVERIFY(button() != nullptr);
    stage.workspace->selection()->setFilter({QStringLiteral("conv3d"), false});
    QTRY_VERIFY(button()->isVisible());
    button()->click();
    QTRY_VERIFY(!button()->isVisible());
    testing::SyntheticOptions none;
    none.calls = 0;
    stage.workspace->profile();
    stage.session.post(session::ProfileFinished{testing::syntheticDocument(none)});
    QTRY_COMPARE(stage.window->findChild<OpsPage*>()->model()->rowCount(), 0);
    QVERIFY(!button()->isVisible());
    // Nothing to filter or to copy.
    QTRY_VERIFY(!stage.window->findChild<OpsPage*>()->findChild<QLineEdit*>()->isEnabled());
  }

  void warningsAreCountedInTheStatusBar() {
    Stage stage;
    openExecutable(stage);
    runToEnd(stage);
    const auto texts = stage.window->findChildren<Text*>();
    const auto found = std::find_if(texts.begin(), texts.end(), [](const Text* text) {
      return text->text() == QStringLiteral("1\u00A0warning");
    });
    QVERIFY(found != texts.end());
    QVERIFY((*found)->isVisible());
    QVERIFY((*found)->toolTip().contains(QLatin1String("governor")));
  }

  void aFileThatIsReplacedIsTold() {
    Stage stage;
    const QString path = stage.folder.filePath(QStringLiteral("net.so"));
    const auto write = [&path](const char* text) {
      QFile file(path);
      QVERIFY(file.open(QIODevice::WriteOnly));
      file.write(text);
    };
    write("one");
    stage.workspace->openFile(path);
    QTRY_COMPARE(stage.session.opens.size(), std::size_t(1));
    auto first = std::make_shared<session::ExecutableInfo>(*testing::syntheticExecutable());
    first->path = path.toStdString();
    stage.session.post(session::ExecutableOpened{first});
    QTRY_VERIFY(stage.workspace->executable() != nullptr);
    runToEnd(stage);
    stage.workspace->form()->setSeed(0, 7);
    QVERIFY(!stage.workspace->isFileReplaced());
    QVERIFY(QFile::remove(path));
    write("another");
    QTRY_VERIFY(stage.workspace->isFileReplaced());
    stage.workspace->profile();
    QTRY_COMPARE(stage.session.opens.size(), std::size_t(2));
    auto second = std::make_shared<session::ExecutableInfo>(*first);
    second->hash = "ffeeddccbbaa99887766554433221100";
    stage.session.post(session::ExecutableOpened{second});
    QTRY_COMPARE(stage.workspace->executable()->hash, second->hash);
    QVERIFY(!stage.workspace->isFileReplaced());
    QVERIFY(stage.workspace->isRunning());
    QCOMPARE(stage.workspace->form()->fields()[0].seed, quint64(7));
    auto run = std::make_shared<report::Run>(*testing::syntheticDocument().run);
    run->executableHash = second->hash;
    stage.session.post(session::ProfileFinished{report::makeDocument(run)});
    QTRY_VERIFY(!stage.workspace->isRunning());
    QVERIFY(!stage.workspace->isStale());
  }

  void changedInputsMakeTheRunStale() {
    Stage stage;
    openExecutable(stage);
    runToEnd(stage);
    QVERIFY(!stage.workspace->isStale());
    stage.workspace->form()->setSeed(0, 9);
    QVERIFY(stage.workspace->isStale());
  }

  void paletteFindsAndDoesAnAction() {
    Stage stage;
    openExecutable(stage);
    stage.command("help.palette")->trigger();
    auto* palette = stage.window->findChild<CommandPalette*>();
    QVERIFY(palette != nullptr);
    auto* field = palette->findChild<QLineEdit*>();
    QTest::keyClicks(field, QStringLiteral("charts page"));
    QTest::keyClick(field, Qt::Key_Return);
    QCOMPARE(stage.window->pageIds().indexOf(QLatin1String("charts")), 3);
    QCOMPARE(stage.window->currentPage()->metaObject()->className(), "opscope::ui::ChartsPage");
  }

  void panelsFoldAndAreKeptByPage() {
    Stage stage;
    openExecutable(stage);
    QVERIFY(stage.window->showPageById(QStringLiteral("ops")));
    Command* inspector = stage.command("view.inspector");
    QVERIFY(inspector->isChecked());
    inspector->trigger();
    QVERIFY(!inspector->isChecked());
    QVERIFY(stage.settings->foldedPanels(QStringLiteral("ops"), {}).contains(QStringLiteral("inspector")));
  }

  void themesChangeAtOnce() {
    Stage stage;
    openExecutable(stage);
    for (const char* id : {"view.themeDark", "view.themeHighContrast", "view.themeLight"}) {
      stage.command(id)->trigger();
      QVERIFY(stage.command(id)->isChecked());
      QCOMPARE(QApplication::palette().color(QPalette::Window), stage.theme.colours().window);
    }
  }
};

}  // namespace opscope::ui

QTEST_MAIN(opscope::ui::WindowTest)
#include "window_test.moc"
