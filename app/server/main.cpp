// SPDX-License-Identifier: Apache-2.0
// opscope-server: registers what sessions offer and runs the board's server, or one of its sessions.
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <variant>

#include "app/server/arguments.h"
#include "app/server/plugin_trial.h"
#include "engine/base/log.h"
#include "engine/profile/profiler_module.h"
#include "engine/profile/profiling_functions.h"
#include "engine/profile/time_functions.h"
#include "engine/rpc/server/server.h"
#include "engine/rpc/server/session_main.h"
#include "engine/runtime/backend_symbols.h"
#include "engine/runtime/library.h"
#include "engine/runtime/signal_handlers.h"
#include "engine/runtime/thread_functions.h"
#include "engine/runtime/timer.h"
#include "engine/vm/builtins.h"

namespace {

/// What clients find in the registry of a session.
void registerEngine() {
  opscope::runtime::registerBackendSymbols();
  opscope::runtime::registerTimers();
  opscope::runtime::registerThreadFunctions();
  opscope::vm::registerBuiltins();
  opscope::profile::registerProfilerModule();
  opscope::profile::registerTimeFunctions();
  opscope::profile::registerProfilingFunctions();
}

/// False, and told, when one cannot be loaded.
bool loadPlugins(const std::vector<std::string>& plugins) {
  for (const std::string& path : plugins) {
    if (const auto loaded = opscope::runtime::loadPlugin(path); !loaded) {
      std::fputs(opscope::base::formatError(loaded.error()).c_str(), stderr);
      return false;
    }
  }
  return true;
}

/// Standard input, output and error that are closed would be the numbers of the next files and sockets, and
/// what kernels print would go there.
void openStandardDescriptors() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(descriptor, F_GETFD) < 0) {
      ::open("/dev/null", O_RDWR);  // takes the lowest number that is free: this one
    }
  }
}

struct Dispatch {
  int operator()(const opscope::server::Ended& ended) const { return ended.status; }
  int operator()(const opscope::server::SessionArguments& session) const {
    opscope::base::configureLog(session.verbose);
    registerEngine();
    return loadPlugins(session.plugins) ? opscope::rpc::server::sessionMain(session.controlDescriptor) : 1;
  }
  int operator()(const opscope::server::PluginTrialArguments& trial) const {
    opscope::base::configureLog(trial.verbose);
    registerEngine();
    return loadPlugins(trial.plugins) ? 0 : 1;
  }
  int operator()(const opscope::rpc::server::ServerOptions& options) const {
    opscope::base::configureLog(options.verbose);
    if (const auto tried = opscope::server::tryPlugins(options); !tried) {
      std::fputs(opscope::base::formatError(tried.error()).c_str(), stderr);
      return 1;
    }
    if (const auto served = opscope::rpc::server::runServer(options); !served) {
      std::fputs(opscope::base::formatError(served.error()).c_str(), stderr);
      return 1;
    }
    return 0;
  }
};

}  // namespace

int main(int argc, char** argv) {
  openStandardDescriptors();
  opscope::runtime::restoreSignalHandlers();
  try {
    return std::visit(Dispatch{}, opscope::server::parseArguments(argc, argv));
  } catch (const std::exception& error) {  // memory or threads that the system does not give
    std::fprintf(stderr, "opscope: error: The server cannot go on: %s\n", error.what());
    return 1;
  }
}
