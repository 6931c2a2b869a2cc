// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/cli/time_output.h"
#include "app/cli/words.h"
#include "engine/base/printable.h"
#include "engine/base/text_width.h"
#include "engine/report/quantity_words.h"

namespace opscope::cli {

namespace {

constexpr double kNsPerUs = 1e3;

std::string nsText(double ns) {
  return report::timeWords(ns / kNsPerUs);
}

std::string callsText(const TimeSummary& summary) {
  return summary.fewestCalls == summary.mostCalls
             ? countText(static_cast<std::uint64_t>(summary.mostCalls), "call", "calls")
             : fmt::format("{} to {} calls", summary.fewestCalls, summary.mostCalls);
}

/// "3 of 10 repeats" when it ended early.
std::string repeatsText(const session::TimeFinished& finished) {
  const auto wanted = static_cast<std::uint64_t>(finished.repeatsWanted);
  return finished.repeats.size() < wanted
             ? fmt::format("{} of {}", finished.repeats.size(), countText(wanted, "repeat", "repeats"))
             : countText(finished.repeats.size(), "repeat", "repeats");
}

std::string driftText(const std::optional<report::Trend>& trend) {
  if (!trend) {
    return "not known with fewer than 8 repeats";
  }
  if (!trend->isDrift()) {
    return "none seen";
  }
  return fmt::format("later repeats are {}: {}", trend->change > 0 ? "slower" : "faster",
                     report::fromQuarterToQuarter(trend->begin / kNsPerUs, trend->end / kNsPerUs));
}

using Line = std::pair<std::string, std::string>;

std::vector<Line> timeLines(const TimeSummary& summary) {
  const report::Statistics& statistics = summary.statistics;
  std::vector<Line> lines = {{"mean", nsText(statistics.mean)}, {"median", nsText(statistics.median)}};
  if (statistics.medianLow && statistics.medianHigh) {
    lines.back().second += fmt::format(", with 95 % certainty from {} to {}", nsText(*statistics.medianLow),
                                       nsText(*statistics.medianHigh));
  }
  lines.emplace_back("min", nsText(statistics.min));
  lines.emplace_back("max", nsText(statistics.max));
  if (summary.standardDeviation && statistics.mean > 0) {
    lines.emplace_back("std dev.", *summary.standardDeviation > 0
                                       ? fmt::format("{}, {} of the mean", nsText(*summary.standardDeviation),
                                                     report::percentWords(*summary.standardDeviation /
                                                                          statistics.mean * 100))
                                       : std::string("none: all repeats took the same"));
  }
  return lines;
}

}  // namespace

TimeSummary summaryOf(const session::TimeFinished& finished) {
  TimeSummary summary;
  summary.fewestCalls = finished.repeats.front().calls;
  for (const profile::RepeatTime& repeat : finished.repeats) {
    summary.fewestCalls = std::min(summary.fewestCalls, repeat.calls);
    summary.mostCalls = std::max(summary.mostCalls, repeat.calls);
    if (repeat.tooShort) {
      ++summary.tooShort;
    } else {
      summary.ns.push_back(repeat.nsPerCall);
    }
  }
  summary.statistics = report::computeStatistics(summary.ns);
  if (summary.statistics.standardDeviation) {
    const auto n = static_cast<double>(summary.ns.size());
    summary.standardDeviation = *summary.statistics.standardDeviation * std::sqrt((n - 1) / n);
  }
  summary.trend = report::trendOf(summary.ns);
  return summary;
}

std::string timeText(const TimeOptions& options, const session::TimeFinished& finished,
                     const Console& console) {
  const TimeSummary summary = summaryOf(finished);
  std::string title = base::printable(finished.function);
  if (!finished.inputs.empty()) {
    title += "  " + base::printable(finished.inputs);
  }
  const auto width = console.width();
  std::string text = console.heading(width ? base::elideEnd(title, *width) : title) + "\n";
  std::vector<Line> lines;
  if (summary.ns.empty()) {
    lines.emplace_back("time",
                       "too short to measure: more calls a repeat may help, --number or --min-repeat-ms");
  } else {
    lines = timeLines(summary);
  }
  lines.emplace_back(
      "measured",
      fmt::format("{} of {}, {} thread{}{}", repeatsText(finished), callsText(summary), finished.threads,
                  finished.threads == 1 ? "" : "s", onTarget(options.settings.target)));
  if (summary.tooShort > 0 && !summary.ns.empty()) {
    lines.emplace_back(
        "left out", fmt::format("{} too short to measure", countText(summary.tooShort, "repeat", "repeats")));
  }
  if (!summary.ns.empty()) {
    lines.emplace_back("drift", driftText(summary.trend));
  }
  for (const auto& [name, value] : lines) {
    text += fmt::format("  {:<9} {}\n", name, value);
  }
  return text;
}

}  // namespace opscope::cli
