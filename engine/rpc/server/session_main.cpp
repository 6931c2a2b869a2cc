// SPDX-License-Identifier: Apache-2.0
#include "engine/rpc/server/session_main.h"

#include <fmt/format.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <tvm/ffi/function.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <string>
#include <system_error>

#include "engine/base/log.h"
#include "engine/rpc/server/control_channel.h"
#include "engine/rpc/server/server_info.h"
#include "engine/rpc/server/session.h"
#include "engine/rpc/server/session_start.h"
#include "engine/rpc/server/session_watch.h"
#include "engine/rpc/server/system_functions.h"
#include "engine/runtime/ffi_error.h"

namespace opscope::rpc::server {

namespace {

/// Optional functions of a user's, which TVM's servers call too.
void callHook(const char* name) {
  if (const auto hook = tvm::ffi::Function::GetGlobal(name)) {
    const auto called = runtime::guarded(base::ErrorCode::KernelFailed, name, [&] { (*hook)(); });
    if (!called) {
      base::log(base::LogLevel::Warning, called.error().message);
    }
  }
}

/// Everything that the session writes without a name of its own goes with its folder.
void moveInto(const std::string& folder) {
  std::error_code error;
  std::filesystem::current_path(folder, error);
  ::setenv("TMPDIR", folder.c_str(), 1);
}

int serve(const ControlChannel& server, const SessionStart& start, const std::string& devices, int socket) {
  FrameStream stream(socket);
  SessionWatch watch(stream, server, start.timeoutS);
  Session session(stream, start.clientAbi);
  session.describeBy(tvm::ffi::Function::FromTyped(
      [&] { return tvm::ffi::String(serverInfo(start.clientAbi, devices, start.status)); }));
  const SystemFunctions functions(
      WorkDirectory(start.workDirectory),
      {start.clientAbi, start.cacheDirectory, start.cacheBytes, [&session] { session.startKernelThreads(); },
       [&session](const runtime::RuntimeOptions& options) { return session.configureKernelThreads(options); },
       [&] { return serverInfo(start.clientAbi, devices, watch.ask(kAskStatus).value_or(std::string())); }});
  callHook("tvm.rpc.server.start");
  const bool inOrder = session.run();
  callHook("tvm.rpc.server.shutdown");
  base::log(base::LogLevel::Info,
            fmt::format("session of {} ends{}; {} handles and {} pieces of memory were left", start.peer,
                        inOrder ? "" : " inside of a frame", session.heldHandles(), session.heldMemory()));
  ::shutdown(socket, SHUT_WR);
  // Not by return: code that the client loaded may have left threads and destructors behind.
  _exit(inOrder ? 0 : 1);
}

}  // namespace

int sessionMain(int controlDescriptor) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  std::signal(SIGPIPE, SIG_IGN);
  SessionWatch::blockSignals();
  const ControlChannel server(controlDescriptor);
  const std::string devices = deviceList();
  serverInfo(ClientAbi::Tvm022, devices, "{}");  // so that a client does not wait for the first of its kind
  auto message = server.receive();
  if (!message.has_value()) {
    return 0;  // the server ended before a client came
  }
  const auto start = parseSessionStart(message->text);
  if (!start || message->socket < 0) {
    base::log(base::LogLevel::Error, "a session was started without a client");
    return 1;
  }
  moveInto(start->workDirectory);
  return serve(server, *start, devices, message->socket);
}

}  // namespace opscope::rpc::server
