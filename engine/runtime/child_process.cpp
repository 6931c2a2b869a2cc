// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

extern char** environ;

namespace opscope::runtime {

using base::Error;
using base::ErrorCode;
using base::Result;
using Clock = std::chrono::steady_clock;

namespace {

constexpr std::size_t kKeptBytes = 64 * 1024;
constexpr int kPollMs = 20;

/// What the child starts with: its own group, default signals, nothing to read, both outputs to one pipe.
class SpawnSettings {
 public:
  explicit SpawnSettings(int output) {
    posix_spawn_file_actions_init(&m_actions);
    posix_spawn_file_actions_addopen(&m_actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&m_actions, output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&m_actions, output, STDERR_FILENO);
    posix_spawnattr_init(&m_attributes);
    sigset_t signals;
    sigemptyset(&signals);
    posix_spawnattr_setsigmask(&m_attributes, &signals);
    sigfillset(&signals);
    posix_spawnattr_setsigdefault(&m_attributes, &signals);
    posix_spawnattr_setpgroup(&m_attributes, 0);
    posix_spawnattr_setflags(&m_attributes,
                             POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  }
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&m_actions);
    posix_spawnattr_destroy(&m_attributes);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;

  /// 0 or an errno.
  int spawn(pid_t& child, const std::vector<std::string>& words) const {
    std::vector<char*> pointers;
    pointers.reserve(words.size() + 1);
    for (const std::string& word : words) {
      pointers.push_back(const_cast<char*>(word.c_str()));
    }
    pointers.push_back(nullptr);
    return ::posix_spawnp(&child, pointers[0], &m_actions, &m_attributes, pointers.data(), environ);
  }

 private:
  posix_spawn_file_actions_t m_actions{};
  posix_spawnattr_t m_attributes{};
};

/// Takes what the pipe holds; false at its end.
bool drain(int descriptor, std::string& output) {
  std::array<char, 4096> buffer{};
  while (true) {
    const ssize_t count = ::read(descriptor, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count < 0) {
      return errno == EAGAIN;
    }
    if (count == 0) {
      return false;
    }
    output.append(buffer.data(), static_cast<std::size_t>(count));
    if (output.size() > 2 * kKeptBytes) {
      output.erase(0, output.size() - kKeptBytes);
    }
  }
}

/// Waits for the child's end, reading what it writes; ends it and its group when time is over. Returns its
/// status.
int waitReading(pid_t child, int output, Clock::time_point end, ChildOutcome& outcome) {
  int status = 0;
  bool isOpen = true;
  while (true) {
    if (isOpen) {
      pollfd pipe{output, POLLIN, 0};
      ::poll(&pipe, 1, kPollMs);
      isOpen = drain(output, outcome.output);
    } else {
      ::poll(nullptr, 0, 1);
    }
    const pid_t ended = ::waitpid(child, &status, WNOHANG);
    if (ended == child || (ended < 0 && errno != EINTR)) {
      break;
    }
    if (!outcome.timedOut && Clock::now() >= end) {
      outcome.timedOut = true;
      ::kill(-child, SIGKILL);
    }
  }
  if (isOpen) {
    drain(output, outcome.output);  // its own children may still hold the pipe: what is there is enough
  }
  return status;
}

}  // namespace

Result<ChildOutcome> runChild(const std::vector<std::string>& words, std::chrono::milliseconds limit) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    return Error{ErrorCode::Io, words[0] + " could not be started: " + std::strerror(errno), {}, {}};
  }
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  pid_t child = -1;
  const int failure = SpawnSettings(ends[1]).spawn(child, words);
  ::close(ends[1]);
  if (failure != 0) {
    ::close(ends[0]);
    return Error{failure == ENOENT ? ErrorCode::NotFound : ErrorCode::Io,
                 words[0] + " could not be started: " + std::strerror(failure),
                 {},
                 {}};
  }
  return awaitChild(child, ends[0], limit);
}

ChildOutcome awaitChild(pid_t child, int output, std::chrono::milliseconds limit) {
  ChildOutcome outcome;
  const int status = waitReading(child, output, Clock::now() + limit, outcome);
  ::close(output);
  outcome.succeeded = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  outcome.how = WIFSIGNALED(status) ? std::string("signal: ") + ::strsignal(WTERMSIG(status))
                                    : "exit status " + std::to_string(WEXITSTATUS(status));
  if (outcome.output.size() > kKeptBytes) {
    outcome.output.erase(0, outcome.output.size() - kKeptBytes);
  }
  return outcome;
}

}  // namespace opscope::runtime
