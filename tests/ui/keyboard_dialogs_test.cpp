// SPDX-License-Identifier: GPL-3.0-or-later
// Dialogs, menus and editors by keys alone: each is opened, walked through by Tab with the focus in sight,
// does what it is for, and gives the focus back to where it was.
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QMenu>
#include <QTextBrowser>
#include <QtTest>

#include "tests/ui/support/keyboard_hand.h"
#include "tests/ui/support/window_stage.h"
#include "ui/models/ops_model.h"
#include "ui/shell/board_desk.h"
#include "ui/shell/command_palette.h"
#include "ui/shell/instrument_desk.h"
#include "ui/views/guide/guide_window.h"
#include "ui/views/ops_page.h"
#include "ui/views/run_settings_dialog.h"
#include "ui/views/runs_panel.h"

namespace opscope::ui {

using testing::KeyboardHand;
using testing::Stage;

class KeyboardDialogsTest : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<Stage> m_stage;
  std::unique_ptr<KeyboardHand> m_hand;
  QWidget* m_before = nullptr;

  static QWidget* focus() { return KeyboardHand::focus(); }
  static QString focusName() { return KeyboardHand::nameOf(focus()); }
  void press(int key, Qt::KeyboardModifiers modifiers = Qt::NoModifier) { m_hand->press(key, modifiers); }
  OpsPage* ops() const { return m_stage->window->findChild<OpsPage*>(); }

  /// Opens by a key from the table of Ops, and waits until the dialog has the keyboard.
  template <class Window>
  Window* opened(int key, Qt::KeyboardModifiers modifiers) {
    press(key, modifiers);
    Window* window = nullptr;
    [&]() {
      QTRY_VERIFY((window = qobject_cast<Window*>(QApplication::activeWindow())) != nullptr);
      QTRY_VERIFY(focus() != nullptr && window->isAncestorOf(focus()));
    }();
    return window;
  }
  /// Every control that takes the focus by Tab is reached, and seen; names of all.
  QStringList walked(const QStringList& wanted) {
    const QStringList stops = m_hand->round();
    [&]() {
      for (const QString& name : wanted)
        QVERIFY2(stops.contains(name),
                 qPrintable(name + QStringLiteral(" is not among ") + stops.join(QStringLiteral(", "))));
    }();
    return stops;
  }
  void isBack() {
    // The platform of the tests has no window manager that would give the focus back.
    if (QGuiApplication::focusWindow() == nullptr) {
      m_stage->window->activateWindow();
      QVERIFY(QTest::qWaitForWindowActive(m_stage->window.get()));
    }
    QCoreApplication::processEvents();
    QVERIFY2(focus() == m_before, qPrintable(focusName()));
    m_hand->seeFocus();
  }
  /// Down to the entry whose words begin so, then Return.
  void chooseInMenu(const QString& words) {
    auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
    QVERIFY(menu != nullptr);
    for (int i = 0; i < 40; ++i) {
      if (menu->activeAction() != nullptr && menu->activeAction()->text().startsWith(words)) break;
      press(Qt::Key_Down);
    }
    QVERIFY2(menu->activeAction() != nullptr && menu->activeAction()->text().startsWith(words),
             qPrintable(words));
    press(Qt::Key_Return);
  }

 private Q_SLOTS:
  void init() {
    m_stage = std::make_unique<Stage>();
    m_hand = std::make_unique<KeyboardHand>(&m_stage->theme, m_stage->window.get());
    QVERIFY(QTest::qWaitForWindowActive(m_stage->window.get()));
    m_stage->store->save(testing::syntheticDocument(), {"before", {}});
    QTRY_COMPARE(m_stage->store->runs()->size(), std::size_t(1));
    testing::openExecutable(*m_stage);
    testing::runToEnd(*m_stage);
    QTRY_COMPARE(m_stage->store->runs()->size(), std::size_t(2));
    press(Qt::Key_2, Qt::AltModifier);
    press(Qt::Key_Home, Qt::ControlModifier);
    m_before = focus();
    QVERIFY(m_before == ops()->table());
  }

