// SPDX-License-Identifier: Apache-2.0
// Stop on a board: polite first, since a server of TVM's that is cut off in mid-frame is lost for everybody,
// and after a time without ceremony. Made and destroyed on the worker, around what it may end.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>

#include "engine/rpc/client.h"
#include "engine/session/stop_control.h"

namespace opscope::session {

class RemoteStop {
 public:
  static constexpr std::chrono::milliseconds kPoliteTime{5'000};

  explicit RemoteStop(StopControl& control);
  ~RemoteStop();
  RemoteStop(const RemoteStop&) = delete;
  RemoteStop& operator=(const RemoteStop&) = delete;

  /// Ends waiting for a board and connecting, at once.
  std::stop_token token() const { return m_source.get_token(); }
  /// From now on `client` is aborted kPoliteTime after a stop; null: no longer.
  void watch(rpc::Client* client);

 private:
  void waitAndAbort(const std::stop_token& ended);

  std::stop_source m_source;
  std::mutex m_mutex;
  std::condition_variable_any m_changed;
  bool m_requested = false;         // guarded by m_mutex
  rpc::Client* m_client = nullptr;  // guarded by m_mutex
  std::jthread m_thread;            // last but one: it uses the others
  StopControl::Listener m_listener;
};

}  // namespace opscope::session
