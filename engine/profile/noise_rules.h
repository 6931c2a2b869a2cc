// SPDX-License-Identifier: Apache-2.0
// What disturbs measurements, and from where on how much: a visible list of rules, one row each. Any thread;
// pure functions and constant data.
#pragma once

#include <limits>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/profile/machine_state.h"
#include "engine/profile/run_usage.h"
#include "engine/report/noise_grade.h"
#include "engine/report/run.h"

namespace opscope::profile {

/// What was read, made comparable: empty where the machine does not tell. Never nan, infinite or negative.
struct NoiseReadings {
  std::set<std::string> governors;
  std::optional<bool> turbo;
  std::optional<double> temperatureC;
  std::optional<double> throttled;         ///< how often during the run
  std::optional<double> othersCores;       ///< kept busy by other programs, of `cores`
  std::optional<double> cores;             ///< that this process may use
  std::optional<double> stolenPart;        ///< of the time of those cores
  std::optional<double> waitedPart;        ///< of the run: the measuring thread was ready but had no core
  std::optional<double> migrations;        ///< a repeat, of the measuring thread
  std::optional<double> minorFaultsPerMs;  ///< of repeats
  std::optional<double> majorFaults;       ///< a repeat
  std::optional<double> involuntaryPerS;   ///< of repeats, all threads
  std::optional<double> voluntaryPerS;     ///< the same
  std::optional<double> drift;             ///< change of the totals from first to last, as a part; clear ones
  std::optional<double> noise;             ///< standard deviation of the totals / mean
  double repeats = 0;
  double threads = 1;  ///< held against `cores`
};

/// All that is read around the repeats of a run. `wallS` is from `before` to `after`.
struct NoiseEvidence {
  MachineState before;
  MachineState after;
  double wallS = 0;
  double asideS = 0;  ///< of wallS: the thread measured another run
  ProcessUsage processBefore;
  ProcessUsage processAfter;
  ThreadUsage threadBefore;
  ThreadUsage threadAfter;
  const RepeatUsages* repeats = nullptr;  ///< may be null
  int threads = 1;
};

/// Whether these keep the clock rate as it is.
bool isSteady(const std::set<std::string>& governors);

/// Computes what the rules look at; `run` has its totals.
NoiseReadings noiseReadings(const NoiseEvidence& evidence, const report::Run& run);

/// Of a run on a machine whose state is not known: what its totals tell, and nothing of the machine.
NoiseReadings sampleReadings(const report::Run& run);

struct NoiseRule {
  static constexpr double kNever = std::numeric_limits<double>::infinity();
  std::string_view id;
  std::string_view title;
  double b = kNever;  ///< from this value on the grade is B at best
  double c = kNever;
  double d = kNever;
  std::optional<double> (*value)(const NoiseReadings& readings) = nullptr;  ///< empty: not told here
  std::string (*found)(const NoiseReadings& readings, double value) = nullptr;
  std::string_view advice;

  report::Grade gradeOf(double reading) const;
};

std::span<const NoiseRule> noiseRules();

report::NoiseGrade gradeNoise(const NoiseReadings& readings);

/// Checks that cost a run its B, as warnings with advice, but for those that other warnings tell.
std::vector<report::Warning> noiseWarnings(const report::NoiseGrade& noise);

}  // namespace opscope::profile
