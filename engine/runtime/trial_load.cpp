// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/trial_load.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <vector>

#include "engine/base/clock.h"

namespace opscope::runtime {

namespace {

constexpr std::int64_t kPatienceNs = 20'000'000'000;
constexpr std::size_t kKeptBytes = 16384;
constexpr std::size_t kLinesTold = 4;

[[noreturn]] void runChild(const char* path, int output) {
  for (const int number : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTERM, SIGINT}) {
    ::signal(number, SIG_DFL);
  }
  const struct rlimit none {};
  ::setrlimit(RLIMIT_CORE, &none);
  ::dup2(output, STDOUT_FILENO);
  ::dup2(output, STDERR_FILENO);
  // Whether its symbols resolve is told by the parent, which has better words.
  ::dlopen(path, RTLD_NOW | RTLD_LOCAL);
  ::_exit(0);
}

/// Collects the child's output until it closes; false when the time is over.
bool readUntilClosed(int input, std::string& text) {
  const std::int64_t deadline = base::monotonicNs() + kPatienceNs;
  std::array<char, 4096> buffer{};
  while (true) {
    const std::int64_t leftMs = (deadline - base::monotonicNs()) / 1'000'000;
    struct pollfd waiting {
      input, POLLIN, 0
    };
    const int ready = leftMs > 0 ? ::poll(&waiting, 1, static_cast<int>(leftMs)) : 0;
    if (ready < 0 && errno == EINTR) {
      continue;
    }
    if (ready <= 0) {
      return false;
    }
    const ssize_t count = ::read(input, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count <= 0) {
      return true;
    }
    text.append(buffer.data(), static_cast<std::size_t>(count));
    if (text.size() > 2 * kKeptBytes) {
      text.erase(0, text.size() - kKeptBytes);
    }
  }
}

std::string lastLines(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    if (end > begin) {
      lines.push_back(text.substr(begin, end - begin));
    }
    begin = end + 1;
  }
  std::string told;
  for (std::size_t i = lines.size() > kLinesTold ? lines.size() - kLinesTold : 0; i < lines.size(); ++i) {
    told += (told.empty() ? "" : "\n") + lines[i];
  }
  return told;
}

int waitFor(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) {
      return 0;
    }
  }
  return status;
}

}  // namespace

base::Result<> trialLoad(const std::string& path) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    return {};
  }
  const pid_t child = ::fork();
  if (child == 0) {
    runChild(path.c_str(), ends[1]);
  }
  ::close(ends[1]);
  std::string output;
  const bool closed = child > 0 && readUntilClosed(ends[0], output);
  ::close(ends[0]);
  if (child < 0) {
    return {};
  }
  if (!closed) {
    ::kill(child, SIGKILL);
    waitFor(child);
    return {};
  }
  const int status = waitFor(child);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
    return {};
  }
  const std::string how = WIFSIGNALED(status) ? std::string("signal: ") + ::strsignal(WTERMSIG(status))
                                              : "exit status " + std::to_string(WEXITSTATUS(status));
  return base::Error{
      base::ErrorCode::KernelFailed, "plugin " + path + " ends the process that loads it (" + how + ")",
      lastLines(output),
      "a function that it registers may be registered already, by another plugin or by this program"};
}

}  // namespace opscope::runtime
