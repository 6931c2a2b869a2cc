// SPDX-License-Identifier: Apache-2.0
// From samples to TVM's report, and from a report without samples to a run. Any thread; pure functions.
// Behaviour: seed 004, Profiler::Report.
#pragma once

#include <memory>

#include "engine/report/run.h"

namespace opscope::report {

/// Number of repeats that had the call; the column is there only when some call was not made in each repeat.
inline constexpr std::string_view kSamples = "Samples";
inline constexpr std::string_view kRepeats = "Repeats";
inline constexpr std::string_view kWarmup = "Warm-up";

/// Facts of a run of a scenario: its file with its whole path, and the hash of that file's content.
inline constexpr std::string_view kScenarioFact = "Scenario";
inline constexpr std::string_view kScenarioHashFact = "Scenario content";

/// True for the columns that every run's report may have, which no counter may take the name of.
bool isReportColumn(std::string_view name);

/// The device total with the largest mean; null when there is none.
const DeviceTotal* largestTotal(const Run& run);

/// Mean of a device's totals in ns; 0 without repeats.
double meanTotalNs(const DeviceTotal& total);

/// Whether a repeat lacks a call of the report, and rows have a column of how many samples they are of.
bool someRepeatLacksACall(const Run& run);

/// The report of a run: one row for each call with `inReport`; Duration (us) is the own time summed over the
/// repeats / number of repeats, Percent its part of the largest device total. Totals are means. Percent is
/// left out when there is no total. Each of `counters` is a column more, with its mean over the repeats.
/// `Repeats` is a count, or "7 of 30" when the run ended early.
Report makeReport(const Run& run);

/// The configuration that makeReport gives.
MetricMap reportConfiguration(const Run& run);

/// A run with its report, which is made when it is first asked for. `run` is not null.
Document makeDocument(std::shared_ptr<const Run> run);

/// A report read from a file as a run of one repeat without start times. Values stay as they are in the
/// report; in the run, negative durations count as 0 (with a warning), and a report without device totals
/// takes the sum of its rows as total (with a warning), after those of the reader. executablePath and others
/// stay empty for the caller to fill.
Document importReport(Report report, std::vector<Warning> warnings = {});

}  // namespace opscope::report
