// SPDX-License-Identifier: Apache-2.0
// Watches over a session from a thread of its own: ends it when its time is over, when the server says so and
// when the server is gone, whatever the session's thread does meanwhile. Also the session's way to ask the
// server. Behaviour on a timeout: as TVM's server, an exception frame that nobody asked for, then the end.
#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "engine/rpc/server/control_channel.h"
#include "engine/rpc/server/frame_stream.h"

namespace opscope::rpc::server {

class SessionWatch {
 public:
  /// Blocks SIGTERM and SIGINT for the calling thread and those that it starts: the watch takes them. Before
  /// any other thread is started.
  static void blockSignals();

  /// `timeoutS` 0: no limit. `stream` and `server` outlive this object.
  SessionWatch(FrameStream& stream, const ControlChannel& server, double timeoutS);
  ~SessionWatch();
  SessionWatch(const SessionWatch&) = delete;
  SessionWatch& operator=(const SessionWatch&) = delete;

  /// Sends a question to the server and waits for its answer; nullopt when none comes within five seconds.
  std::optional<std::string> ask(std::string_view question);

 private:
  void work();
  void takeAnswer();
  void tellTimeout();

  FrameStream& m_stream;
  const ControlChannel& m_server;
  double m_timeoutS;
  int m_signals = -1;
  int m_stop = -1;
  std::mutex m_mutex;
  std::condition_variable m_answered;
  std::optional<std::string> m_answer;
  std::jthread m_thread;
};

}  // namespace opscope::rpc::server
