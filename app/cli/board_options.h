// SPDX-License-Identifier: Apache-2.0
// The command lines of boards and check. Main thread.
#pragma once

#include <CLI/CLI.hpp>

#include "app/cli/board_options_types.h"

namespace opscope::cli {

void addBoardsOptions(CLI::App& command, BoardsOptions& options);
void addCheckOptions(CLI::App& command, CheckBoardOptions& options);

}  // namespace opscope::cli
