// SPDX-License-Identifier: GPL-3.0-or-later
// The window and the eye: the size of text, the size of the window, pictures of pages, where the focus is.
#include <QCheckBox>
#include <QClipboard>
#include <QDockWidget>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QHeaderView>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QPointer>
#include <QScreen>
#include <QScrollArea>
#include <QStyleOptionButton>
#include <QtTest>

#include "tests/ui/support/ops_stage.h"
#include "ui/models/ops_model.h"
#include "ui/shell/command_palette.h"
#include "ui/shell/text_size.h"
#include "ui/views/charts_page.h"
#include "ui/views/guide/guide_window.h"
#include "ui/views/ops_page.h"
#include "ui/views/page_tabs.h"
#include "ui/views/start_page.h"
#include "ui/views/summary_page.h"
#include "ui/views/widgets/page_bar.h"

namespace opscope::ui {

using testing::openExecutable;
using testing::runToEnd;
using testing::Stage;

class WindowLookTest : public QObject {
  Q_OBJECT

 private:
  static QList<QPointer<QWidget>> shown(const Stage& stage) {
    QList<QPointer<QWidget>> list;
    for (QWidget* widget : stage.window->findChildren<QWidget*>())
      if (widget->isVisible()) list << widget;
    return list;
  }

  static QStringList sizes(const QList<QPointer<QWidget>>& widgets) {
    QStringList list;
    for (const QPointer<QWidget>& widget : widgets) {
      if (widget.isNull() || qobject_cast<QDockWidget*>(widget) != nullptr) continue;
      const QWidget* parent = widget->parentWidget();
      list << QStringLiteral("%1 in %8, %2×%3 to %4×%5, font %6, %7")
                  .arg(QLatin1String(widget->metaObject()->className()))
                  .arg(widget->minimumWidth())
                  .arg(widget->minimumHeight())
                  .arg(widget->maximumWidth())
                  .arg(widget->maximumHeight())
                  .arg(QFontInfo(widget->font()).pixelSize())
                  .arg(widget->isVisible())
                  .arg(QLatin1String(parent != nullptr ? parent->metaObject()->className() : "nothing"));
    }
    return list;
  }

  static QByteArray contents(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
  }

 private Q_SLOTS:
  void textGrowsAndShrinksByKeys() {
    Stage stage;
    openExecutable(stage);
    runToEnd(stage);
    stage.window->showPageById(QStringLiteral("ops"));
    QTest::qWait(50);
    auto* ops = stage.window->findChild<OpsPage*>();
    auto* tabs = stage.window->findChild<PageTabs*>();
    auto* bar = ops->findChild<PageBar*>();
    // The window is laid out for good, and the run is in the list of saved ones.
    QTRY_VERIFY(!bar->isTooNarrow());
    QTRY_COMPARE(stage.store->runs()->size(), std::size_t(1));
    QTest::qWait(50);
    const int row = ops->table()->verticalHeader()->defaultSectionSize();
    const int header = ops->table()->horizontalHeader()->height(), tab = tabs->height(),
              barHeight = bar->height();
    const QList<QPointer<QWidget>> widgets = shown(stage);
    const QStringList before = sizes(widgets);
    QTest::keyClick(stage.window.get(), Qt::Key_Plus, Qt::ControlModifier);
    QCOMPARE(textSize(), 110);
    QTest::keyClick(stage.window.get(), Qt::Key_Equal, Qt::ControlModifier);
    QCOMPARE(textSize(), 125);
    QTest::keyClick(stage.window.get(), Qt::Key_Plus, Qt::ControlModifier);
    QCOMPARE(stage.settings->textSize(), 150);
    QTest::qWait(50);
    const double by = 20.0 / 13.0;
    QCOMPARE(QFontInfo(QApplication::font()).pixelSize(), 20);
    QCOMPARE(ops->table()->verticalHeader()->defaultSectionSize(), qRound(row * by));
    QVERIFY(std::abs(ops->table()->horizontalHeader()->height() - header * by) <= 1);
    QTRY_VERIFY(std::abs(tabs->height() - tab * by) <= 3);
    QTRY_VERIFY(std::abs(bar->height() - barHeight * by) <= 1);
    for (int i = 0; i < 5; ++i) QTest::keyClick(stage.window.get(), Qt::Key_Minus, Qt::ControlModifier);
    QCOMPARE(textSize(), 80);
    QVERIFY(!stage.command("view.textSmaller")->isEnabled());
    QTest::keyClick(stage.window.get(), Qt::Key_0, Qt::ControlModifier);
    QCOMPARE(stage.settings->textSize(), 100);
    QTest::qWait(50);
    // Whole pixels are not lost on the way.
    QTRY_COMPARE(sizes(widgets), before);
  }

