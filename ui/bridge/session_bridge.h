// SPDX-License-Identifier: GPL-3.0-or-later
// The one door between the session's worker thread and the GUI thread. Lives on the GUI thread and owns the
// session; events are queued to the GUI thread, and those of older requests are dropped.
#pragma once

#include <QObject>
#include <memory>

#include "ui/bridge/session_driver.h"

namespace opscope::ui {

class SessionBridge : public QObject {
  Q_OBJECT
 public:
  explicit SessionBridge(const SessionDriverFactory& factory, QObject* parent = nullptr);
  ~SessionBridge() override;

  void open(session::OpenRequest request);
  void run(session::RunRequest request);
  void profile(session::ProfileRequest request);
  void stop();

  /// A request was made and neither finished nor failed yet.
  bool isBusy() const { return m_busy; }
  session::State state() const { return m_state; }

 Q_SIGNALS:
  void stateChanged(session::State state);
  void executableOpened(std::shared_ptr<const session::ExecutableInfo> info);
  void progressed(session::Progress progress);
  void runFinished(session::RunFinished result);
  void profileFinished(report::Document document);
  void requestFailed(base::Error error, report::Document partial);
  void requestCancelled();

 private:
  void begin(session::RequestId request);
  void deliver(const std::shared_ptr<session::Event>& event);
  void handle(session::StateChanged& body);
  void handle(session::ExecutableOpened& body);
  void handle(session::Progress& body);
  void handle(session::RunFinished& body);
  void handle(session::ProfileFinished& body);
  void handle(session::RequestFailed& body);
  void handle(session::RequestCancelled& body);

  session::RequestId m_current = 0;
  bool m_busy = false;
  bool m_opening = false;
  session::State m_state = session::State::Idle;
  std::unique_ptr<SessionDriver> m_driver;
};

}  // namespace opscope::ui
