// SPDX-License-Identifier: Apache-2.0
// The command line as plain values. Main thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "app/cli/board_options_types.h"
#include "app/cli/compare_options.h"
#include "app/cli/runs_options_types.h"
#include "app/cli/sweep_options.h"
#include "engine/session/requests.h"

namespace opscope::cli {

struct InspectOptions {
  std::string file;
  bool bytecode = false;
  bool json = false;
  bool all = false;  ///< nothing is cut on a terminal
};

struct RunOptions {
  std::string file;
  session::CallPlan plan;
  session::RunSettings settings;
  std::string outputs;  ///< OUT.npz, "-" or empty
  std::string dump;     ///< OUT.npz, "-" or empty
  std::uint64_t dumpLimitMb = 8192;
  bool checkFinite = false;
  bool json = false;
};

struct ProfileOptions {
  std::string file;
  session::CallPlan plan;
  session::RunSettings settings;
  std::uint32_t warmup = 1;
  std::uint32_t repeats = 10;
  profile::OverheadCheck overhead = profile::OverheadCheck::Auto;
  std::string counters;                        ///< names of events, or "list"; may be empty
  bool memory = false;                         ///< record memory; a section after the table
  bool lanes = false;                          ///< record parallel parts; a section after the table
  bool all = false;                            ///< on every free board of the tracker
  bool wide = false;                           ///< TVM's table on a terminal too
  std::map<std::string, std::string> outputs;  ///< exporter's id to file or "-"
  SaveOptions save;
};

struct DivergeOptions {
  std::string fileA;
  std::string fileB;
  session::CallPlan plan;
  session::RunSettings settings;
  std::string targetA;  ///< where A runs; empty: as settings say
  std::string targetB;
  std::optional<std::string> secretFileB;
  double rtol = 1e-5;
  double atol = 1e-5;
  bool json = false;
  bool wide = false;  ///< nothing is cut on a terminal
};

struct TimeOptions {
  std::string file;
  session::CallPlan plan;
  session::RunSettings settings;
  profile::TimeSettings timing{.repeat = 10};
  bool json = false;
};

struct ReportOptions {
  std::string file;
  std::string format = "table";
  bool keepOrder = false;
  bool everyCall = false;
  bool noSums = false;
  bool wide = false;  ///< as above
  std::string store;
};

/// What stands behind `serve`: opscope-server reads it.
struct ServeOptions {
  std::vector<std::string> words;
};

/// The command line was taken care of (--help, --version) or is wrong; the program ends with this status.
struct Ended {
  int status = 0;
};

struct CommandLine {
  std::variant<Ended, InspectOptions, RunOptions, ProfileOptions, DivergeOptions, CompareOptions,
               SweepOptions, TimeOptions, ReportOptions, RunsOptions, ServeOptions, BoardsOptions,
               CheckBoardOptions>
      command;
  bool quiet = false;
  bool verbose = false;
};

/// Prints help to standard output, errors to standard error.
CommandLine parseCommandLine(int argc, const char* const* argv);

}  // namespace opscope::cli
