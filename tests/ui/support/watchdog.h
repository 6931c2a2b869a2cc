// SPDX-License-Identifier: GPL-3.0-or-later
// How long the window did not answer. GUI thread.
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QTimerEvent>
#include <algorithm>

namespace opscope::ui::testing {

/// The longest time between two turns of the event loop, while it turns.
class Watchdog : public QObject {
 public:
  Watchdog() {
    m_clock.start();
    startTimer(1, Qt::PreciseTimer);
  }
  double longestMs() const { return m_longestMs; }
  /// Begins anew.
  void reset() {
    m_longestMs = 0;
    m_clock.start();
  }

 protected:
  void timerEvent(QTimerEvent*) override {
    m_longestMs = std::max(m_longestMs, double(m_clock.nsecsElapsed()) * 1e-6);
    m_clock.start();
  }

 private:
  QElapsedTimer m_clock;
  double m_longestMs = 0;
};

}  // namespace opscope::ui::testing
