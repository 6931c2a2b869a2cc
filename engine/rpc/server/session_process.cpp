// SPDX-License-Identifier: Apache-2.0
#include "engine/rpc/server/session_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <optional>
#include <system_error>
#include <thread>

#include "engine/base/atomic_file.h"
#include "engine/base/log.h"

namespace opscope::rpc::server {

namespace {

constexpr int kSessionDescriptor = 3;

/// Attributes and file actions of posix_spawn, freed at the end of the scope.
class SpawnSettings {
 public:
  SpawnSettings() {
    posix_spawnattr_init(&m_attributes);
    posix_spawn_file_actions_init(&m_actions);
    sigset_t none;
    sigemptyset(&none);
    sigset_t all;
    sigfillset(&all);
    posix_spawnattr_setsigmask(&m_attributes, &none);
    posix_spawnattr_setsigdefault(&m_attributes, &all);
    posix_spawnattr_setpgroup(&m_attributes, 0);
    posix_spawnattr_setflags(&m_attributes,
                             POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
    posix_spawn_file_actions_addopen(&m_actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  }
  ~SpawnSettings() {
    posix_spawnattr_destroy(&m_attributes);
    posix_spawn_file_actions_destroy(&m_actions);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;

  /// The child gets `descriptor` as kSessionDescriptor. Equal numbers only lose their close-on-exec mark.
  void pass(int descriptor) { posix_spawn_file_actions_adddup2(&m_actions, descriptor, kSessionDescriptor); }

  int spawn(pid_t& id, std::vector<char*>& words) const {
    return posix_spawnp(&id, words.front(), &m_actions, &m_attributes, words.data(), environ);
  }

 private:
  posix_spawnattr_t m_attributes;
  posix_spawn_file_actions_t m_actions;
};

/// The parent of a process as /proc tells it; 0 when it is gone, which may be between opening and reading.
pid_t parentOf(pid_t id) {
  const auto text = base::readFile(fmt::format("/proc/{}/stat", id));
  const std::size_t name = text ? text->rfind(')') : std::string::npos;  // a program's name may hold anything
  pid_t parent = 0;
  if (name != std::string::npos && name + 4 < text->size()) {
    std::from_chars(text->data() + name + 4, text->data() + text->size(), parent);
  }
  return parent;
}

/// The numbers among the names in a folder of /proc.
std::vector<pid_t> numbersIn(const char* folder) {
  std::vector<pid_t> numbers;
  std::error_code error;
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    pid_t number = 0;
    const auto [rest, failed] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (failed == std::errc() && rest == name.data() + name.size()) {
      numbers.push_back(number);
    }
  }
  return numbers;
}

/// The kernel's own list of the children of a thread of this process; nothing where it keeps none.
std::optional<std::vector<pid_t>> listedChildren(pid_t thread) {
  const auto text = base::readFile(fmt::format("/proc/self/task/{}/children", thread));
  if (!text) {
    return std::nullopt;
  }
  std::vector<pid_t> children;
  const char* at = text->data();
  const char* const end = at + text->size();
  for (pid_t id = 0;;) {
    while (at != end && *at == ' ') {
      ++at;
    }
    const auto [rest, failed] = std::from_chars(at, end, id);
    if (failed != std::errc()) {
      return children;
    }
    children.push_back(id);
    at = rest;
  }
}

}  // namespace

std::vector<pid_t> childProcesses() {
  std::vector<pid_t> children;
  for (const pid_t thread : numbersIn("/proc/self/task")) {
    const auto listed = listedChildren(thread);
    if (!listed) {
      std::vector<pid_t> all = numbersIn("/proc");
      std::erase_if(all, [](pid_t id) { return parentOf(id) != ::getpid(); });
      return all;
    }
    children.insert(children.end(), listed->begin(), listed->end());
  }
  return children;
}

base::Result<SessionProcess> SessionProcess::start(const ServerOptions& options) {
  OPSCOPE_TRY_ASSIGN(auto ends, ControlChannel::makePair());
  std::vector<std::string> arguments = {"--session", std::to_string(kSessionDescriptor)};
  if (options.verbose) {
    arguments.emplace_back("--verbose");
  }
  std::vector<std::string> words = options.ownCommand(arguments);
  std::vector<char*> pointers;
  for (std::string& word : words) {
    pointers.push_back(word.data());
  }
  pointers.push_back(nullptr);
  SpawnSettings settings;
  settings.pass(ends.second.descriptor());
  pid_t id = -1;
  if (const int error = settings.spawn(id, pointers); error != 0) {
    return base::Error{
        base::ErrorCode::Io, fmt::format("No process for a session can be started: {}", words.front()),
        std::strerror(error),
        error == EAGAIN || error == ENOMEM ? "raise the limits (ulimit -u), or close other programs"
        : options.wrapper.empty()          ? "is the server's program still where it was?"
                                           : "look at --wrapper"};
  }
  return SessionProcess(id, std::move(ends.first));
}

void SessionProcess::askToEnd() const {
  ::kill(m_id, SIGTERM);
}

void SessionProcess::kill() const {
  ::kill(-m_id, SIGKILL);  // the group
  ::kill(m_id, SIGKILL);
}

void adoptOrphans() {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
}

void killOrphans(const std::vector<pid_t>& known) {
  for (const pid_t id : childProcesses()) {
    if (std::ranges::find(known, id) == known.end()) {
      base::log(base::LogLevel::Info, fmt::format("ending process {}, which a session has left", id));
      ::kill(id, SIGKILL);
    }
  }
}

void endOrphans() {
  constexpr std::chrono::milliseconds kPause{5};
  constexpr int kTries = 200;
  for (int i = 0; i < kTries; ++i) {
    killOrphans({});
    pid_t ended = 0;
    do {
      ended = ::waitpid(-1, nullptr, WNOHANG);
    } while (ended > 0);
    if (ended < 0) {
      return;  // there are none
    }
    std::this_thread::sleep_for(kPause);
  }
}

}  // namespace opscope::rpc::server
