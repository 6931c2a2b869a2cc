// SPDX-License-Identifier: GPL-3.0-or-later
// A profile on all free boards of a tracker's key. GUI thread; one at a time. Destroying it asks the boards
// to stop and waits until they did, which takes seconds at most.
#pragma once

#include <QObject>
#include <stop_token>

#include "ui/bridge/background.h"
#include "ui/bridge/board_types.h"
#include "ui/bridge/session_types.h"

namespace opscope::ui {

class FleetBridge : public QObject {
  Q_OBJECT
 public:
  explicit FleetBridge(QObject* parent = nullptr);
  ~FleetBridge() override;

  /// Not while one goes on.
  void start(const session::ProfileRequest& request);
  /// Polite first; boards that do not come to an end are left after seconds. Results still come.
  void stop();
  bool isBusy() const { return m_busy; }

 Q_SIGNALS:
  /// So many boards were free and measure now.
  void started(int boards);
  /// As each board ends.
  void boardFinished(session::FleetResult result);
  /// All have ended; `error` says why there was none to begin with, and is empty else.
  void finished(std::optional<base::Error> error);

 private:
  bool m_busy = false;
  std::stop_source m_stop;
  Background m_background{1};
};

}  // namespace opscope::ui
