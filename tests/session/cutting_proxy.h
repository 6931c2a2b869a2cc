// SPDX-License-Identifier: Apache-2.0
// Stands between a client and a server on 127.0.0.1 and passes on what they say, until it cuts both off. One
// thread of its own for each connection, ended with this object.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <string>
#include <thread>

namespace opscope::session::test {

class CuttingProxy {
 public:
  /// Cuts the connection off when the server has said `most` bytes: the bytes after them are lost.
  explicit CuttingProxy(std::string serverPort,
                        std::uint64_t most = std::numeric_limits<std::uint64_t>::max());
  ~CuttingProxy();
  CuttingProxy(const CuttingProxy&) = delete;
  CuttingProxy& operator=(const CuttingProxy&) = delete;

  const std::string& port() const { return m_port; }
  /// Bytes of the server's that were passed on.
  std::uint64_t passed() const { return m_passed; }
  /// Now, whatever was said.
  void cut() { m_ending = true; }

 private:
  void serve();
  void passOn(int client, int server);

  const std::string m_serverPort;
  const std::uint64_t m_most;
  std::string m_port;
  int m_listener = -1;
  std::atomic<std::uint64_t> m_passed = 0;
  std::atomic<bool> m_ending = false;
  std::jthread m_thread;
};

}  // namespace opscope::session::test
