// SPDX-License-Identifier: Apache-2.0
// What `time` prints. Main thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/console.h"
#include "app/cli/options.h"
#include "engine/report/statistics.h"
#include "engine/report/trend.h"
#include "engine/session/events.h"

namespace opscope::cli {

/// The repeats as numbers, times in ns a call. Those that were too short to measure are not among them.
struct TimeSummary {
  std::vector<double> ns;
  report::Statistics statistics;            ///< of `ns`
  std::optional<double> standardDeviation;  ///< with n, as TVM's evaluator; from 2 repeats on
  std::optional<report::Trend> trend;
  std::size_t tooShort = 0;
  std::int64_t fewestCalls = 0;  ///< of a repeat
  std::int64_t mostCalls = 0;
};

TimeSummary summaryOf(const session::TimeFinished& finished);

/// For people.
std::string timeText(const TimeOptions& options, const session::TimeFinished& finished,
                     const Console& console);

/// opscope.time/1. `failure` is what ended the measurement early, if anything did.
std::string timeJson(const TimeOptions& options, const session::TimeFinished& finished,
                     const std::optional<base::Error>& failure);

}  // namespace opscope::cli
