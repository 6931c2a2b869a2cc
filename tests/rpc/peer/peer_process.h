// SPDX-License-Identifier: Apache-2.0
// Programs of the real TVM that a test starts and ends: servers and trackers on 127.0.0.1. The test's thread.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "engine/rpc/client.h"

namespace opscope::rpc::test {

/// A process of its own group, ended with all that it started when this goes.
class PeerProcess {
 public:
  /// Runs `python -m MODULE ARGUMENT...` with the Python of $OPSCOPE_PEER_PYTHON. Its output goes to a file
  /// that log() reads.
  PeerProcess(const std::string& module, std::vector<std::string> arguments);
  PeerProcess(const PeerProcess&) = delete;
  PeerProcess& operator=(const PeerProcess&) = delete;
  ~PeerProcess();

  std::string log() const;

 private:
  std::string m_logFile;
  pid_t m_process = -1;
};

/// "0.21", "0.27.0": of the TVM that is tested against.
std::string peerVersion();
bool peerIs021();

/// TVM's server on a free port, listening unless it is told of a tracker.
class StockServer {
 public:
  explicit StockServer(const std::vector<std::string>& arguments = {});
  const std::string& port() const { return m_port; }
  ConnectSettings settings() const;
  /// Connects; a failure fails the test.
  std::unique_ptr<Client> connect() const { return connect(settings()); }
  std::unique_ptr<Client> connect(const ConnectSettings& settings) const;
  std::string log() const { return m_process.log(); }

 private:
  std::string m_port;
  PeerProcess m_process;
};

/// TVM's tracker on a free port, listening.
class StockTracker {
 public:
  StockTracker();
  const std::string& port() const { return m_port; }
  std::string address() const { return "127.0.0.1:" + m_port; }

 private:
  std::string m_port;
  PeerProcess m_process;
};

}  // namespace opscope::rpc::test
