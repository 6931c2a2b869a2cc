// SPDX-License-Identifier: GPL-3.0-or-later
// A walk by keyboard alone through the window with a session of the engine: no mouse, no call. Open, choose
// inputs, run, filter, compare, export, quit.
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QMenu>
#include <QtTest>

#include "engine/session/session.h"
#include "tests/ui/support/engine_stage.h"
#include "tests/ui/support/keyboard_hand.h"
#include "ui/models/ops_model.h"
#include "ui/shell/command_palette.h"
#include "ui/shell/compare_desk.h"
#include "ui/views/charts_page.h"
#include "ui/views/executable_panel.h"
#include "ui/views/inspector.h"
#include "ui/views/ops_page.h"
#include "ui/views/page_tabs.h"
#include "ui/views/runs_panel.h"
#include "ui/views/timeline_page.h"

namespace opscope::ui {

using testing::EngineStage;
using testing::KeyboardHand;

class KeyboardWalkTest : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<EngineStage> m_stage;
  std::unique_ptr<KeyboardHand> m_hand;

  static QWidget* focus() { return KeyboardHand::focus(); }
  void press(int key, Qt::KeyboardModifiers modifiers = Qt::NoModifier) { m_hand->press(key, modifiers); }
  InputField field() const { return m_stage->workspace->form()->fields().front(); }
  void run(std::size_t runsAfterwards) {
    press(Qt::Key_F5);
    QTRY_VERIFY_WITH_TIMEOUT(
        !m_stage->workspace->isRunning() && m_stage->store->runs()->size() == runsAfterwards, 60000);
    m_stage->settle();
  }
  /// From the palette: what its words find first.
  void command(const QString& words) {
    press(Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier);
    QTRY_VERIFY(qobject_cast<CommandPalette*>(QApplication::activePopupWidget()) != nullptr);
    m_hand->type(words);
    press(Qt::Key_Return);
    QVERIFY(QApplication::activePopupWidget() == nullptr);
  }

 private Q_SLOTS:
  void initTestCase() {
    session::initialiseEngine();
    m_stage = std::make_unique<EngineStage>();
    m_hand = std::make_unique<KeyboardHand>(&m_stage->theme, m_stage->window.get());
    QVERIFY(QTest::qWaitForWindowActive(m_stage->window.get()));
  }
  void cleanupTestCase() { m_stage.reset(); }

  void theStartPageIsAllInReach() {
    const QStringList stops = m_hand->round();
    QVERIFY2(stops.size() > 3, qPrintable(stops.join(QStringLiteral(", "))));
    QVERIFY2(stops.contains(QStringLiteral("Open an executable or a report")),
             qPrintable(stops.join(QStringLiteral(", "))));
  }

  void menusOpenByTheirLetter() {
    const std::pair<int, const char*> letters[] = {{Qt::Key_F, "Open…"},
                                                   {Qt::Key_E, "Undo"},
                                                   {Qt::Key_V, "Summary"},
                                                   {Qt::Key_R, "Run"},
                                                   {Qt::Key_I, "Check for NaN and Inf"},
                                                   {Qt::Key_B, "Boards…"},
                                                   {Qt::Key_H, "Guide"}};
    for (const auto& [letter, first] : letters) {
      QWidget* before = focus();
      press(letter, Qt::AltModifier);
      auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
      QVERIFY2(menu != nullptr, first);
      QVERIFY2(menu->actions().front()->text().startsWith(QString::fromUtf8(first).left(3)),
               qPrintable(menu->actions().front()->text()));
      press(Qt::Key_Escape);
      press(Qt::Key_Escape);
      QVERIFY(QApplication::activePopupWidget() == nullptr);
      QVERIFY2(focus() == before, qPrintable(KeyboardHand::nameOf(focus())));
    }
  }

  void aFileIsOpened() {
    press(Qt::Key_O, Qt::ControlModifier);
    m_hand->giveFile(QStringLiteral(OPSCOPE_TEST_DATA "/vm/tvm027/cnn.so"));
    QTRY_VERIFY_WITH_TIMEOUT(m_stage->workspace->executable() != nullptr, 30000);
    m_stage->settle();
    // Closed, it is a recent file of the start page.
    press(Qt::Key_W, Qt::ControlModifier);
    QVERIFY(m_stage->workspace->executable() == nullptr);
    m_hand->tabTo(QStringLiteral("cnn.so"));
    press(Qt::Key_Return);
    QTRY_VERIFY_WITH_TIMEOUT(m_stage->workspace->executable() != nullptr, 30000);
    m_stage->settle();
  }

