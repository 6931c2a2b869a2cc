// SPDX-License-Identifier: GPL-3.0-or-later
// What the bridge needs of a session: the engine's, or a played one in tests. Called on the GUI thread;
// returns at once; events may come on any thread.
#pragma once

#include <functional>
#include <memory>

#include "ui/bridge/session_types.h"

namespace opscope::ui {

class SessionDriver {
 public:
  using EventSink = std::function<void(session::Event)>;
  virtual ~SessionDriver() = default;
  virtual session::RequestId open(session::OpenRequest request) = 0;
  virtual session::RequestId run(session::RunRequest request) = 0;
  virtual session::RequestId profile(session::ProfileRequest request) = 0;
  virtual session::RequestId diverge(session::DivergeRequest request) = 0;
  virtual session::RequestId sweep(session::SweepRequest request) = 0;
  virtual void stop() = 0;
};

using SessionDriverFactory = std::function<std::unique_ptr<SessionDriver>(SessionDriver::EventSink)>;

/// The factory of sessions of the engine in this process.
SessionDriverFactory engineSessionFactory();

}  // namespace opscope::ui
