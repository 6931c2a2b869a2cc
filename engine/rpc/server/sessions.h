// SPDX-License-Identifier: Apache-2.0
// All sessions of a server, each a process: starts them, hands clients over, notices that a client is gone
// and that a process has ended, and cleans up behind it. The server's thread.
#pragma once

#include <poll.h>

#include <chrono>
#include <deque>
#include <list>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/rpc/server/clients.h"
#include "engine/rpc/server/match_key.h"
#include "engine/rpc/server/options.h"
#include "engine/rpc/server/server_info.h"
#include "engine/rpc/server/session_process.h"
#include "engine/rpc/server/work_directory.h"

namespace opscope::rpc::server {

class Sessions {
 public:
  using Clock = std::chrono::steady_clock;

  Sessions(const ServerOptions& options, SessionFolders folders, MatchKey& matchKey);
  /// Ends all processes at once.
  ~Sessions();
  Sessions(const Sessions&) = delete;
  Sessions& operator=(const Sessions&) = delete;

  /// The first of them, before any client: what fails now is to be told to who starts the server. Errors: Io.
  base::Result<> prepareFirst();
  /// Starts the processes that the next clients will get, as far as they are missing: one at once when there
  /// is none, the others a little after the last client came, whose first requests would wait for them. A
  /// failure is told and tried again with the next client; one that ends at once is not replaced at once.
  void prepare();
  /// Milliseconds until prepare() has something to do; -1: nothing is to be done.
  int nextPreparationMs() const;
  bool hasRoom() const { return m_running.size() < m_options.maxSessions; }
  /// Takes the client, also when no process can be started: then its connection is closed. `status`: the
  /// server's without the new session.
  void serve(AdmittedClient client, ServerStatus status);

  void addTo(std::vector<pollfd>& entries) const;
  /// Looks after what poll told. `status` answers the sessions' questions.
  void advance(const std::vector<pollfd>& entries, const ServerStatus& status);
  /// After SIGCHLD: waits for all processes that have ended, and ends those that they leave behind.
  void reap();

  std::vector<SessionFacts> facts() const;
  std::size_t running() const { return m_running.size(); }
  /// While somebody is to be watched more closely than by events.
  bool needsTicks() const;

  /// Asks all to end; those that take longer are killed by advance().
  void askAllToEnd();
  void killAll();

 private:
  struct Running {
    SessionProcess process;
    int socket;  ///< a second descriptor of the client's connection, to see that the client is gone
    std::filesystem::path folder;
    SessionFacts facts;
    std::string key;
    std::optional<Clock::time_point>
        leaving;       ///< since when the client is gone, or the server wants it to end
    int warnings = 0;  ///< 1: asked to end, 2: killed
  };

  Clock::time_point nextPreparation() const;
  std::optional<SessionProcess> takePrepared();
  void answer(Running& running, const ServerStatus& status);
  void hurry(Running& running);
  void bury(std::list<Running>::iterator ended);
  std::vector<pid_t> known() const;
  void endPrepared();

  const ServerOptions& m_options;
  SessionFolders m_folders;
  MatchKey& m_matchKey;
  std::deque<SessionProcess> m_prepared;  ///< without a client yet
  Clock::time_point m_notBefore{};        ///< the earliest start of the next one ahead
  Clock::time_point m_lastServed{};
  std::list<Running> m_running;
};

}  // namespace opscope::rpc::server
