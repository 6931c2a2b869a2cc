// SPDX-License-Identifier: Apache-2.0
// The server of a board: takes clients in, gives each a process of its own, and outlives whatever happens
// there. The calling thread becomes the server's; everything else it owns. Behaviour: sections "TCP
// handshake" and "Registration loop of a server" of TVM's protocol, and docs/server.md.
#pragma once

#include "engine/base/result.h"
#include "engine/rpc/server/options.h"

namespace opscope::rpc::server {

/// Serves until SIGTERM or SIGINT; then ends all sessions, in a few seconds, and removes all files. Prints
/// one line to standard output when it listens: "opscope-server: listening on 127.0.0.1:9090". Errors: those
/// of Listener::open and SessionFolders::create.
base::Result<> runServer(const ServerOptions& options);

}  // namespace opscope::rpc::server
