// SPDX-License-Identifier: Apache-2.0
// The options of `sweep`. Main thread, while the command line is parsed.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/runs_options_types.h"
#include "engine/base/result.h"
#include "engine/session/requests.h"

namespace opscope::cli {

struct SweepOptions {
  std::string file;
  session::CallPlan plan;
  session::RunSettings settings;
  std::uint32_t warmup = 1;
  std::uint32_t repeats = 10;
  std::string overText;              ///< as given: "n=1,2,4"
  std::string over;                  ///< "n"
  std::vector<std::int64_t> values;  ///< each once, in the order given
  bool json = false;
  bool wide = false;  ///< nothing is cut on a terminal
  std::string csv;    ///< file, "-" or empty
  SaveOptions save;
};

/// Those of `sweep` alone; `options` outlives the parsing.
void addSweepOptions(CLI::App& command, SweepOptions& options);

/// Takes "n=1,2,4" or "threads=1..8" apart and checks what CLI11 cannot. Nothing when all is well.
std::optional<base::Error> finishSweep(SweepOptions& options);

}  // namespace opscope::cli
