// SPDX-License-Identifier: Apache-2.0
// A run in the formats that were asked for, to files and standard output. Main thread.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/console.h"
#include "engine/base/result.h"
#include "engine/report/run.h"

namespace opscope::cli {

/// Exporter's id to a file or "-".
using Destinations = std::map<std::string, std::string>;

/// Only one thing can go to standard output. `outputs` may hold empty paths, which do not count.
std::optional<base::Error> conflictOfStreams(const std::map<std::string, std::string>& outputs);

/// As above, also for files: each needs one of its own. At least one must be named.
std::optional<base::Error> conflictOfOutputs(const std::map<std::string, std::string>& outputs);

/// Whether all files can be written now.
base::Result<> checkDestinations(const Destinations& wanted);

/// Files first, then standard output. False when something could not be written, which is told; the rest is
/// written all the same.
bool writeFormats(const Destinations& wanted, const report::Document& document, bool wide, Console& console);

/// The same, and then what was recorded beside times (memory, lanes) as sections.
bool writeDocument(const Destinations& wanted, const report::Document& document, bool wide, Console& console);

void tellWarnings(const report::Run& run, Console& console);
void tellWarnings(const std::vector<report::Warning>& warnings, Console& console);

}  // namespace opscope::cli
