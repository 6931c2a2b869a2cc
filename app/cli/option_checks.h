// SPDX-License-Identifier: Apache-2.0
// Checks of single options, in our words rather than the library's. Pure functions but for conflictOfPaths.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/error.h"

namespace opscope::cli {

/// A value that is there: `--outputs "$UNSET"` is a mistake, not a wish for nothing.
CLI::Validator notEmpty();
/// A whole number from `first` to `last`, in decimal digits.
CLI::Validator wholeNumber(std::int64_t first, std::int64_t last);
/// A finite number from 0 on: "1e-5".
CLI::Validator notNegative();
/// Seconds that something may take: 0 to 1e9.
CLI::Validator waitingTime();
/// "cpu", "cuda:1": a kind of device that is known, and a number.
CLI::Validator device();
/// One of these words.
CLI::Validator oneOf(std::vector<std::string> words);

/// Words of --target.
CLI::Validator target();
/// HOST:PORT of a tracker.
CLI::Validator trackerAddress();

/// What an option names: "--json" and "report.json".
using NamedPath = std::pair<std::string, std::string>;

/// Holds outputs against each other and against what is read: no two may be the same file. "-" and empty
/// paths do not count. Looks at the files for links.
std::optional<base::Error> conflictOfPaths(const std::vector<NamedPath>& outputs,
                                           const std::vector<NamedPath>& inputs);

/// A mistake that the library found, in plain words.
std::string wordsOf(const CLI::ParseError& error);

}  // namespace opscope::cli
