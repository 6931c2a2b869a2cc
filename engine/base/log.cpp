// SPDX-License-Identifier: Apache-2.0
#include "engine/base/log.h"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <cstdlib>
#include <memory>
#include <string>

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

}  // namespace

void configureLog(bool verbose) {
  auto logger =
      std::make_shared<spdlog::logger>("opscope", std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
  logger->set_pattern("%H:%M:%S.%e %^%l%$ %v");
  logger->set_level(spdlog::level::warn);
  const char* fromEnvironment = std::getenv("OPSCOPE_LOG");
  if (verbose) {
    logger->set_level(spdlog::level::debug);
  } else if (fromEnvironment != nullptr) {
    logger->set_level(spdlog::level::from_str(fromEnvironment));
  }
  spdlog::set_default_logger(std::move(logger));
}

void log(LogLevel level, std::string_view message) {
  spdlog::log(toSpdlog(level), "{}", message);
}

}  // namespace opscope::base
