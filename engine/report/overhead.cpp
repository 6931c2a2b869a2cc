// SPDX-License-Identifier: Apache-2.0
#include "engine/report/overhead.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/report/quantity_words.h"
#include "engine/report/run.h"
#include "engine/report/statistics.h"

namespace opscope::report {

namespace {

constexpr double kWhole = 100;

std::string pairWords(std::size_t pairs) {
  return fmt::format("{} {} of repeats with and without", pairs, pairs == 1 ? "pair" : "pairs");
}

std::string calculatedWords(const OverheadFigures& figures, const Run& run) {
  if (figures.calculatedNs <= 0) return {};
  return fmt::format("; by the recorder's own cost about {} ({:.0f} calls of {})",
                     durationWords(figures.calculatedNs), run.overhead->calls,
                     durationWords(run.timing->recordingNs));
}

std::string measuredWords(const OverheadFigures& figures) {
  std::string words =
      fmt::format("adds {} to a repeat ({} to {}, {})", durationWords(figures.addedNs),
                  durationWords(figures.lowNs), durationWords(figures.highNs), partWords(figures.percent));
  if (figures.perCallNs > 0) words += fmt::format(", {} to a call", durationWords(figures.perCallNs));
  return words + "; " + pairWords(figures.pairs);
}

void judge(OverheadFigures& figures, const Statistics& differences) {
  if (!differences.medianLow || !differences.medianHigh) {
    figures.outcome = OverheadOutcome::TooFewPairs;
    return;
  }
  if (*differences.medianLow > 0) {
    figures.outcome = OverheadOutcome::Measured;
    figures.addedNs = differences.median;
    figures.lowNs = *differences.medianLow;
    figures.highNs = *differences.medianHigh;
    return;
  }
  figures.outcome = OverheadOutcome::NotMeasurable;
  if (*differences.medianHigh > 0) figures.atMostNs = *differences.medianHigh;
}

}  // namespace

std::optional<OverheadFigures> overheadFigures(const Run& run) {
  if (!run.overhead || run.totals.empty()) return std::nullopt;
  const Overhead& overhead = *run.overhead;
  const std::vector<double>& totals = run.totals.front().totalNs;
  OverheadFigures figures;
  figures.calculatedNs = run.timing ? std::max(0.0, overhead.calls * run.timing->recordingNs) : 0;
  std::vector<double> differences;
  std::vector<double> recorded;
  for (std::size_t i = 0; i < overhead.repeats.size() && i < overhead.unhookedNs.size(); ++i) {
    if (overhead.repeats[i] >= totals.size()) continue;
    recorded.push_back(totals[overhead.repeats[i]]);
    differences.push_back(recorded.back() - overhead.unhookedNs[i]);
  }
  figures.pairs = differences.size();
  if (differences.empty()) return figures;
  judge(figures, computeStatistics(differences));
  if (figures.outcome == OverheadOutcome::Measured) {
    const double total = computeStatistics(recorded).median;
    figures.percent = total > 0 ? std::min(kWhole, figures.addedNs / total * kWhole) : 0;
    figures.perCallNs = overhead.calls > 0 ? figures.addedNs / overhead.calls : 0;
  }
  return figures;
}

std::optional<VmShare> vmShareOf(const Run& run) {
  if (run.totals.empty() || run.repeats == 0) return std::nullopt;
  std::vector<double> kernels(run.repeats, 0.0);
  bool hasKernels = false;
  for (const Call& call : run.calls) {
    if (!call.kernel) continue;
    for (std::uint64_t sample = call.firstSample; sample < call.firstSample + call.sampleCount; ++sample) {
      kernels[run.sampleRepeat[sample]] += run.ownNs[sample];
      hasKernels = true;
    }
  }
  if (!hasKernels) return std::nullopt;
  const std::vector<double>& totals = run.totals.front().totalNs;
  std::vector<double> outside;
  for (std::size_t repeat = 0; repeat < totals.size(); ++repeat) {
    outside.push_back(std::max(0.0, totals[repeat] - kernels[repeat]));
  }
  VmShare share;
  share.ns = computeStatistics(outside).median;
  const double total = computeStatistics(totals).median;
  share.percent = total > 0 ? std::min(kWhole, share.ns / total * kWhole) : 0;
  return share;
}

std::string overheadWords(const Run& run) {
  const auto figures = overheadFigures(run);
  if (!figures) return {};
  switch (figures->outcome) {
    case OverheadOutcome::Measured:
      return measuredWords(*figures);
    case OverheadOutcome::NotMeasurable:
      return fmt::format(
          "what it adds is not measurable{}; {}{}",
          figures->atMostNs ? fmt::format(", at most {} a repeat", durationWords(*figures->atMostNs)) : "",
          pairWords(figures->pairs), calculatedWords(*figures, run));
    case OverheadOutcome::TooFewPairs:
      return fmt::format("what it adds is not known: {}, 6 are needed{}", pairWords(figures->pairs),
                         calculatedWords(*figures, run));
    case OverheadOutcome::NoPairs:
      break;
  }
  return "what it adds was not measured" + calculatedWords(*figures, run);
}

std::string vmShareWords(const Run& run) {
  const auto share = vmShareOf(run);
  return share ? fmt::format("{}, {} of the total", durationWords(share->ns), partWords(share->percent))
               : std::string();
}

}  // namespace opscope::report