  void aWindowThatIsMadeInASizeHasTheSame() {
    Stage stage;
    openExecutable(stage);
    runToEnd(stage);
    for (int i = 0; i < 2; ++i) QTest::keyClick(stage.window.get(), Qt::Key_Plus, Qt::ControlModifier);
    MainWindow fresh(&stage.theme, stage.workspace.get(), QString());
    fresh.resize(1440, 900);
    fresh.show();
    QTest::qWait(50);
    const auto bar = [](const MainWindow& window) { return window.findChild<PageBar*>()->maximumHeight(); };
    QVERIFY(std::abs(bar(fresh) - bar(*stage.window)) <= 1);
    QCOMPARE(fresh.findChild<PageTabs*>()->sizeHint(), stage.window->findChild<PageTabs*>()->sizeHint());
    stage.command("view.textUsual")->trigger();
  }

  void tickBoxesGrowWithTheText() {
    Stage stage;
    openExecutable(stage);
    for (int i = 0; i < 3; ++i) QTest::keyClick(stage.window.get(), Qt::Key_Plus, Qt::ControlModifier);
    QCOMPARE(textSize(), 150);
    QCheckBox box(QStringLiteral("Bind each thread"), stage.window.get());
    box.setChecked(true);
    box.resize(box.sizeHint());
    box.show();
    QStyleOptionButton option;
    option.initFrom(&box);
    const QRect tick = box.style()->subElementRect(QStyle::SE_CheckBoxIndicator, &option, &box);
    const QRect words = box.style()->subElementRect(QStyle::SE_CheckBoxContents, &option, &box);
    QVERIFY(tick.width() >= stage.theme.px(14));
    QVERIFY(tick.left() >= 0);
    QVERIFY(words.left() - tick.right() > stage.theme.px(4));
    // What is drawn stays within the box and leaves the gap to the words free.
    const QImage drawn = box.grab().toImage();
    const double scale = drawn.devicePixelRatio();
    const QColor accent = stage.theme.colours().accent;
    int first = drawn.width(), last = -1;
    for (int x = 0; x < int(words.left() * scale); ++x) {
      if (drawn.pixelColor(x, drawn.height() / 2) == accent) {
        first = std::min(first, x);
        last = x;
      }
    }
    QVERIFY(last - first > tick.width() / 2);
    QVERIFY(last <= int(tick.right() * scale));
    stage.command("view.textUsual")->trigger();
  }

  void slashReachesTheFilter() {
    Stage stage;
    OpsPage* ops = testing::showOps(stage);
    ops->table()->setFocus();
    QTest::keyClick(ops->table(), Qt::Key_Slash);
    auto* field = qobject_cast<QLineEdit*>(QApplication::focusWidget());
    QVERIFY(field != nullptr && ops->isAncestorOf(field));
    // In a field it is a letter.
    QTest::keyClick(field, Qt::Key_Slash);
    QCOMPARE(field->text(), QStringLiteral("/"));
  }

  void theWindowFitsTheScreen() {
    Stage stage;
    const QSize room = stage.window->screen()->availableGeometry().size();
    MainWindow first(&stage.theme, stage.workspace.get(), QString());
    QVERIFY(first.width() <= std::max(room.width(), first.minimumWidth()));
    QVERIFY(first.height() <= room.height());
    first.resize(1900, 1400);
    first.move(300, 200);
    stage.settings->setGeometry(first.saveGeometry());
    MainWindow restored(&stage.theme, stage.workspace.get(), QString());
    QVERIFY(restored.width() <= std::max(room.width(), restored.minimumWidth()));
    QVERIFY(restored.height() <= room.height());
    QVERIFY(restored.y() + restored.height() <= restored.screen()->availableGeometry().bottom() + 1);
  }

