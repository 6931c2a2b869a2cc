// SPDX-License-Identifier: Apache-2.0
#include "engine/base/log.h"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <string>

#include "engine/base/printable.h"

namespace opscope::base {

namespace {

spdlog::level::level_enum toSpdlog(LogLevel level) {
  switch (level) {
    case LogLevel::Debug:
      return spdlog::level::debug;
    case LogLevel::Info:
      return spdlog::level::info;
    case LogLevel::Warning:
      return spdlog::level::warn;
    case LogLevel::Error:
      return spdlog::level::err;
  }
  return spdlog::level::warn;
}

struct Level {
  std::string_view name;
  spdlog::level::level_enum level;
};
constexpr Level kLevels[] = {{"debug", spdlog::level::debug},
                             {"info", spdlog::level::info},
                             {"warning", spdlog::level::warn},
                             {"error", spdlog::level::err},
                             {"off", spdlog::level::off}};

}  // namespace

void configureLog(bool verbose) {
  auto logger =
      std::make_shared<spdlog::logger>("opscope", std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
  logger->set_pattern("%H:%M:%S.%e %^%l%$ %v");
  logger->set_level(spdlog::level::warn);
  std::string unknown;
  const char* fromEnvironment = std::getenv("OPSCOPE_LOG");
  if (verbose) {
    logger->set_level(spdlog::level::debug);
  } else if (fromEnvironment != nullptr) {
    const auto known =
        std::find_if(std::begin(kLevels), std::end(kLevels),
                     [fromEnvironment](const Level& level) { return level.name == fromEnvironment; });
    if (known != std::end(kLevels)) {
      logger->set_level(known->level);
    } else if (*fromEnvironment != '\0') {
      unknown = fromEnvironment;
    }
  }
  spdlog::set_default_logger(std::move(logger));
  if (!unknown.empty()) {
    log(LogLevel::Warning, "OPSCOPE_LOG is \"" + unknown +
                               "\", which is no level: the levels are debug, info, warning, error and off");
  }
}

void log(LogLevel level, std::string_view message) {
  spdlog::log(toSpdlog(level), "{}", printable(message));
}

}  // namespace opscope::base
