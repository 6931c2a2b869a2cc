// SPDX-License-Identifier: Apache-2.0
#include "engine/report/sample_warnings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <tuple>

#include "engine/base/printable.h"
#include "engine/report/modes.h"
#include "engine/report/op_table.h"
#include "engine/report/quantity_words.h"
#include "engine/report/run_report.h"
#include "engine/report/trend.h"

namespace opscope::report {

namespace {

constexpr double kNsPerUs = 1e3;
constexpr double kPercentOfOne = 100;
constexpr double kLeastShare = 0.01;

/// Ops with one finding, the longest first: the first one is named.
struct Finding {
  std::size_t ops = 0;
  std::string first;
  Trend trend;  ///< of the first, where it drifts

  void add(std::string_view name, const Trend& itsTrend = {}) {
    if (ops++ > 0) return;
    first = base::printable(name);
    trend = itsTrend;
  }
  /// "3 ops, such as conv2d," or "conv2d".
  std::string subject() const { return ops == 1 ? first : fmt::format("{} ops, such as {},", ops, first); }
};

void addTotalWarnings(const DeviceTotal& total, std::vector<Warning>& warnings) {
  std::vector<double> samples;
  for (const double ns : total.totalNs) samples.push_back(ns / kNsPerUs);
  if (const auto trend = trendOf(samples); trend && trend->isDrift()) {
    warnings.push_back(
        {fmt::format("The total {} over the run: {}.", trend->change > 0 ? "grew" : "shrank",
                     fromQuarterToQuarter(trend->begin, trend->end)),
         "The machine was changing. Warm up longer, and compare runs that were made by turns."});
  }
  std::sort(samples.begin(), samples.end());
  if (const auto modes = findTwoModes(samples)) {
    warnings.push_back(
        {fmt::format("The total has two modes: {} in {:.0f} % of the repeats, {} in the others.",
                     timeWords(modes->low), modes->lowPart * kPercentOfOne, timeWords(modes->high)),
         "Means and medians may lie where no repeat was. Other work, clock rates or placement of threads do "
         "this."});
  }
  if (const std::size_t outliers = countOutliers(samples); outliers > 0) {
    warnings.push_back(
        {fmt::format("{} of {} repeats {} far out; {} in all numbers.", outliers, samples.size(),
                     outliers == 1 ? "is" : "are", outliers == 1 ? "it counts" : "they count"),
         "Medians hardly feel them, means and the maximum do."});
  }
}

/// Calls of one op, and their time over all repeats.
struct OpTime {
  std::vector<std::uint32_t> calls;
  double ns = 0;
};

/// Ops of the report that take at least kLeastShare of the time, the longest first: what others do matters to
/// nobody, and a run may have many.
std::vector<OpTime> largeOps(const Run& run) {
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, OpTime> ops;
  double allNs = 0;
  for (std::uint32_t index = 0; index < run.calls.size(); ++index) {
    const Call& call = run.calls[index];
    if (!call.inReport) continue;
    OpTime& op = ops[{call.name, call.shapes, call.device}];
    op.calls.push_back(index);
    for (const double ns : ownSamples(run, call)) op.ns += ns;
  }
  for (const auto& [key, op] : ops) allNs += op.ns;
  std::vector<OpTime> large;
  for (auto& [key, op] : ops) {
    if (op.ns >= kLeastShare * allNs) large.push_back(std::move(op));
  }
  std::stable_sort(large.begin(), large.end(), [](const OpTime& x, const OpTime& y) { return x.ns > y.ns; });
  return large;
}

void addDrift(const Finding& drift, std::string_view became, std::vector<Warning>& warnings) {
  if (drift.ops == 0) return;
  const std::string change = fromQuarterToQuarter(drift.trend.begin, drift.trend.end);
  warnings.push_back({drift.ops == 1
                          ? fmt::format("{} became {} over the run: {}.", drift.first, became, change)
                          : fmt::format("{} ops became {} over the run, such as {}: {}.", drift.ops, became,
                                        drift.first, change),
                      ""});
}

void addOpWarnings(const Run& run, std::vector<Warning>& warnings) {
  Finding slower;
  Finding faster;
  Finding modes;
  for (const OpTime& op : largeOps(run)) {
    const std::string& name = run.names[run.calls[op.calls.front()].name];
    std::vector<double> samples = samplesOf(run, op.calls);
    if (const auto trend = trendOf(samples); trend && trend->isDrift())
      (trend->change > 0 ? slower : faster).add(name, *trend);
    std::sort(samples.begin(), samples.end());
    if (findTwoModes(samples)) modes.add(name);
  }
  addDrift(slower, "slower", warnings);
  addDrift(faster, "faster", warnings);
  if (modes.ops > 0) {
    warnings.push_back({fmt::format("{} ran at two speeds.", modes.subject()), ""});
  }
}

}  // namespace

std::vector<Warning> sampleWarnings(const Run& run) {
  std::vector<Warning> warnings;
  if (!run.hasStartTimes || run.repeats == 0) return warnings;
  if (const DeviceTotal* total = largestTotal(run)) addTotalWarnings(*total, warnings);
  addOpWarnings(run, warnings);
  return warnings;
}

std::vector<Warning> countWarnings(const Run& run) {
  std::vector<Warning> warnings;
  if (run.repeats < run.repeatsWanted) {
    warnings.push_back(
        {fmt::format("Only {} of {} repeats were measured.", run.repeats, run.repeatsWanted), run.failure});
  }
  if (run.repeats == 1) {
    warnings.push_back(
        {"One repeat only: nothing tells how far these times vary.", "Use 10 repeats or more."});
  }
  return warnings;
}

std::vector<Warning> repeatWarnings(const Run& run) {
  std::vector<Warning> warnings = countWarnings(run);
  std::ranges::move(sampleWarnings(run), std::back_inserter(warnings));
  return warnings;
}

void renewRepeatWarnings(Run& run, const std::vector<Warning>& before) {
  std::vector<Warning> warnings = repeatWarnings(run);
  for (Warning& warning : run.warnings) {
    const bool isOld = std::ranges::find(before, warning.message, &Warning::message) != before.end();
    if (!isOld) warnings.push_back(std::move(warning));
  }
  run.warnings = std::move(warnings);
}

}  // namespace opscope::report
