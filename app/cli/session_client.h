// SPDX-License-Identifier: Apache-2.0
// One session for one command: asks, shows progress, and waits for the answer. Main thread; events come over
// from the session's worker.
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <variant>

#include "app/cli/console.h"
#include "app/cli/interrupts.h"
#include "engine/session/session.h"

namespace opscope::cli {

using Answer = std::variant<session::ExecutableOpened, session::RunFinished, session::ProfileFinished,
                            session::DivergeFinished, session::TimeFinished, session::SweepFinished,
                            session::RequestFailed, session::RequestCancelled>;

class SessionClient {
 public:
  SessionClient(Console& console, Interrupts& interrupts);
  ~SessionClient();
  SessionClient(const SessionClient&) = delete;
  SessionClient& operator=(const SessionClient&) = delete;

  /// Each waits until the request has ended. A Ctrl-C ends the program when nothing runs yet and what is read
  /// or loaded does not come to its end soon: a pipe may stay silent for ever.
  Answer open(session::OpenRequest request);
  Answer run(session::RunRequest request);
  Answer profile(session::ProfileRequest request);
  Answer diverge(session::DivergeRequest request);
  Answer time(session::TimeRequest request);
  Answer sweep(session::SweepRequest request);

 private:
  Answer waitFor(session::RequestId request, bool opening = false);
  /// Whether what follows runs on a board.
  void setOut(const session::RunSettings& settings);
  std::optional<session::Event> next();
  [[noreturn]] void leave();

  Console& m_console;
  Interrupts& m_interrupts;
  std::mutex m_mutex;
  std::condition_variable m_arrived;
  std::deque<session::Event> m_events;
  session::State m_state = session::State::Idle;  ///< what the session told last
  bool m_onBoard = false;      ///< where a stop takes bounded time, and leaving would cost the board
  session::Session m_session;  // last: its worker uses the others
};

/// Prints why a request did not end well. Returns the exit status.
int tellFailure(Console& console, const Interrupts& interrupts, const Answer& answer);

}  // namespace opscope::cli
