// SPDX-License-Identifier: Apache-2.0
#include "app/server/plugin_trial.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <optional>
#include <thread>

namespace opscope::server {

namespace {

constexpr std::chrono::seconds kMostTime{60};

/// How the process ended; nothing when it had to be ended because its time was over.
std::optional<int> awaitEnd(pid_t id) {
  const auto end = std::chrono::steady_clock::now() + kMostTime;
  int status = 0;
  while (::waitpid(id, &status, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() >= end) {
      ::kill(id, SIGKILL);
      ::waitpid(id, &status, 0);
      return std::nullopt;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return status;
}

base::Error failed(const rpc::server::ServerOptions& options, std::string how) {
  return {base::ErrorCode::KernelFailed,
          fmt::format("The server does not start without its plugins: {}", fmt::join(options.plugins, ", ")),
          std::move(how), options.wrapper.empty() ? "" : "Does --wrapper start programs?"};
}

}  // namespace

base::Result<> tryPlugins(const rpc::server::ServerOptions& options) {
  if (options.plugins.empty()) {
    return {};
  }
  std::vector<std::string> words = options.wrapper;
  words.insert(words.end(), {options.program, "--try-plugins"});
  for (const std::string& plugin : options.plugins) {
    words.insert(words.end(), {"--plugin", plugin});
  }
  std::vector<char*> pointers;
  for (std::string& word : words) {
    pointers.push_back(word.data());
  }
  pointers.push_back(nullptr);
  pid_t id = -1;
  if (const int error = ::posix_spawnp(&id, pointers.front(), nullptr, nullptr, pointers.data(), environ);
      error != 0) {
    return failed(options, fmt::format("{}: {}", words.front(), std::strerror(error)));
  }
  const std::optional<int> status = awaitEnd(id);
  if (!status) {
    return failed(options, fmt::format("They were not loaded within {} s.", kMostTime.count()));
  }
  if (WIFSIGNALED(*status)) {
    return failed(options,
                  fmt::format("The process that tried them ended with signal {}.", WTERMSIG(*status)));
  }
  return WEXITSTATUS(*status) == 0 ? base::Result<>() : failed(options, "What is wrong stands above.");
}

}  // namespace opscope::server
