// SPDX-License-Identifier: GPL-3.0-or-later
// Checks of boards and summaries of trackers, off the GUI thread. GUI thread. One check and one summary at a
// time: a new one ends the one before, whose answers are dropped. Destroying it asks both to end and waits
// for a moment only.
#pragma once

#include <QObject>
#include <QString>
#include <QThreadPool>
#include <memory>
#include <optional>
#include <stop_token>

#include "ui/bridge/board_types.h"

namespace opscope::ui {

/// Whom to ask, and how.
struct BoardAddress {
  QString target;      ///< as --target; of a tracker, with or without key
  QString secretFile;  ///< may be empty
  double timeoutSeconds = 10;
};

class BoardService : public QObject {
  Q_OBJECT
 public:
  explicit BoardService(QObject* parent = nullptr);
  ~BoardService() override;

  void check(const BoardAddress& address);
  void stopCheck();
  bool isChecking() const { return m_check.busy; }
  void readTracker(const BoardAddress& address);
  void stopReading();
  bool isReading() const { return m_summary.busy; }

 Q_SIGNALS:
  void stepDone(session::CheckStep step);
  /// Not after stopCheck.
  void checkFinished(session::BoardCheck check);
  void trackerRead(session::TrackerOverview overview);
  void trackerFailed(base::Error error);

 private:
  struct Job {
    quint64 number = 0;
    bool busy = false;
    std::stop_source stop{std::nostopstate};
  };
  quint64 begin(Job& job);
  static void end(Job& job);

  Job m_check;
  Job m_summary;
  std::unique_ptr<QThreadPool> m_pool;
};

}  // namespace opscope::ui
