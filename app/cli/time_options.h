// SPDX-License-Identifier: Apache-2.0
// The options of `time` alone. Main thread.
#pragma once

#include <CLI/CLI.hpp>

#include "engine/session/requests.h"

namespace opscope::cli {

/// Adds --number, --repeat and those that follow them to the command.
void addTimeOptions(CLI::App& command, profile::TimeSettings& timing);

}  // namespace opscope::cli