  void inputsAreChosen() {
    m_hand->goTo<ExecutablePanel>();
    m_hand->tabTo(QStringLiteral("Values of ") + field().name);
    press(Qt::Key_Down);
    QCOMPARE(int(field().source), int(InputSource::RandomRange));
    m_hand->tabTo(QStringLiteral("Least value of ") + field().name);
    press(Qt::Key_A, Qt::ControlModifier);
    m_hand->type(QStringLiteral("-1"));
    QCOMPARE(field().low, QStringLiteral("-1"));
    press(Qt::Key_Tab, Qt::ShiftModifier);
    press(Qt::Key_Tab, Qt::ShiftModifier);
    QCOMPARE(m_hand->nameOf(m_hand->focus()), QStringLiteral("Values of ") + field().name);
    press(Qt::Key_Down);
    QCOMPARE(int(field().source), int(InputSource::Zeros));
    press(Qt::Key_Home);
    QCOMPARE(int(field().source), int(InputSource::Random));
    m_hand->tabTo(QStringLiteral("Seed of ") + field().name);
    press(Qt::Key_A, Qt::ControlModifier);
    m_hand->type(QStringLiteral("7"));
    QCOMPARE(field().seed, quint64(7));
    m_hand->tabTo(QStringLiteral("Repeats"));
    press(Qt::Key_A, Qt::ControlModifier);
    m_hand->type(QStringLiteral("6"));
    press(Qt::Key_Tab);
    QCOMPARE(m_stage->workspace->choices().repeats, 6);
  }

  void theTreesKeepTheirRowInSight() {
    m_hand->goTo<ExecutablePanel>();
    m_hand->tabTo(QStringLiteral("Kernels, constants, modules"));
    for (int i = 0; i < 40; ++i) {
      press(Qt::Key_Down);
      m_hand->seeFocus();
      if (QTest::currentTestFailed()) return;
    }
    press(Qt::Key_Home);
    m_hand->seeFocus();
  }

  void itRuns() {
    run(1);
    QVERIFY(m_stage->workspace->run() != nullptr);
    m_hand->seeFocus();
  }

  void opsAreFilteredSortedAndChosen() {
    press(Qt::Key_2, Qt::AltModifier);
    QCOMPARE(m_stage->window->currentPageId(), QStringLiteral("ops"));
    auto* page = m_stage->window->findChild<OpsPage*>();
    QVERIFY(focus() == page->table());
    m_hand->seeFocus();
    const int all = page->model()->rowCount();
    press(Qt::Key_F, Qt::ControlModifier);
    m_hand->seeFocus();
    m_hand->type(page->model()->index(0, 0).data().toString());
    QTRY_VERIFY(page->model()->rowCount() < all);
    press(Qt::Key_Escape);
    QTRY_COMPARE(page->model()->rowCount(), all);
    m_hand->tabTo(QStringLiteral("Ops"));
    press(Qt::Key_Down);
    const OpId first = m_stage->workspace->selection()->op();
    QVERIFY(!first.isNull());
    press(Qt::Key_Down);
    QVERIFY(m_stage->workspace->selection()->op() != first);
    // The first steps of Right and Left unfold and fold, the next go along the cells.
    for (int i = 0; i < 3 && page->table()->currentIndex().column() == 0; ++i) press(Qt::Key_Right);
    const int column = page->table()->currentIndex().column();
    QVERIFY(column > 0);
    m_hand->seeFocus();
    press(Qt::Key_Return, Qt::ShiftModifier);
    QTRY_COMPARE(page->model()->sortColumn(), column);
    m_stage->settle();
    QCOMPARE(page->table()->currentIndex().column(), column);
    const Qt::SortOrder order = page->model()->sortOrder();
    press(Qt::Key_Return, Qt::ShiftModifier);
    QTRY_VERIFY(page->model()->sortOrder() != order);
    m_stage->settle();
    m_hand->seeFocus();
  }

  void theInspectorIsWalked() {
    m_hand->goTo<Inspector>();
    press(Qt::Key_F6, Qt::ShiftModifier);
    m_hand->seeFocus();
    // Back where it was.
    QVERIFY2(KeyboardHand::isWithin<OpsPage>(), qPrintable(KeyboardHand::nameOf(focus())));
    QCOMPARE(KeyboardHand::nameOf(focus()), QStringLiteral("Ops"));
  }

  void theTimelineIsMoved() {
    press(Qt::Key_3, Qt::AltModifier);
    auto* page = m_stage->window->findChild<TimelinePage*>();
    page->setAnimated(false);
    m_stage->settle();
    QCOMPARE(KeyboardHand::nameOf(focus()), QStringLiteral("Timeline"));
    m_hand->seeFocus();
    const QString whole = page->note();
    press(Qt::Key_W);
    QTRY_VERIFY(page->note() != whole);
    const QString zoomed = page->note();
    press(Qt::Key_D);
    QTRY_VERIFY(page->note() != zoomed);
    const auto call = m_stage->workspace->selection()->call();
    press(Qt::Key_Right);
    QTRY_VERIFY(m_stage->workspace->selection()->call() != call);
    press(Qt::Key_Escape);
    press(Qt::Key_F);
    m_hand->seeFocus();
  }

  void chartsAreWalked() {
    press(Qt::Key_4, Qt::AltModifier);
    QVERIFY(KeyboardHand::isWithin<ChartsPage>());
    // Arrows go from one of joined buttons to the next, as in a row of tabs.
    m_hand->tabTo(QStringLiteral("Time by op"));
    press(Qt::Key_Right);
    m_hand->seeFocus();
    auto* page = m_stage->window->findChild<ChartsPage*>();
    QVERIFY(page->frame(QStringLiteral("time-by-device"))->isVisible());
    press(Qt::Key_Left);
    QVERIFY(page->frame(QStringLiteral("time-by-op"))->isVisible());
  }

