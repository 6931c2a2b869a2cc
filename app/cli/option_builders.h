// SPDX-License-Identifier: Apache-2.0
// Options that several commands have, built the same way everywhere. Main thread, while the command line is
// parsed; what they fill belongs to the caller.
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <string>

namespace opscope::cli {

inline constexpr const char* kWideHelp =
    "Print TVM's whole table on a terminal, however wide (a pipe gets it anyhow)";

inline constexpr const char* kWideTableHelp =
    "Print the whole table on a terminal, however wide (a pipe gets it anyhow)";

/// A flag takes no value: "--json=file" is a mistake.
void addFlag(CLI::App& command, const std::string& name, bool& value, const std::string& description,
             const std::string& group = "Options");

/// A file that the command cannot do without, given without an option's name.
void addFile(CLI::App& command, const char* name, std::string& path, const char* description);

/// --store FILE.
void addStore(CLI::App& command, std::string& path, const std::string& group = "Options");

/// --json FILE, --csv FILE ... : one option for each format a run is written in. Fills exporter's id to path.
void addOutputs(CLI::App& command, std::map<std::string, std::string>& outputs, const std::string& group);

}  // namespace opscope::cli
