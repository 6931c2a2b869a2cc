// SPDX-License-Identifier: Apache-2.0
// The process of one session, seen from the server: started ahead so that a client need not wait for it,
// given its client, and ended. The server's thread; owns its end of the channel, not the process's life: who
// gets SIGCHLD waits for it.
#pragma once

#include <sys/types.h>

#include <string>
#include <utility>
#include <vector>

#include "engine/base/result.h"
#include "engine/rpc/server/control_channel.h"
#include "engine/rpc/server/options.h"
#include "engine/rpc/server/session_start.h"

namespace opscope::rpc::server {

class SessionProcess {
 public:
  /// Starts `options.program --session FD`, behind the words of `options.wrapper`, in a process group of its
  /// own. Errors: Io.
  static base::Result<SessionProcess> start(const ServerOptions& options);

  pid_t id() const { return m_id; }
  const ControlChannel& channel() const { return m_channel; }

  /// Hands the client over. False when the process is gone.
  bool serve(const SessionStart& start, int socket) const { return m_channel.send(toText(start), socket); }

  /// Asks it to end after the request at hand.
  void askToEnd() const;
  /// Ends it and all of its process group at once.
  void kill() const;

 private:
  SessionProcess(pid_t id, ControlChannel channel) : m_id(id), m_channel(std::move(channel)) {}

  pid_t m_id;
  ControlChannel m_channel;
};

/// All children of this process, those that have ended and were not waited for among them. Reads the kernel's
/// lists of them; where it keeps none (CONFIG_PROC_CHILDREN), it looks at every process there is.
std::vector<pid_t> childProcesses();

/// Ends processes that sessions started and left behind: children of this process (see adoptOrphans) that are
/// not among `known`. What those have started becomes a child when they are waited for, and has its turn
/// then.
void killOrphans(const std::vector<pid_t>& known);

/// At the end, when this process knows none of its children any more: ends and waits for all of them and
/// those that they leave. Gives up after a second, in which the system ends whatever can be ended.
void endOrphans();

/// From now on children of ended sessions become children of this process.
void adoptOrphans();

}  // namespace opscope::rpc::server