  void aPageIsSavedInThreeFormats() {
    Stage stage;
    openExecutable(stage);
    runToEnd(stage);
    stage.command("view.themeDark")->trigger();
    for (const char* page : {"ops", "charts"}) {
      stage.window->showPageById(QLatin1String(page));
      QTest::qWait(80);
      const QString base = stage.folder.filePath(QLatin1String(page));
      for (const char* ending : {".png", ".svg", ".pdf"}) {
        stage.window->savePicture(base + QLatin1String(ending));
        QTRY_VERIFY(QFile::exists(base + QLatin1String(ending)));
      }
      const QImage image(base + QStringLiteral(".png"));
      QVERIFY(image.width() > 2 * stage.window->currentPage()->width());
      // Light, whatever the window wears.
      QCOMPARE(image.pixelColor(4, 4), stage.theme.lightColours().base);
      QVERIFY(image.pixelColor(60, 140).lightness() > 200);
      QVERIFY(stage.theme.isDark());
      const QByteArray svg = contents(base + QStringLiteral(".svg"));
      QVERIFY(svg.startsWith("<?xml"));
      QVERIFY(svg.contains("<text"));
      QVERIFY(svg.contains("shufflenet"));
      QVERIFY(contents(base + QStringLiteral(".pdf")).startsWith("%PDF"));
    }
  }

  void theDialogOffersTheFormats() {
    Stage stage;
    openExecutable(stage);
    runToEnd(stage);
    QTest::keyClick(stage.window.get(), Qt::Key_S, Qt::ControlModifier | Qt::ShiftModifier);
    auto* dialog = stage.window->findChild<QFileDialog*>();
    QVERIFY(dialog != nullptr);
    QCOMPARE(dialog->nameFilters().size(), 3);
    dialog->setDirectory(stage.folder.path());
    dialog->selectNameFilter(dialog->nameFilters()[1]);
    Q_EMIT dialog->filterSelected(dialog->nameFilters()[1]);
    auto* name = dialog->findChild<QLineEdit*>(QStringLiteral("fileNameEdit"));
    name->selectAll();
    QTest::keyClicks(name, QStringLiteral("page"));
    QTest::keyClick(name, Qt::Key_Return);
    QTRY_VERIFY(QFile::exists(stage.folder.filePath(QStringLiteral("page.svg"))));
    stage.window->savePicture(stage.folder.filePath(QStringLiteral("page.jpg")));
    QTRY_VERIFY(stage.workspace->failure().has_value());
    QVERIFY(QString::fromStdString(stage.workspace->failure()->error.detail).contains(QLatin1String(".svg")));
    QVERIFY(!QFile::exists(stage.folder.filePath(QStringLiteral("page.jpg"))));
  }

  void whatPagesCanDoIsFoundInThePalette() {
    Stage stage;
    openExecutable(stage);
    runToEnd(stage);
    const auto found = [&stage](const QString& words) {
      QTest::keyClick(stage.window.get(), Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier);
      auto* palette = stage.window->findChild<CommandPalette*>();
      QTest::keyClicks(palette->findChild<QLineEdit*>(), words);
      const QString first = palette->findChild<QListWidget*>()->item(0)->text();
      palette->close();
      QCoreApplication::sendPostedEvents(palette, QEvent::DeferredDelete);
      return first;
    };
    for (const char* words :
         {"fit selection", "measure a range", "pin the op", "next call", "previous call", "group by kind",
          "hottest", "choose columns", "this cell", "save all charts", "colour by device", "find next",
          "zoom to the selection", "save the timeline", "go to the peak", "next repeat", "export trace"}) {
      const QString first = found(QLatin1String(words));
      QVERIFY2(first.contains(QLatin1String(": ")), qPrintable(first));
    }
    QVERIFY(found(QStringLiteral("zebra")).contains(QLatin1String("No action has")));
  }

  void anActOfAPageIsDoneThere() {
    Stage stage;
    OpsPage* ops = testing::showOps(stage);
    const int grouped = ops->model()->rowCount();
    QTest::keyClick(ops->table(), Qt::Key_K, Qt::ControlModifier);
    QTest::keyClick(ops->table(), Qt::Key_3);
    QTRY_VERIFY(ops->model()->rowCount() < grouped);
    QCOMPARE(ops->grouping(), QStringLiteral("kind"));
    stage.window->showPageById(QStringLiteral("summary"));
    QTest::qWait(50);
    stage.command("timeline.fit")->trigger();
    QCOMPARE(stage.window->currentPageId(), QStringLiteral("timeline"));
    QTest::keyClick(stage.window.get(), Qt::Key_2, Qt::ControlModifier | Qt::ShiftModifier);
    QCOMPARE(int(stage.workspace->selection()->colourBy()), int(ColourBy::Device));
  }

