// SPDX-License-Identifier: Apache-2.0
// The options of `compare`. Main thread, while the command line is parsed.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "engine/base/error.h"

namespace opscope::cli {

struct CompareOptions {
  std::string a;  ///< file, or "run:ID"
  std::string b;
  std::optional<double> failAbovePercent;
  double minEffectPercent = 2;
  std::string by = "name";
  bool json = false;
  bool wide = false;     ///< nothing is cut on a terminal
  std::string junit;     ///< file, "-" or empty
  std::string markdown;  ///< likewise
  std::string store;
};

/// `options` outlives the parsing.
void addCompareOptions(CLI::App& command, CompareOptions& options);

/// What CLI11 cannot check: nothing when all is well.
std::optional<base::Error> problemOf(const CompareOptions& options);

}  // namespace opscope::cli