  void boards() {
    auto* dialog = opened<BoardsDialog>(Qt::Key_B, Qt::ControlModifier);
    QVERIFY(dialog != nullptr);
    m_hand->seeFocus();
    m_hand->tabTo(QStringLiteral("Add a board"));
    press(Qt::Key_Return);
    BoardList* list = m_stage->workspace->boards();
    QCOMPARE(list->rowCount(), 1);
    // The first field of the new board; Return in it leaves the dialog open.
    m_hand->seeFocus();
    press(Qt::Key_Return);
    QVERIFY(dialog->isVisible());
    press(Qt::Key_N, Qt::ControlModifier);
    QCOMPARE(list->rowCount(), 2);
    walked({QStringLiteral("Saved boards"), QStringLiteral("Add"), QStringLiteral("Duplicate"),
            QStringLiteral("Remove"), QStringLiteral("Close")});
    m_hand->tabTo(QStringLiteral("Saved boards"));
    press(Qt::Key_Up);
    m_hand->seeFocus();
    const QString first = dialog->currentId();
    press(Qt::Key_Down);
    m_hand->seeFocus();
    QVERIFY(dialog->currentId() != first);
    press(Qt::Key_Delete);
    QCOMPARE(list->rowCount(), 1);
    m_hand->seeFocus();
    press(Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(list->rowCount(), 2);
    m_hand->seeFocus();
    press(Qt::Key_Escape);
    QVERIFY(m_stage->window->boardDesk()->dialog() == nullptr ||
            !m_stage->window->boardDesk()->dialog()->isVisible());
    isBack();
  }

  void runSettings() {
    opened<RunSettingsDialog>(Qt::Key_T, Qt::ControlModifier | Qt::ShiftModifier);
    walked({QStringLiteral("Threads for kernels"), QStringLiteral("Spin time"),
            QStringLiteral("Bind threads"), QStringLiteral("Allocator"),
            QStringLiteral("Runs without recording"), QStringLiteral("Counters"),
            QStringLiteral("Other events"), QStringLiteral("Longest wait"), QStringLiteral("Plugins"),
            QStringLiteral("Add…"), QStringLiteral("Keep"), QStringLiteral("Cancel")});
    m_hand->tabTo(QStringLiteral("Threads for kernels"));
    press(Qt::Key_A, Qt::ControlModifier);
    m_hand->type(QStringLiteral("3"));
    press(Qt::Key_Return);
    QCOMPARE(m_stage->workspace->choices().options.threads, 3);
    isBack();
    opened<RunSettingsDialog>(Qt::Key_T, Qt::ControlModifier | Qt::ShiftModifier);
    m_hand->tabTo(QStringLiteral("Threads for kernels"));
    press(Qt::Key_Up);
    press(Qt::Key_Escape);
    QCOMPARE(m_stage->workspace->choices().options.threads, 3);
    isBack();
    // A library by its file, and out again.
    auto* dialog = opened<RunSettingsDialog>(Qt::Key_T, Qt::ControlModifier | Qt::ShiftModifier);
    const QString path = m_stage->folder.filePath(QStringLiteral("plugin.so"));
    QVERIFY(QFile(path).open(QIODevice::WriteOnly));
    m_hand->tabTo(QStringLiteral("Add…"));
    press(Qt::Key_Return);
    m_hand->giveFile(path);
    QTRY_COMPARE(dialog->options().plugins.size(), 1);
    if (QGuiApplication::focusWindow() == nullptr) dialog->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(dialog));
    QCOMPARE(focusName(), QStringLiteral("Add…"));
    m_hand->tabTo(QStringLiteral("Plugins"));
    press(Qt::Key_Home);
    press(Qt::Key_Space);
    m_hand->seeFocus();
    press(Qt::Key_Delete);
    QCOMPARE(dialog->options().plugins.size(), 0);
    m_hand->seeFocus();
    press(Qt::Key_Escape);
    isBack();
  }

