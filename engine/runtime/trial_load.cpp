// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/trial_load.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <vector>

#include "engine/runtime/child_process.h"

namespace opscope::runtime {

namespace {

constexpr std::chrono::seconds kPatience{20};
constexpr std::size_t kLinesTold = 4;

/// What a plugin's start throws must end this child: an exception can find its way through dlopen, and would
/// go on in the caller's code, in a second process.
[[noreturn]] void tryInChild(const char* path, int output) noexcept {
  ::setpgid(0, 0);
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

}  // namespace

base::Result<> trialLoad(const std::string& path) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    return {};
  }
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  const pid_t child = ::fork();
  if (child == 0) {
    tryInChild(path.c_str(), ends[1]);
  }
  ::close(ends[1]);
  if (child < 0) {
    ::close(ends[0]);
    return {};
  }
  ::setpgid(child, child);  // here too, so that it holds whichever of the two comes first
  const ChildOutcome outcome = awaitChild(child, ends[0], kPatience);
  if (outcome.succeeded || outcome.timedOut) {
    return {};
  }
  return base::Error{
      base::ErrorCode::KernelFailed,
      "plugin " + path + " ends the process that loads it (" + outcome.how + ")", lastLines(outcome.output),
      "a function that it registers may be registered already, by another plugin or by this program"};
}

}  // namespace opscope::runtime
