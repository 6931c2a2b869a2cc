// SPDX-License-Identifier: GPL-3.0-or-later
// For the benchmark of the start: tells when the window has painted for the first time, and ends the program.
// GUI thread.
#pragma once

#include <QCoreApplication>
#include <QEvent>
#include <QObject>
#include <QWidget>
#include <cstdio>

namespace opscope::workbench {

/// The environment variable that asks for it.
inline constexpr const char* kTellPainted = "OPSCOPE_TELL_PAINTED";

class FirstPaint : public QObject {
 public:
  explicit FirstPaint(QWidget* window) : m_window(window) { window->installEventFilter(this); }

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override {
    if (event->type() == QEvent::Paint && watched == m_window) {
      // The window paints itself before its parts, all in one go; what is queued now comes after them.
      m_window->removeEventFilter(this);
      QMetaObject::invokeMethod(
          this,
          []() {
            std::puts("painted");
            std::fflush(stdout);
            QCoreApplication::quit();
          },
          Qt::QueuedConnection);
    }
    return QObject::eventFilter(watched, event);
  }

 private:
  QWidget* m_window;
};

}  // namespace opscope::workbench