  void columns() {
    m_hand->tabTo(QStringLiteral("Columns"));
    m_before = focus();
    press(Qt::Key_Return);
    auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
    QVERIFY(menu != nullptr);
    const auto shown = ops()->table()->shownColumns();
    press(Qt::Key_Down);
    const QString title = menu->activeAction()->text();
    press(Qt::Key_Return);
    QVERIFY(ops()->table()->shownColumns() != shown);
    // The menu stays open for the next tick.
    QCOMPARE(QApplication::activePopupWidget(), menu);
    QCOMPARE(menu->activeAction()->text(), title);
    press(Qt::Key_Return);
    QCOMPARE(ops()->table()->shownColumns(), shown);
    press(Qt::Key_Escape);
    QVERIFY(QApplication::activePopupWidget() == nullptr);
    isBack();
    press(Qt::Key_Return);
    press(Qt::Key_Escape);
    QVERIFY(QApplication::activePopupWidget() == nullptr);
    isBack();
  }

  void notesAndTags() {
    m_hand->goTo<RunsPanel>();
    m_before = focus();
    QCOMPARE(focusName(), QStringLiteral("Saved runs"));
    press(Qt::Key_Home, Qt::ControlModifier);
    auto* panel = m_stage->window->findChild<RunsPanel*>();
    const store::RunId id = panel->model()->runAt(panel->table()->currentIndex().row()).id;
    const auto run = [&]() {
      for (const store::StoredRun& stored : *m_stage->store->runs())
        if (stored.id == id) return stored;
      return store::StoredRun();
    };
    press(Qt::Key_F2);
    QVERIFY2(qobject_cast<QLineEdit*>(focus()) != nullptr, qPrintable(focusName()));
    m_hand->seeFocus();
    m_hand->type(QStringLiteral("with threads"));
    press(Qt::Key_Return);
    QTRY_COMPARE(run().note, std::string("with threads"));
    isBack();
    press(Qt::Key_F2, Qt::ShiftModifier);
    QVERIFY2(qobject_cast<QLineEdit*>(focus()) != nullptr, qPrintable(focusName()));
    m_hand->type(QStringLiteral("base"));
    press(Qt::Key_Return);
    QTRY_COMPARE(run().tags, std::vector<std::string>{"base"});
    isBack();
    press(Qt::Key_F2);
    m_hand->type(QStringLiteral("not this"));
    press(Qt::Key_Escape);
    isBack();
    QCOMPARE(run().note, std::string("with threads"));
  }

  void filesAreSavedFromTheMenu() {
    const auto fromMenu = [this](const QString& words, const QString& name) {
      press(Qt::Key_F, Qt::AltModifier);
      chooseInMenu(words);
      const QString path = m_stage->folder.filePath(name);
      m_hand->giveFile(path);
      QTRY_VERIFY2(QFile::exists(path) && QFile(path).size() > 100, qPrintable(name));
      isBack();
    };
    fromMenu(QStringLiteral("Export TVM report (JSON)"), QStringLiteral("report.json"));
    QFile report(m_stage->folder.filePath(QStringLiteral("report.json")));
    QVERIFY(report.open(QIODevice::ReadOnly));
    const QJsonDocument json = QJsonDocument::fromJson(report.readAll());
    QVERIFY(json.isObject());
    QCOMPARE(json.object().value(QStringLiteral("calls")).toArray().size(), 216);
    fromMenu(QStringLiteral("Save the run as a session"), QStringLiteral("run.opscope"));
    fromMenu(QStringLiteral("Save picture of the page"), QStringLiteral("page.png"));
    QVERIFY(!QImage(m_stage->folder.filePath(QStringLiteral("page.png"))).isNull());
    // Esc leaves the file dialog, and nothing is written.
    press(Qt::Key_S, Qt::ControlModifier);
    QTRY_VERIFY(qobject_cast<QFileDialog*>(QApplication::activeWindow()) != nullptr);
    press(Qt::Key_Escape);
    isBack();
  }

  void thePalette() {
    press(Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier);
    QTRY_VERIFY(qobject_cast<CommandPalette*>(QApplication::activePopupWidget()) != nullptr);
    m_hand->type(QStringLiteral("dark theme"));
    press(Qt::Key_Escape);
    QVERIFY(QApplication::activePopupWidget() == nullptr);
    isBack();
    press(Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier);
    m_hand->type(QStringLiteral("show the memory page"));
    press(Qt::Key_Return);
    QCOMPARE(m_stage->window->currentPageId(), QStringLiteral("memory"));
    m_hand->seeFocus();
  }

