// SPDX-License-Identifier: Apache-2.0
// The command line of opscope-server. Called from main.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "engine/rpc/server/options.h"

namespace opscope::server {

/// The process of a session, started by the server itself.
struct SessionArguments {
  int controlDescriptor = -1;
  bool verbose = false;
  std::vector<std::string> plugins;
};

/// The process that tries the server's plugins, started by the server itself.
struct PluginTrialArguments {
  bool verbose = false;
  std::vector<std::string> plugins;
};

/// Nothing is left to do; help was printed, or what is wrong was told.
struct Ended {
  int status = 0;
};

using Arguments = std::variant<rpc::server::ServerOptions, SessionArguments, PluginTrialArguments, Ended>;

/// Reads the secret too. What is wrong goes to standard error: status 2 for the command line itself, 1 for
/// the secret's file.
Arguments parseArguments(int argc, const char* const* argv);

}  // namespace opscope::server
