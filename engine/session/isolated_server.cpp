// SPDX-License-Identifier: Apache-2.0
#include "engine/session/isolated_server.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "engine/base/atomic_file.h"
#include "engine/rpc/secret.h"

extern char** environ;

namespace opscope::session {

namespace {

constexpr std::string_view kListening = "listening on ";
constexpr int kStartMs = 10'000;
/// The server ends its sessions itself when it is asked to; it takes three seconds for that at most.
constexpr std::chrono::milliseconds kEndTime{4'000};

base::Error failed(std::string what, std::string detail) {
  return {base::ErrorCode::Io, std::move(what), std::move(detail), "Run in this process instead."};
}

/// In the folder of this program, or in the one of programs beside it.
base::Result<std::string> findServer() {
  std::error_code error;
  const std::filesystem::path own = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  for (const std::filesystem::path& folder : {own, own.parent_path() / "bin"}) {
    const std::filesystem::path program = folder / "opscope-server";
    if (::access(program.c_str(), X_OK) == 0) {
      return program.string();
    }
  }
  return base::Error{base::ErrorCode::NotFound, "The isolated process cannot be started.",
                     fmt::format("There is no opscope-server in {}.", own.string()),
                     "Install it beside this program, or run in this process."};
}

/// Both ends are closed in programs that are started.
struct Pipe {
  int ends[2] = {-1, -1};
  ~Pipe() {
    for (const int end : ends) {
      if (end >= 0) {
        ::close(end);
      }
    }
  }
};

}  // namespace

base::Result<std::unique_ptr<IsolatedServer>> IsolatedServer::start() {
  OPSCOPE_TRY_ASSIGN(const std::string program, findServer());
  std::unique_ptr<IsolatedServer> server(new IsolatedServer);
  OPSCOPE_TRY(server->launch(program));
  return server;
}

base::Result<> IsolatedServer::launch(const std::string& program) {
  std::error_code error;
  std::string name = (std::filesystem::temp_directory_path(error) / "opscope-isolated-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) {  // its owner's alone
    return failed("The isolated process has no folder.", fmt::format("{}: {}", name, std::strerror(errno)));
  }
  m_folder = name;
  m_secret = rpc::makeNonce() + rpc::makeNonce();
  const std::string secretFile = m_folder + "/secret";
  OPSCOPE_TRY(base::writeFileAtomically(secretFile, m_secret));
  std::filesystem::permissions(secretFile, std::filesystem::perms::owner_read, error);
  std::vector<std::string> words = {
      program, "--port",     "0",      "--secret-file", secretFile,          "--max-sessions",
      "1",     "--work-dir", m_folder, "--cache-dir",   m_folder + "/cache", "--end-with-input"};
  std::vector<char*> arguments;
  for (std::string& word : words) {
    arguments.push_back(word.data());
  }
  arguments.push_back(nullptr);
  Pipe pipe;
  Pipe guard;
  if (::pipe2(pipe.ends, O_CLOEXEC) != 0 || ::pipe2(guard.ends, O_CLOEXEC) != 0) {
    return failed("The isolated process cannot be started.", std::strerror(errno));
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, guard.ends[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, pipe.ends[1], STDOUT_FILENO);
  const int number = ::posix_spawn(&m_process, program.c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (number != 0) {
    m_process = -1;
    return failed("The isolated process cannot be started.",
                  fmt::format("{}: {}", program, std::strerror(number)));
  }
  m_guard = std::exchange(guard.ends[1], -1);
  ::close(std::exchange(pipe.ends[1], -1));
  return awaitAddress(pipe.ends[0]);
}

base::Result<> IsolatedServer::awaitAddress(int output) {
  std::string line;
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(kStartMs);
  while (line.find('\n') == std::string::npos) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    pollfd entry{output, POLLIN, 0};
    char bytes[256];
    const bool ready = left.count() > 0 && ::poll(&entry, 1, static_cast<int>(left.count())) > 0;
    const ssize_t count = ready ? ::read(output, bytes, sizeof bytes) : 0;
    if (count <= 0) {
      return failed("The isolated process did not come up.",
                    ready ? "It ended before it listened." : "It did not listen within ten seconds.");
    }
    line.append(bytes, static_cast<std::size_t>(count));
  }
  const std::size_t place = line.find(kListening);
  const std::string address =
      place == std::string::npos
          ? std::string()
          : line.substr(place + kListening.size(), line.find('\n') - place - kListening.size());
  OPSCOPE_TRY_ASSIGN(m_target, parseTarget("rpc://" + address));
  return {};
}

/// How the session's process ended, as waitpid tells it, or the server's own.
std::optional<int> IsolatedServer::awaitEnd() const {
  constexpr std::chrono::milliseconds kMost{2000};
  const auto end = std::chrono::steady_clock::now() + kMost;
  do {
    if (const auto text = base::readFile(endsFile())) {
      int status = 0;
      const auto [rest, failed] = std::from_chars(text->data(), text->data() + text->size(), status);
      return failed == std::errc() ? std::optional<int>(status) : std::nullopt;
    }
    siginfo_t info{};  // left to the destructor
    if (::waitid(P_PID, static_cast<id_t>(m_process), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
        info.si_pid != 0) {
      return info.si_code == CLD_EXITED ? W_EXITCODE(info.si_status, 0) : W_EXITCODE(0, info.si_status);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  } while (std::chrono::steady_clock::now() < end);
  return std::nullopt;
}

base::Error IsolatedServer::explain(const base::Error& error) const {
  if (error.code == base::ErrorCode::Timeout) {
    return {
        error.code, "The process that runs the model did not answer in time.", "",
        "A kernel may not return, or the process is stopped. Wait longer, or look at it with a debugger."};
  }
  const std::optional<int> status = awaitEnd();
  if (!status) {
    return {error.code, "The process that ran the model is lost.", error.message, "Run it again."};
  }
  if (!WIFSIGNALED(*status)) {
    return {error.code,
            fmt::format("The process that ran the model ended with status {}.", WEXITSTATUS(*status)), "",
            "A kernel or a plugin may have ended it: exit() does that."};
  }
  const int number = WTERMSIG(*status);
  const char* const name = sigabbrev_np(number);
  return {error.code,
          fmt::format("The process that ran the model ended with signal {}{}.", number,
                      name != nullptr ? fmt::format(" (SIG{})", name) : ""),
          "",
          number == SIGKILL ? "Somebody ended it, or the system did when memory was out."
                            : "A kernel or a plugin did this: a debugger on the same run with --target local "
                              "shows where."};
}

IsolatedServer::~IsolatedServer() {
  if (m_process > 0) {
    ::kill(m_process, SIGTERM);
    const auto end = std::chrono::steady_clock::now() + kEndTime;
    while (::waitpid(m_process, nullptr, WNOHANG) == 0) {
      if (std::chrono::steady_clock::now() >= end) {
        ::kill(m_process, SIGKILL);
        ::waitpid(m_process, nullptr, 0);
        break;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }
  if (m_guard >= 0) {
    ::close(m_guard);
  }
  std::error_code ignored;
  if (!m_folder.empty()) {
    std::filesystem::remove_all(m_folder, ignored);
  }
}

}  // namespace opscope::session
