// SPDX-License-Identifier: Apache-2.0
// A session: one worker thread that owns the executable, the virtual machine and everything of tvm-ffi. All
// functions may be called from any thread; they return at once. Events come on the worker thread through the
// sink.
#pragma once

#include <functional>
#include <memory>

#include "engine/session/events.h"
#include "engine/session/function_choice.h"
#include "engine/session/requests.h"

namespace opscope::session {

/// Registers the runtime's functions and symbols in this process. Once, from main, before the first session.
void initialiseEngine();

class Session {
 public:
  using EventSink = std::function<void(Event)>;

  explicit Session(EventSink sink, FunctionChoice choice = FunctionChoice::FirstPublic);
  /// Asks the worker to stop and waits for it, at most as long as the kernel that runs now.
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  RequestId open(OpenRequest request);
  RequestId run(RunRequest request);
  RequestId profile(ProfileRequest request);
  RequestId diverge(DivergeRequest request);
  RequestId time(TimeRequest request);
  RequestId sweep(SweepRequest request);

  /// Ends the current request at the next VM instruction; what was measured is kept.
  void stop();

 private:
  class Worker;
  std::unique_ptr<Worker> m_worker;
};

}  // namespace opscope::session
