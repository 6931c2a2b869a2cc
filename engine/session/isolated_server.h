// SPDX-License-Identifier: Apache-2.0
// The target "isolated": a server of ours on this computer for one request, so that a kernel that crashes, or
// does not return, ends a process of its own and not the program. On the worker.
#pragma once

#include <sys/types.h>

#include <memory>
#include <optional>
#include <string>

#include "engine/base/result.h"
#include "engine/session/targets.h"

namespace opscope::session {

class IsolatedServer {
 public:
  /// Starts opscope-server, which lies beside this program, on a free port of 127.0.0.1 with a secret of its
  /// own. Errors: NotFound when it is not there; Io when it cannot be started or does not come up.
  static base::Result<std::unique_ptr<IsolatedServer>> start();
  /// Ends the process and removes its files.
  ~IsolatedServer();
  IsolatedServer(const IsolatedServer&) = delete;
  IsolatedServer& operator=(const IsolatedServer&) = delete;

  const Target& target() const { return m_target; }
  const std::string& secret() const { return m_secret; }

  /// A session that was lost, or does not answer, in words of processes: "… ended with signal 11 (SIGSEGV)".
  /// Waits for a moment until the server knows.
  base::Error explain(const base::Error& error) const;

 private:
  IsolatedServer() = default;
  base::Result<> launch(const std::string& program);
  base::Result<> awaitAddress(int output);
  std::optional<int> awaitEnd() const;

  /// Its server writes it: rpc::server::Sessions.
  std::string endsFile() const { return m_folder + "/ended"; }

  std::string m_folder;
  std::string m_secret;
  int m_guard = -1;  ///< the server's standard input: closed when this program ends in whatever way
  pid_t m_process = -1;
  Target m_target;
};

}  // namespace opscope::session
