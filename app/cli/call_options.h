// SPDX-License-Identifier: Apache-2.0
// The options of all commands that call a function: its inputs, and where and how to run it. Main thread,
// while the command line is parsed.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/session/requests.h"

namespace opscope::cli {

/// What CLI11 fills before it is checked and becomes options.
struct RawCall {
  std::vector<std::string> inputs;
  std::vector<std::string> dimensions;
  std::string pin;
  std::string allocator;
};

/// --function, --input, --dim, --inputs, --scenario. `plan` and `raw` outlive the parsing.
void addInputs(CLI::App& command, session::CallPlan& plan, RawCall& raw);

/// --target, --device, --threads and those that follow them.
void addSettings(CLI::App& command, session::RunSettings& settings, RawCall& raw);

/// A target for a part of what the command does, in the same group of the help.
void addTargetOf(CLI::App& command, const std::string& name, std::string& target, const std::string& words);

/// Checks what CLI11 cannot, and fills the rest of `plan` and `settings`. Nothing when all is well, else what
/// is wrong.
std::optional<base::Error> takeRaw(const RawCall& raw, session::CallPlan& plan,
                                   session::RunSettings& settings);

}  // namespace opscope::cli
