// SPDX-License-Identifier: GPL-3.0-or-later
// The one door between the session's worker thread and the GUI thread. Lives on the GUI thread and owns the
// session; events are queued to the GUI thread, and those of older requests are dropped. A session whose
// kernel does not return after Stop is given up in words, and a new one takes its place: the GUI thread never
// waits for a kernel.
#pragma once

#include <QObject>
#include <QString>
#include <QTimer>
#include <chrono>
#include <future>
#include <memory>
#include <vector>

#include "ui/bridge/event_gate.h"
#include "ui/bridge/session_driver.h"

namespace opscope::ui {

class SessionBridge : public QObject {
  Q_OBJECT
 public:
  static constexpr std::chrono::milliseconds kStopLimit{5000};
  /// Added for a request that is not in this process.
  static constexpr std::chrono::milliseconds kBoardStopTime{10000};

  /// `stopLimit`: how long a stopped request may go on before its session is given up.
  explicit SessionBridge(SessionDriverFactory factory, std::chrono::milliseconds stopLimit = kStopLimit,
                         QObject* parent = nullptr);
  /// Gives the session up when it has not ended yet; never waits for a kernel.
  ~SessionBridge() override;

  void open(session::OpenRequest request);
  void run(session::RunRequest request);
  void profile(session::ProfileRequest request);
  void sweep(session::SweepRequest request);
  void diverge(session::DivergeRequest request);
  /// Asks what runs to end. A request on a board gets longer until its session is given up: the board is left
  /// in order first, and then without ceremony, both by the engine.
  void stop();
  /// Gives up what runs at once and goes on with a fresh session. What the old one measured up to its end
  /// comes as leftBehind.
  void drop();

  /// A request was made and neither finished nor failed yet.
  bool isBusy() const { return m_busy; }
  session::State state() const { return m_state; }

  /// Ends the session, for when the program ends: waits at most `limit`, and tells of what is left behind
  /// before it returns. False when a kernel still runs, in
  /// this session or one that was given up; the program must then leave without destroying what it uses.
  bool shutDown(std::chrono::milliseconds limit);

 Q_SIGNALS:
  void stateChanged(session::State state);
  void executableOpened(std::shared_ptr<const session::ExecutableInfo> info);
  void progressed(session::Progress progress);
  /// Of a profile that goes on.
  void repeatsMeasured(report::RepeatTimes times);
  void runFinished(session::RunFinished result);
  void profileFinished(report::Document document);
  void divergeFinished(session::Divergence divergence);
  void sweepFinished(session::SweepFinished result);
  void requestFailed(session::RequestFailed failure);
  void requestCancelled();
  /// A session that was given up has ended, with repeats that were measured.
  void leftBehind(report::Document document);
  /// A request waits for a board; `words` say for what.
  void boardAwaited(const QString& words);

 private:
  void startSession();
  void releaseSession();
  void takeRemains(session::Event& event, session::RequestId request);
  void giveUp();
  void forgetSession();
  void begin(session::RequestId request, bool isRemote);
  void finish();
  void deliver(session::Event& event);
  void handle(session::StateChanged& body);
  void handle(session::ExecutableOpened& body);
  void handle(session::Progress& body);
  void handle(session::RunFinished& body);
  void handle(session::ProfileFinished& body);
  void handle(session::DivergeFinished& body);
  void handle(session::TimeFinished& body);
  void handle(session::SweepFinished& body);
  void handle(session::RequestFailed& body);
  void handle(session::RequestCancelled& body);
  void handle(session::BoardWaiting& body);
  void handle(session::RepeatsMeasured& body);

  session::RequestId m_current = 0;
  bool m_busy = false;
  bool m_opening = false;
  std::chrono::milliseconds m_stopLimit;
  session::State m_state = session::State::Idle;
  SessionDriverFactory m_factory;
  QTimer m_stopTimer;
  std::shared_ptr<EventGate> m_gate;
  std::unique_ptr<SessionDriver> m_driver;
  struct Released {
    std::shared_ptr<EventGate> gate;
    std::future<void> ended;
  };
  std::vector<Released> m_released;
};

}  // namespace opscope::ui
