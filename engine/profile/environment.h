// SPDX-License-Identifier: Apache-2.0
// What is known of the machine that measures, and what of it should make a reader careful. Any thread; reads
// /proc and /sys.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/report/run.h"

namespace opscope::profile {

/// Values as read; empty text or a negative number where the system does not tell.
struct Environment {
  std::string cpuModel;
  std::string governor;  ///< of the cores that may be used, "performance", "powersave and performance"
  int logicalCores = 0;
  int physicalCores = 0;
  double load = -1;    ///< runnable tasks, mean of the last minute
  std::string kernel;  ///< "Linux 6.1.0"
};

/// All but the governor, which MachineReader reads.
Environment readEnvironment();

/// CPU, cores, governor, load and kernel as facts; what is unknown is left out.
std::vector<report::Fact> environmentFacts(const Environment& environment);

/// Warnings about the machine: more threads than cores. What disturbs a run is in noise_rules.h.
std::vector<report::Warning> environmentWarnings(const Environment& environment, int threads);

/// Warnings about the run itself: stopped early, one repeat, calls that nothing records, calls of
/// compiled functions that recording makes look slower, calls too short for the clock.
struct RunFindings {
  bool compiledMode = false;  ///< some functions are machine code
  std::string unmetCalls;     ///< calls of theirs that are not recorded, in words; "" when all are
  double callCostNs = 0;      ///< what recording adds to a call of theirs
  std::uint64_t tooShortSamples = 0;
  std::string unmetHint = "Build the model with exec_mode=\"bytecode\" to see time by op.";
};
std::vector<report::Warning> runWarnings(const report::Run& run, const RunFindings& findings);
/// Those of them that are for runs of compiled functions.
std::vector<report::Warning> compiledWarnings(const report::Run& run, const RunFindings& findings);

}  // namespace opscope::profile
