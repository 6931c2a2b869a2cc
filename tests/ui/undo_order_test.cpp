// SPDX-License-Identifier: GPL-3.0-or-later
// Ctrl+Z takes back what was done last, the zoom of a page or the filter of all pages.
#include <QLineEdit>
#include <QtTest>

#include "tests/ui/support/window_stage.h"
#include "ui/views/memory_page.h"
#include "ui/views/timeline/timeline_view.h"
#include "ui/views/timeline_page.h"

namespace opscope::ui {

using testing::openExecutable;
using testing::runToEnd;
using testing::Stage;

class UndoOrderTest : public QObject {
  Q_OBJECT

 private:
  static TimelineView* view(const Stage& stage) { return stage.window->findChild<TimelinePage*>()->view(); }
  static double span(const Stage& stage) { return view(stage)->scene().scale.spanNs(); }
  static QString filter(const Stage& stage) { return stage.workspace->selection()->filter().text; }
  static void showTimeline(Stage& stage) {
    openExecutable(stage);
    runToEnd(stage);
    QTest::keyClick(stage.window.get(), Qt::Key_3, Qt::AltModifier);
    QTRY_VERIFY(view(stage)->timeline() != nullptr);
    view(stage)->setFocus();
    QTRY_VERIFY(view(stage)->standsStill());
  }
  static void zoom(Stage& stage) {
    const double before = span(stage);
    view(stage)->setFocus();
    QTest::keyClick(view(stage), Qt::Key_W);
    QTRY_VERIFY(span(stage) < before && view(stage)->standsStill());
  }
  /// Where the keyboard is, as a person would press it.
  static void press(Qt::KeyboardModifiers modifiers) {
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Z, modifiers);
  }
  static void undo() { press(Qt::ControlModifier); }
  static void redo() { press(Qt::ControlModifier | Qt::ShiftModifier); }

 private Q_SLOTS:
  void whatWasDoneLastGoesFirst() {
    Stage stage;
    showTimeline(stage);
    const double whole = span(stage);
    zoom(stage);
    const double near = span(stage);
    stage.workspace->selection()->setFilter({QStringLiteral("conv"), false});
    undo();
    QCOMPARE(filter(stage), QString());
    QCOMPARE(span(stage), near);
    undo();
    QTRY_COMPARE(span(stage), whole);
    redo();
    QTRY_COMPARE(span(stage), near);
    QCOMPARE(filter(stage), QString());
    redo();
    QCOMPARE(filter(stage), QStringLiteral("conv"));
    QVERIFY(!stage.command("edit.redo")->isEnabled());
  }

  void aZoomAfterTheFilterGoesBeforeIt() {
    Stage stage;
    showTimeline(stage);
    const double whole = span(stage);
    stage.workspace->selection()->setFilter({QStringLiteral("conv"), false});
    zoom(stage);
    undo();
    QTRY_COMPARE(span(stage), whole);
    QCOMPARE(filter(stage), QStringLiteral("conv"));
    undo();
    QCOMPARE(filter(stage), QString());
  }

  void aZoomThatStillMovesCountsFromWhenItBegan() {
    Stage stage;
    showTimeline(stage);
    const double whole = span(stage);
    QTest::keyClick(view(stage), Qt::Key_W);
    QVERIFY(!view(stage)->standsStill());
    stage.workspace->selection()->setFilter({QStringLiteral("conv"), false});
    undo();
    QCOMPARE(filter(stage), QString());
    undo();
    QTRY_COMPARE(span(stage), whole);
  }

  void whatIsNewEndsWhatCouldBeDoneAgain() {
    Stage stage;
    showTimeline(stage);
    stage.workspace->selection()->setFilter({QStringLiteral("conv"), false});
    undo();
    QVERIFY(stage.command("edit.redo")->isEnabled());
    zoom(stage);
    const double near = span(stage);
    redo();
    QCOMPARE(filter(stage), QString());
    QCOMPARE(span(stage), near);
  }
};

}  // namespace opscope::ui

QTEST_MAIN(opscope::ui::UndoOrderTest)
#include "undo_order_test.moc"
