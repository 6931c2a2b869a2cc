// SPDX-License-Identifier: Apache-2.0
// The built opscope-server ($OPSCOPE_SERVER) on a free port of 127.0.0.1, for tests in C++. Main thread.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "engine/rpc/client.h"

namespace opscope::rpc::server::test {

/// A folder that goes with its owner.
class OwnFolder {
 public:
  OwnFolder();
  OwnFolder(const OwnFolder&) = delete;
  OwnFolder& operator=(const OwnFolder&) = delete;
  ~OwnFolder();
  const std::filesystem::path& path() const { return m_path; }

 private:
  std::filesystem::path m_path;
};

/// Starts when made and listens then; ended in order when it goes, and a status that is not 0 fails the test.
class ServerProcess {
 public:
  struct Settings {
    std::string secret{};  ///< empty: none
    std::string key{};
    std::string tracker{};  ///< HOST:PORT
  };

  explicit ServerProcess(const Settings& settings);
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;
  ~ServerProcess();

  int port() const { return m_port; }
  /// For a client of this server: with long times, and without its key and secret.
  ConnectSettings settings() const;

 private:
  std::string writeSecret(std::string_view secret) const;

  OwnFolder m_folder;
  pid_t m_process = -1;
  int m_port = 0;
};

}  // namespace opscope::rpc::server::test
