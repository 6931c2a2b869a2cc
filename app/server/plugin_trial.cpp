// SPDX-License-Identifier: Apache-2.0
#include "app/server/plugin_trial.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>

#include "engine/runtime/child_process.h"

namespace opscope::server {

namespace {

constexpr std::chrono::seconds kMostTime{60};

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
  auto outcome = runtime::runChild(options.ownCommand({"--try-plugins"}), kMostTime);
  if (!outcome) {
    return failed(options, outcome.error().message);
  }
  if (outcome->succeeded) {
    return {};
  }
  if (outcome->timedOut) {
    return failed(options, fmt::format("They were not loaded within {} s.", kMostTime.count()));
  }
  while (outcome->output.ends_with('\n')) {
    outcome->output.pop_back();
  }
  return failed(options, outcome->output.empty()
                             ? fmt::format("The process that tried them ended with {}.", outcome->how)
                             : std::move(outcome->output));
}

}  // namespace opscope::server
