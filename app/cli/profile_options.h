// SPDX-License-Identifier: Apache-2.0
// The options of "profile" that say how and what is measured. Main thread, while the command line is parsed.
#pragma once

#include <CLI/CLI.hpp>
#include <string_view>

#include "app/cli/options.h"

namespace opscope::cli {

/// As a value of --counters: what there is on this machine; no FILE is needed.
inline constexpr std::string_view kListCounters = "list";

/// --warmup, --repeat, --overhead, --counters, --memory, --lanes.
void addMeasuring(CLI::App& command, ProfileOptions& options);

}  // namespace opscope::cli
