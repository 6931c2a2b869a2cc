// SPDX-License-Identifier: GPL-3.0-or-later
// Dialogs by keyboard alone: opened by their key, walked by Tab for a whole round in which every control has
// the focus once and is seen, left by Esc, with the focus back where it was.
#include <QtTest>

#include "engine/session/session.h"
#include "tests/ui/support/engine_stage.h"
#include "tests/ui/support/keyboard_hand.h"
#include "ui/shell/command_palette.h"
#include "ui/shell/keyboard_focus.h"
#include "ui/views/boards/boards_dialog.h"
#include "ui/views/guide/guide_window.h"
#include "ui/views/instrument/diverge_dialog.h"
#include "ui/views/instrument/finding_dialog.h"

namespace opscope::ui {

using testing::EngineStage;
using testing::KeyboardHand;

class KeyboardDialogsTest : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<EngineStage> m_stage;
  std::unique_ptr<KeyboardHand> m_hand;

  void press(int key, Qt::KeyboardModifiers modifiers = Qt::NoModifier) { m_hand->press(key, modifiers); }

  /// All that Tab should come to.
  static QSet<QWidget*> stopsOf(const QWidget* dialog) {
    QSet<QWidget*> stops;
    for (QWidget* child : dialog->findChildren<QWidget*>()) {
      if ((child->focusPolicy() & Qt::TabFocus) == 0 || !child->isVisible() || !child->isEnabled()) continue;
      if (child->focusProxy() != nullptr || child->window() != dialog) continue;
      // Of joined buttons the chosen one is the stop; arrows go to the others. A spin box is one stop.
      const auto* button = qobject_cast<const QAbstractButton*>(child);
      if (button != nullptr && button->group() != nullptr && button->group()->exclusive() &&
          !button->isChecked()) {
        continue;
      }
      if (child->objectName() == QLatin1String("qt_spinbox_lineedit")) continue;
      stops << child;
    }
    return stops;
  }
  template <class Dialog>
  void walk(const QString& name) {
    QTRY_VERIFY2(qobject_cast<Dialog*>(QApplication::activeWindow()) != nullptr, qPrintable(name));
    QWidget* dialog = QApplication::activeWindow();
    const QSet<QWidget*> wanted = stopsOf(dialog);
    QVERIFY2(!wanted.isEmpty(), qPrintable(name));
    press(Qt::Key_Tab);
    const QWidget* start = KeyboardHand::focus();
    QList<QWidget*> passed;
    do {
      m_hand->seeFocus();
      QVERIFY2(!QTest::currentTestFailed(), qPrintable(name));
      passed << KeyboardHand::focus();
      press(Qt::Key_Tab);
    } while (KeyboardHand::focus() != start && passed.size() < 2 * testing::kTabsAtMost);
    for (QWidget* stop : wanted) {
      QVERIFY2(passed.count(stop) == 1, qPrintable(QStringLiteral("%1: \"%2\" has the focus %3 times")
                                                       .arg(name, KeyboardHand::nameOf(stop))
                                                       .arg(passed.count(stop))));
    }
    QCOMPARE(passed.size(), wanted.size());
    const QPointer<QWidget> left = dialog;
    press(Qt::Key_Escape);
    QTRY_VERIFY2(left.isNull() || !left->isVisible(), qPrintable(name));
    m_stage->window->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(m_stage->window.get()));
    m_hand->seeFocus();
  }

 private Q_SLOTS:
  void initTestCase() {
    session::initialiseEngine();
    m_stage = std::make_unique<EngineStage>();
    m_hand = std::make_unique<KeyboardHand>(&m_stage->theme, m_stage->window.get());
    QVERIFY(QTest::qWaitForWindowActive(m_stage->window.get()));
    m_stage->open(QStringLiteral("cnn.so"));
    m_stage->settle();
    press(Qt::Key_F6);
  }
  void cleanupTestCase() {
    m_hand.reset();
    m_stage->window.reset();
    m_stage.reset();
  }

  void boards() {
    press(Qt::Key_B, Qt::ControlModifier);
    walk<BoardsDialog>(QStringLiteral("Boards, none yet"));
    press(Qt::Key_B, Qt::ControlModifier);
    QTRY_VERIFY(qobject_cast<BoardsDialog*>(QApplication::activeWindow()) != nullptr);
    press(Qt::Key_N, Qt::ControlModifier);
    walk<BoardsDialog>(QStringLiteral("Boards with one"));
  }

  void instruments() {
    press(Qt::Key_N, Qt::ControlModifier | Qt::AltModifier);
    QTRY_VERIFY_WITH_TIMEOUT(qobject_cast<FindingDialog*>(QApplication::activeWindow()) != nullptr, 60000);
    walk<FindingDialog>(QStringLiteral("Check for NaN"));
    press(Qt::Key_V, Qt::ControlModifier | Qt::AltModifier);
    walk<DivergeDialog>(QStringLiteral("First op that differs"));
    press(Qt::Key_U, Qt::ControlModifier | Qt::AltModifier);
    m_hand->giveFile(m_stage->folder.path());
    QTRY_VERIFY_WITH_TIMEOUT(qobject_cast<FindingDialog*>(QApplication::activeWindow()) != nullptr, 60000);
    walk<FindingDialog>(QStringLiteral("Dump"));
  }

  void shortcuts() {
    press(Qt::Key_Question, Qt::ShiftModifier);
    walk<ShortcutSheet>(QStringLiteral("Keyboard shortcuts"));
  }

  void aPaletteIsLeftByEsc() {
    QWidget* before = KeyboardHand::focus();
    press(Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier);
    QTRY_VERIFY(qobject_cast<CommandPalette*>(QApplication::activePopupWidget()) != nullptr);
    press(Qt::Key_Escape);
    QVERIFY(QApplication::activePopupWidget() == nullptr);
    QVERIFY(KeyboardHand::focus() == before);
  }

  void whatTakesTheFocusAwayGivesItToItsNeighbours() {
    QWidget window;
    auto* column = new QVBoxLayout(&window);
    auto* panel = new QWidget;
    auto* inner = new QVBoxLayout(panel);
    auto* gone = new QPushButton(QStringLiteral("Gone"));
    auto* near = new QPushButton(QStringLiteral("Near"));
    column->addWidget(new QPushButton(QStringLiteral("Far")));
    column->addWidget(panel);
    inner->addWidget(gone);
    inner->addWidget(near);
    window.show();
    window.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&window));
    gone->setFocus();
    delete gone;
    QTRY_VERIFY(near->hasFocus());
    // Return presses it.
    int presses = 0;
    connect(near, &QAbstractButton::clicked, this, [&presses]() { ++presses; });
    press(Qt::Key_Return);
    press(Qt::Key_Enter, Qt::KeypadModifier);
    QCOMPARE(presses, 2);
  }
};

}  // namespace opscope::ui

QTEST_MAIN(opscope::ui::KeyboardDialogsTest)
#include "keyboard_dialogs_test.moc"
