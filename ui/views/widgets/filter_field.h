// SPDX-License-Identifier: GPL-3.0-or-later
// The field of a filter that the window's undo knows. GUI thread; its layout owns it.
#pragma once

#include <QKeyEvent>
#include <QLineEdit>

namespace opscope::ui {

/// Ctrl+Z and Ctrl+Shift+Z are the window's here as everywhere: a field's own undo would take back letters,
/// and what it leaves would count as another filter.
class FilterField : public QLineEdit {
 public:
  using QLineEdit::QLineEdit;

 protected:
  bool event(QEvent* event) override {
    if (event->type() != QEvent::ShortcutOverride || !isUndo(static_cast<QKeyEvent*>(event)))
      return QLineEdit::event(event);
    event->ignore();
    return true;
  }
  void keyPressEvent(QKeyEvent* event) override {
    if (isUndo(event)) {
      event->ignore();
    } else {
      QLineEdit::keyPressEvent(event);
    }
  }

 private:
  static bool isUndo(QKeyEvent* event) {
    return event->matches(QKeySequence::Undo) || event->matches(QKeySequence::Redo);
  }
};

}  // namespace opscope::ui
