// SPDX-License-Identifier: Apache-2.0
// The log: lines on standard error through spdlog, default level warning. Any thread; never in the hot path.
#pragma once

#include <string_view>

namespace opscope::base {

enum class LogLevel { Debug, Info, Warning, Error };

/// Sets the level from --verbose or, when `verbose` is false, from the environment variable OPSCOPE_LOG
/// (debug, info, warning, error, off; another value is told once in a warning). Called once from main.
void configureLog(bool verbose);

void log(LogLevel level, std::string_view message);

}  // namespace opscope::base
