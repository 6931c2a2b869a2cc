// SPDX-License-Identifier: Apache-2.0
// A server on 127.0.0.1 that does what a test tells it, one connection after the other, on a thread of its
// own. The test makes and ends it; ending aborts what the script waits for.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "engine/rpc/connection.h"

namespace opscope::rpc::test {

class ScriptedServer {
 public:
  using Script = std::function<void(Connection&)>;

  explicit ScriptedServer(Script script);
  ScriptedServer(const ScriptedServer&) = delete;
  ScriptedServer& operator=(const ScriptedServer&) = delete;
  ~ScriptedServer();

  /// As text, as the client takes it.
  const std::string& port() const { return m_port; }

 private:
  void serve();

  const Script m_script;
  std::string m_port;  // set while the listener is made
  const int m_listener;
  std::mutex m_mutex;
  bool m_ending = false;                     // with m_mutex
  std::unique_ptr<Connection> m_connection;  // set and cleared with m_mutex
  std::thread m_thread;
};

/// A TCP port of 127.0.0.1 that nobody listens on at the moment.
std::string freePort();

}  // namespace opscope::rpc::test