  void theGuide() {
    auto* guide = opened<GuideWindow>(Qt::Key_F1, Qt::NoModifier);
    QVERIFY(guide != nullptr);
    const QStringList stops = walked({});
    QVERIFY2(stops.size() >= 3, qPrintable(stops.join(QStringLiteral(", "))));
    press(Qt::Key_F, Qt::ControlModifier);
    m_hand->seeFocus();
    m_hand->type(QStringLiteral("row"));
    press(Qt::Key_Return);
    QVERIFY(guide->findChild<QTextBrowser*>()->textCursor().hasSelection());
    press(Qt::Key_Escape);
    QVERIFY(guide->isVisible());
    press(Qt::Key_Escape);
    QVERIFY(!guide->isVisible());
    isBack();
  }

  void theListOfKeys() {
    opened<ShortcutSheet>(Qt::Key_Question, Qt::NoModifier);
    walked({QStringLiteral("Keyboard shortcuts"), QStringLiteral("Close")});
    press(Qt::Key_Escape);
    isBack();
    opened<ShortcutSheet>(Qt::Key_Question, Qt::NoModifier);
    m_hand->tabTo(QStringLiteral("Close"));
    press(Qt::Key_Return);
    isBack();
  }

  void theFirstDifference() {
    auto* dialog = opened<DivergeDialog>(Qt::Key_V, Qt::ControlModifier | Qt::AltModifier);
    QVERIFY(dialog != nullptr);
    walked({QStringLiteral("B, the executable"), QStringLiteral("B runs on"), QStringLiteral("Relative"),
            QStringLiteral("Absolute"), QStringLiteral("Find the first difference"),
            QStringLiteral("Close")});
    m_hand->tabTo(QStringLiteral("B, the executable"));
    press(Qt::Key_Escape);
    QVERIFY(!dialog->isVisible());
    isBack();
    // The same dialog once more has the keyboard too.
    QVERIFY(opened<DivergeDialog>(Qt::Key_V, Qt::ControlModifier | Qt::AltModifier) == dialog);
    press(Qt::Key_Escape);
    isBack();
  }

  void theFleet() {
    SavedBoard board;
    board.name = QStringLiteral("lab");
    board.kind = SavedBoard::Kind::Tracker;
    board.address = QStringLiteral("127.0.0.1:1");
    board.key = QStringLiteral("pi5");
    BoardList* list = m_stage->workspace->boards();
    m_stage->workspace->setTarget(list->boards()[std::size_t(list->add(board))].id);
    QTRY_VERIFY(m_stage->workspace->canRunFleet());
    auto* dialog = opened<FleetDialog>(Qt::Key_F8, Qt::NoModifier);
    QVERIFY(dialog != nullptr);
    QTRY_VERIFY_WITH_TIMEOUT(!m_stage->workspace->isRunning(), 30000);
    walked({QStringLiteral("Boards of the fleet"), QStringLiteral("Close")});
    press(Qt::Key_Escape);
    QVERIFY(!dialog->isVisible());
    isBack();
  }

  void whatACheckFound() {
    session::FiniteSummary found;
    found.callsChecked = 12;
    Q_EMIT m_stage->workspace->finiteChecked(found);
    auto* dialog = m_stage->window->instrumentDesk()->finding();
    QVERIFY(dialog != nullptr);
    QTRY_VERIFY(QApplication::activeWindow() == dialog);
    QCOMPARE(focusName(), QStringLiteral("Close"));
    m_hand->seeFocus();
    press(Qt::Key_Return);
    QTRY_VERIFY(m_stage->window->instrumentDesk()->finding() == nullptr);
    isBack();
  }
};

}  // namespace opscope::ui

QTEST_MAIN(opscope::ui::KeyboardDialogsTest)
#include "keyboard_dialogs_test.moc"
