// SPDX-License-Identifier: GPL-3.0-or-later
// What every window does for the keyboard: what has the focus is scrolled into view, the focus stays near its
// place when the widget that had it goes away, and Return presses a button as Space does. One object, a child
// of the application. GUI thread.
#pragma once

#include <QMenuBar>
#include <QPointer>
#include <QVector>
#include <QWidget>

namespace opscope::ui {

class KeyboardFocus : public QObject {
  Q_OBJECT
 public:
  /// Does nothing when the application has one.
  static void install();
  /// The first widget within `area`, or `area` itself, that Tab can come to; null: none.
  static QWidget* firstStop(QWidget* area);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  explicit KeyboardFocus(QObject* parent);
  void follow(QWidget* before, QWidget* now);
  void comeBack();
  void bringBackLater(QWidget* now);
  void setByKeys(bool byKeys);
  /// While Alt is held the menu bar tells its letters.
  void showLetters(bool shown);

  bool m_byKeys = false;                ///< the last that was pressed was a key, not a button of the mouse
  QPointer<QMenuBar> m_letters;         ///< that was told to show its letters last
  QPointer<QWidget> m_ring;             ///< of the area that has the focus
  QVector<QPointer<QWidget>> m_around;  ///< the widgets around the last that had the focus, from the inside
};

}  // namespace opscope::ui