  void theChartWithTheFocusIsEnlargedCopiedAndSavedByKeys() {
    Stage stage;
    openExecutable(stage);
    runToEnd(stage);
    stage.window->showPageById(QStringLiteral("charts"));
    auto* charts = stage.window->findChild<ChartsPage*>();
    const auto chord = [&stage](Qt::Key key) {
      QTest::keyClick(stage.window.get(), Qt::Key_K, Qt::ControlModifier);
      QTest::keyClick(stage.window.get(), key);
    };
    std::vector<ChartFrame*> shown;
    for (ChartFrame* frame : charts->frames()) {
      if (frame->isVisible()) shown.push_back(frame);
    }
    QVERIFY(shown.size() >= 2);
    QCOMPARE(charts->currentFrame(), shown.front());
    shown[1]->chart()->setFocus();
    QCOMPARE(charts->currentFrame(), shown[1]);
    chord(Qt::Key_X);
    QVERIFY(shown[1]->isVisible() && !shown[0]->isVisible());
    QVERIFY(!stage.command("charts.enlarge")->isEnabled());
    chord(Qt::Key_L);
    QVERIFY(shown[0]->isVisible());
    QGuiApplication::clipboard()->clear();
    chord(Qt::Key_I);
    QVERIFY(!QGuiApplication::clipboard()->image().isNull());
    chord(Qt::Key_G);
    auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
    QVERIFY(menu != nullptr);
    QCOMPARE(menu->parentWidget(), shown[1]);
    QCOMPARE(menu->actions().front()->text(), QStringLiteral("Save as PNG…"));
    menu->close();
  }

  void aPageIsRingedForTheKeyboardAlone() {
    Stage stage;
    openExecutable(stage);
    runToEnd(stage);
    auto* page = stage.window->findChild<SummaryPage*>();
    QScrollArea* area = nullptr;
    for (QScrollArea* each : page->findChildren<QScrollArea*>()) area = each->isVisible() ? each : area;
    QVERIFY(area != nullptr);
    const auto ringed = [&]() {
      QCoreApplication::processEvents();
      const QImage image = area->grab().toImage();
      for (int y = 0; y < 4; ++y) {
        int points = 0;
        for (int x = 0; x < image.width(); ++x) {
          if (image.pixelColor(x, y) == stage.theme.colours().focus) ++points;
        }
        if (points > image.width() / 2) return true;
      }
      return false;
    };
    QVERIFY(QTest::qWaitForWindowActive(stage.window.get()));
    area->setFocus(Qt::OtherFocusReason);
    QTest::keyClick(stage.window.get(), Qt::Key_Shift);
    QVERIFY(ringed());
    // The mouse chooses another page and comes back, and nothing is marked.
    auto* tabs = stage.window->findChild<PageTabs*>();
    QTest::mouseClick(tabs, Qt::LeftButton, {}, tabs->tabRect(1).center());
    QTest::mouseClick(tabs, Qt::LeftButton, {}, tabs->tabRect(0).center());
    area->setFocus(Qt::OtherFocusReason);  // as it comes back when a control goes away
    QVERIFY(!ringed());
    QTest::keyClick(stage.window.get(), Qt::Key_Tab);
    area->setFocus(Qt::OtherFocusReason);
    QVERIFY(ringed());
  }

  void theStartPageTellsWhatChanged() {
    Stage stage;
    auto* start = stage.window->findChild<StartPage*>();
    const auto texts = start->findChildren<Text*>();
    QVERIFY(std::any_of(texts.begin(), texts.end(), [](const Text* text) {
      return text->isVisible() && text->text() == QLatin1String("What changed in this version");
    }));
    for (auto* button : start->findChildren<QAbstractButton*>()) {
      if (button->text() == QLatin1String("Try the sample")) {
        QVERIFY(!button->isEnabled());
        QVERIFY(button->toolTip().contains(QLatin1String("not installed")));
      }
      if (button->text() == QLatin1String("Read the guide")) QTest::mouseClick(button, Qt::LeftButton);
    }
    QTRY_VERIFY(stage.window->guide() != nullptr && stage.window->guide()->isVisible());
  }

  void theFocusStaysNearWhatGoesAway() {
    Stage stage;
    OpsPage* ops = testing::showOps(stage);
    ops->table()->setFocus();
    QTest::keyClick(stage.window.get(), Qt::Key_R, Qt::ControlModifier);
    QTest::qWait(20);
    QVERIFY(ops->isAncestorOf(QApplication::focusWidget()));
    auto* field = ops->findChild<QLineEdit*>();
    field->setFocus();
    field->setEnabled(false);
    QTest::qWait(20);
    QVERIFY(ops->isAncestorOf(QApplication::focusWidget()));
  }
};

}  // namespace opscope::ui

QTEST_MAIN(opscope::ui::WindowLookTest)
#include "window_look_test.moc"