  void panelsFoldAndOpen() {
    press(Qt::Key_2, Qt::AltModifier);
    m_hand->goTo<ExecutablePanel>();
    press(Qt::Key_1, Qt::ControlModifier | Qt::AltModifier);
    m_hand->seeFocus();
    QCOMPARE(KeyboardHand::nameOf(focus()), QStringLiteral("Executable"));
    press(Qt::Key_Return);
    m_hand->seeFocus();
    QVERIFY2(KeyboardHand::isWithin<ExecutablePanel>(), qPrintable(KeyboardHand::nameOf(focus())));
    m_hand->goTo<RunsPanel>();
    press(Qt::Key_3, Qt::ControlModifier | Qt::AltModifier);
    m_hand->seeFocus();
    QCOMPARE(KeyboardHand::nameOf(focus()), QStringLiteral("Open Runs"));
    press(Qt::Key_Return);
    m_hand->seeFocus();
    QCOMPARE(KeyboardHand::nameOf(focus()), QStringLiteral("Saved runs"));
  }

  void twoRunsAreCompared() {
    run(2);
    press(Qt::Key_2, Qt::AltModifier);
    m_hand->goTo<RunsPanel>();
    auto* panel = m_stage->window->findChild<RunsPanel*>();
    QCOMPARE(KeyboardHand::nameOf(focus()), QStringLiteral("Saved runs"));
    press(Qt::Key_Home, Qt::ControlModifier);
    m_hand->seeFocus();
    press(Qt::Key_Space);
    press(Qt::Key_Down);
    press(Qt::Key_Right);  // a tick needs no certain cell
    press(Qt::Key_Space);
    QCOMPARE(panel->model()->ticked().size(), std::size_t(2));
    press(Qt::Key_C);
    QTRY_COMPARE(m_stage->window->currentPageId(), QStringLiteral("compare"));
    QTRY_VERIFY_WITH_TIMEOUT(m_stage->window->findChild<CompareDesk*>()->view() != nullptr, 20000);
    m_stage->settle();
    m_hand->seeFocus();
    press(Qt::Key_2, Qt::AltModifier);
    press(Qt::Key_D, Qt::ControlModifier);
    QTRY_COMPARE(m_stage->window->currentPageId(), QStringLiteral("compare"));
    m_hand->seeFocus();
  }

  void theReportIsExported() {
    const QString path = m_stage->folder.filePath(QStringLiteral("out.json"));
    command(QStringLiteral("export json"));
    m_hand->giveFile(path);
    QTRY_VERIFY(QFile::exists(path) && QFile(path).size() > 100);
    // The same from the menu, and what it holds.
    const QString again = m_stage->folder.filePath(QStringLiteral("again.json"));
    press(Qt::Key_F, Qt::AltModifier);
    auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
    QVERIFY(menu != nullptr);
    const auto isThere = [&]() {
      return menu->activeAction() != nullptr &&
             menu->activeAction()->text().startsWith(QLatin1String("Export TVM report"));
    };
    for (int i = 0; i < 30 && !isThere(); ++i) press(Qt::Key_Down);
    QVERIFY(isThere());
    press(Qt::Key_Return);
    m_hand->giveFile(again);
    QTRY_VERIFY(QFile::exists(again) && QFile(again).size() == QFile(path).size());
    QFile file(again);
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QJsonObject report = QJsonDocument::fromJson(file.readAll()).object();
    QCOMPARE(std::size_t(report.value(QStringLiteral("calls")).toArray().size()),
             m_stage->workspace->run()->document.report->calls.size());
  }

  void noPageIsATrap() {
    for (int page = 0; page < 7; ++page) {
      press(Qt::Key_1 + page, Qt::AltModifier);
      m_stage->settle();
      m_hand->seeFocus();
      const QStringList stops = m_hand->round();
      QVERIFY2(!QTest::currentTestFailed(), qPrintable(QStringLiteral("page %1").arg(page + 1)));
      QVERIFY2(stops.size() > 10, qPrintable(QStringLiteral("page %1").arg(page + 1)));
      qInfo().noquote() << page + 1 << stops.join(QStringLiteral(" | "));
      // F6 comes back too, and stops in more than one area.
      QSet<QWidget*> areas;
      for (int i = 0; i < 7; ++i) {
        press(Qt::Key_F6);
        m_hand->seeFocus();
        areas << focus();
      }
      QVERIFY2(areas.size() >= 4, qPrintable(QStringLiteral("page %1").arg(page + 1)));
    }
  }

  void itQuits() {
    press(Qt::Key_Q, Qt::ControlModifier);
    QTRY_VERIFY(!m_stage->window->isVisible());
  }
};

}  // namespace opscope::ui

QTEST_MAIN(opscope::ui::KeyboardWalkTest)
#include "keyboard_walk_test.moc"
