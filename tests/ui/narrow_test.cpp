// SPDX-License-Identifier: GPL-3.0-or-later
// The window with little room and large text: nothing lies over something else, nothing is cut, and what has
// no room is still in reach.
#include <QMenu>
#include <QScrollArea>
#include <QScrollBar>
#include <QtTest>

#include "tests/ui/support/window_stage.h"
#include "ui/shell/run_tool_bar.h"
#include "ui/shell/text_size.h"
#include "ui/views/start_page.h"
#include "ui/views/summary_page.h"
#include "ui/views/widgets/page_bar.h"

namespace opscope::ui {

using testing::openExecutable;
using testing::runToEnd;
using testing::Stage;

namespace {

QWidgetList shownParts(const QWidget* bar) {
  QWidgetList parts;
  for (QWidget* part : bar->findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly)) {
    if (part->isVisible()) parts << part;
  }
  return parts;
}

QString describe(const QWidget* part) {
  const auto* label = qobject_cast<const QLabel*>(part);
  const QRect at = part->geometry();
  return QStringLiteral("%1 “%2” %3 to %4")
      .arg(QLatin1String(part->metaObject()->className()),
           label != nullptr ? label->text() : part->accessibleName())
      .arg(at.left())
      .arg(at.right());
}

/// The first part that lies over another one or is cut; empty: all is well.
QString problemOf(const QWidget* bar) {
  const QWidgetList parts = shownParts(bar);
  for (const QWidget* part : parts) {
    const bool isButton = qobject_cast<const ActionButton*>(part) != nullptr;
    if (!bar->rect().contains(part->geometry()) || (isButton && part->width() < part->sizeHint().width()))
      return describe(part);
    for (const QWidget* other : parts) {
      // Buttons that are one choice share a border.
      if (other != part && other->geometry().adjusted(1, 0, -1, 0).intersects(part->geometry()))
        return describe(part) + QStringLiteral(" | ") + describe(other);
    }
  }
  return {};
}

/// By the keys of the window.
void setText(Stage& stage, int percent) {
  stage.window->activateWindow();
  QTRY_VERIFY(stage.window->isActiveWindow());
  QTest::keyClick(stage.window.get(), Qt::Key_0, Qt::ControlModifier);
  for (int i = 0; i < 20 && textSize() < percent; ++i)
    QTest::keyClick(stage.window.get(), Qt::Key_Plus, Qt::ControlModifier);
  QCOMPARE(textSize(), percent);
}

void resize(Stage& stage, int width, int height) {
  stage.window->setMinimumSize(0, 0);
  stage.window->resize(width, height);
  QTest::qWait(30);
}

}  // namespace

class NarrowTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void cleanup() { setTextSize(kUsualTextSize); }

  void theToolBarNeverOverlapsItself_data() {
    QTest::addColumn<int>("width");
    QTest::addColumn<int>("text");
    for (const int width : {860, 900, 1000, 1100, 1200, 1440}) {
      for (const int text : {100, 125, 150, 200}) QTest::addRow("%d %d %%", width, text) << width << text;
    }
  }

  void theToolBarNeverOverlapsItself() {
    QFETCH(int, width);
    QFETCH(int, text);
    Stage stage;
    openExecutable(stage);
    setText(stage, text);
    resize(stage, width, 900);
    const auto* bar = stage.window->findChild<RunToolBar*>();
    QTRY_VERIFY2(problemOf(bar).isEmpty(), qPrintable(problemOf(bar)));
    QVERIFY(shownParts(bar).size() > 6);
  }

  void theBarsOfPagesNeverOverlapThemselves_data() {
    QTest::addColumn<int>("percent");
    QTest::addColumn<int>("width");
    for (const int percent : {100, 150, 200}) {
      for (const int width : {860, 1100, 1440}) QTest::addRow("%d%% %d", percent, width) << percent << width;
    }
  }
  void theBarsOfPagesNeverOverlapThemselves() {
    QFETCH(int, percent);
    QFETCH(int, width);
    Stage stage;
    openExecutable(stage);
    runToEnd(stage);
    setText(stage, percent);
    stage.window->resize(width, 900);
    for (const QString& id : stage.window->pageIds()) {
      QVERIFY(stage.window->showPageById(id));
      QTest::qWait(20);
      for (PageBar* bar : stage.window->currentPage()->findChildren<PageBar*>()) {
        if (!bar->isVisible()) continue;
        const QString problem = problemOf(bar->content());
        QVERIFY2(problem.isEmpty(), qPrintable(id + QStringLiteral(": ") + problem));
        if (!bar->isTooNarrow()) continue;
        // The focus brings its control into sight, the last one too.
        QWidget* last = nullptr;
        for (QWidget* part : shownParts(bar->content())) {
          const bool takes = part->isEnabled() && part->focusPolicy() != Qt::NoFocus;
          if (takes && (last == nullptr || part->x() > last->x())) last = part;
        }
        QVERIFY2(last != nullptr, qPrintable(id));
        last->setFocus(Qt::TabFocusReason);
        const QRect seen(last->mapTo(bar, QPoint(0, 0)), last->size());
        QVERIFY2(bar->rect().contains(seen), qPrintable(id + QLatin1Char(' ') + describe(last)));
      }
    }
  }

  void whatHasNoRoomIsInTheMenu() {
    Stage stage;
    openExecutable(stage);
    setText(stage, 200);
    resize(stage, 860, 900);
    const auto* bar = stage.window->findChild<RunToolBar*>();
    ActionButton* more = nullptr;
    for (ActionButton* button : bar->findChildren<ActionButton*>()) {
      if (button->accessibleName() == QStringLiteral("More of the run")) more = button;
    }
    QVERIFY(more != nullptr);
    QTRY_VERIFY2(more->isVisible(),
                 qPrintable(QStringLiteral("%1 wide, text %2 %").arg(bar->width()).arg(textSize())));
    QTest::mouseClick(more, Qt::LeftButton);
    auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
    QVERIFY(menu != nullptr);
    QSpinBox* repeats = nullptr;
    for (QSpinBox* field : menu->findChildren<QSpinBox*>()) {
      if (field->accessibleName() == QStringLiteral("Repeats")) repeats = field;
    }
    QVERIFY(repeats != nullptr);
    repeats->setValue(17);
    menu->close();
    QCOMPARE(stage.workspace->choices().repeats, 17);
  }

  void theSummaryIsAsWideAsItsPage_data() {
    QTest::addColumn<int>("width");
    QTest::addColumn<int>("text");
    QTest::newRow("wide") << 1440 << 100;
    QTest::newRow("narrow") << 900 << 125;
    QTest::newRow("large text") << 900 << 200;
    QTest::newRow("largest") << 1440 << 200;
  }

  void theSummaryIsAsWideAsItsPage() {
    QFETCH(int, width);
    QFETCH(int, text);
    Stage stage;
    openExecutable(stage);
    runToEnd(stage);
    setText(stage, text);
    resize(stage, width, 700);
    auto* summary = stage.window->findChild<SummaryResult*>();
    QVERIFY(summary->isVisible());
    QTRY_VERIFY2(
        summary->width() <= summary->parentWidget()->width(),
        qPrintable(QStringLiteral("%1 in %2").arg(summary->width()).arg(summary->parentWidget()->width())));
  }

  void theStartPageScrolls() {
    Theme theme;
    StartPage start(&theme);
    start.resize(900, 300);
    start.show();
    auto* scroll = start.findChild<QScrollArea*>();
    QTRY_VERIFY(scroll->verticalScrollBar()->maximum() > 0);
    QTest::qWait(50);  // rows that were replaced are gone
    for (const QLabel* label : start.findChildren<QLabel*>()) {
      if (!label->isVisible() || label->text().isEmpty()) continue;
      QVERIFY2(label->height() >= label->fontMetrics().height(), qPrintable(label->text()));
    }
    // With room it does not.
    start.resize(1400, 1200);
    QTRY_COMPARE(scroll->verticalScrollBar()->maximum(), 0);
  }
};

}  // namespace opscope::ui

QTEST_MAIN(opscope::ui::NarrowTest)
#include "narrow_test.moc"
