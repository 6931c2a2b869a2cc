// SPDX-License-Identifier: Apache-2.0
#include "engine/report/comparison_verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "engine/report/comparison_words.h"
#include "engine/report/draws.h"
#include "engine/report/median_ratio.h"
#include "engine/report/student.h"

namespace opscope::report {

namespace {

constexpr double kMostRepeats = 1e6;

/// Repeats of each side with which even sets that do not overlap become significant among `tests` tests.
std::size_t repeatsForLevel(std::size_t tests) {
  std::size_t count = kLeastRepeats;
  while (count < 100 && smallestP(count, count) * static_cast<double>(tests) >= kLevel) ++count;
  return count;
}

/// Repeats with which the interval becomes as narrow as it must be: its width goes with 1 / sqrt(n). How
/// narrow: to keep off the minimum effect, but at least half of that, so that a change right at it does not
/// ask for ever more.
double repeatsForWidth(const ComparedOp& op, double minimumEffect) {
  const auto count = static_cast<double>(std::min(op.a->samples, op.b->samples));
  if (!op.ratio || !op.ratioLow || !(*op.ratioLow > 0)) return count;
  const double half = std::max(std::log(*op.ratioHigh / *op.ratio), std::log(*op.ratio / *op.ratioLow));
  const double least = std::log1p(minimumEffect);
  const double wanted = std::max(std::fabs(std::fabs(std::log(*op.ratio)) - least), least / 2);
  return wanted > 0 ? count * (half / wanted) * (half / wanted) : kMostRepeats;
}

/// Two digits, upwards: "about".
std::uint64_t roundedUp(double number) {
  const double capped = std::clamp(number, 1.0, kMostRepeats);
  const double unit = capped < 100 ? 1 : std::pow(10.0, std::floor(std::log10(capped)) - 1);
  return static_cast<std::uint64_t>(std::ceil(capped / unit) * unit);
}

std::uint64_t moreRepeats(const ComparedOp& op, double minimumEffect, std::size_t tests) {
  const auto count = static_cast<double>(std::min(op.a->samples, op.b->samples));
  const double needed =
      std::max(static_cast<double>(repeatsForLevel(tests)), repeatsForWidth(op, minimumEffect));
  return roundedUp(needed - count);
}

bool isOfGroups(const ComparedOp& op) {
  return !op.a->runMediansUs.empty() || !op.b->runMediansUs.empty();
}

std::size_t runsOf(const ComparedSide& side) {
  return std::max<std::size_t>(1, side.runMediansUs.size());
}

/// As moreRepeats, with the runs as what is drawn.
std::uint64_t moreRuns(const ComparedOp& op, double minimumEffect) {
  const auto repeats = static_cast<double>(std::min(op.a->samples, op.b->samples));
  const auto runs = static_cast<double>(std::min(runsOf(*op.a), runsOf(*op.b)));
  const double needed = repeats > 0 ? runs * repeatsForWidth(op, minimumEffect) / repeats : kMostRepeats;
  return roundedUp(needed - runs);
}

/// Logarithms of the medians of the runs, and their squares around the mean.
struct RunLogs {
  double count = 0;
  double mean = 0;
  double squares = 0;
};

/// Empty where a median is 0.
std::optional<RunLogs> logsOf(const ComparedSide& side) {
  std::vector<double> values = side.runMediansUs;
  if (values.empty()) values.push_back(side.valueUs);
  RunLogs logs;
  for (double& value : values) {
    if (!(value > 0)) return std::nullopt;
    value = std::log(value);
    logs.mean += value;
  }
  logs.count = static_cast<double>(values.size());
  logs.mean /= logs.count;
  for (const double value : values) logs.squares += (value - logs.mean) * (value - logs.mean);
  return logs;
}

double largestDrift(const ComparedOp& op) {
  return std::max(std::fabs(op.a->driftPart.value_or(0)), std::fabs(op.b->driftPart.value_or(0)));
}

/// The interval lies within what counts as no change.
bool isKnownToBeSame(const ComparedOp& op, double minimumEffect) {
  return op.ratioLow && *op.ratioHigh <= 1 + minimumEffect && *op.ratioLow >= 1 / (1 + minimumEffect);
}

bool isLarge(double ratio, double effect) {
  return ratio >= 1 + effect || ratio <= 1 / (1 + effect);
}

std::string pWords(double p) {
  return p < 0.001 ? std::string("p below 0.001") : fmt::format("p {:.2g}", p);
}

void judge(ComparedOp& op, Verdict verdict, VerdictReason reason, std::string why) {
  op.verdict = verdict;
  op.reason = reason;
  op.why = std::move(why);
}

/// Of an op that the test did not make significant and whose interval is too wide.
void judgeNoisy(ComparedOp& op, bool enough, std::size_t tests) {
  const std::size_t repeats = std::min(op.a->samples, op.b->samples);
  const std::string count = repeats == 1 ? "1 repeat is" : fmt::format("{} repeats are", repeats);
  if (!enough) {
    judge(op, Verdict::TooNoisy, VerdictReason::FewRepeats,
          fmt::format("{} too few: {} are needed at least", count, kLeastRepeats));
  } else if (!op.ratio) {
    judge(op, Verdict::TooNoisy, VerdictReason::NotMeasured, "a side has times of 0");
  } else if (!op.ratioLow || !op.ratioHigh) {
    judge(op, Verdict::TooNoisy, VerdictReason::NoSpread, "nothing tells how much runs vary");
  } else if (*op.ratioLow <= 1 && *op.ratioHigh >= 1) {
    judge(op, Verdict::TooNoisy, VerdictReason::IntervalHoldsOne, "the interval holds 1");
  } else if (*op.p >= kLevel) {
    judge(op, Verdict::TooNoisy, VerdictReason::Uncertain, pWords(*op.p) + ": the test sees no difference");
  } else if (!isOfGroups(op) && smallestP(repeats, repeats) * static_cast<double>(tests) >= kLevel) {
    judge(op, Verdict::TooNoisy, VerdictReason::ManyTests,
          fmt::format("{} too few for {} tests: {} after correction", count, tests, pWords(*op.adjustedP)));
  } else {
    judge(op, Verdict::TooNoisy, VerdictReason::ManyTests,
          fmt::format("{} after correction for {} tests", pWords(*op.adjustedP), tests));
  }
}

void decideOp(ComparedOp& op, double minimumEffect, std::size_t tests) {
  const bool enough = std::min(op.a->samples, op.b->samples) >= kLeastRepeats;
  const bool significant = op.adjustedP && *op.adjustedP < kLevel && op.ratio && enough;
  if (significant && isLarge(*op.ratio, minimumEffect)) {
    if (const double drift = largestDrift(op); isLarge(*op.ratio, std::max(minimumEffect, drift))) {
      judge(op, *op.ratio > 1 ? Verdict::Slower : Verdict::Faster, VerdictReason::Significant,
            pWords(*op.adjustedP) + " after correction");
    } else {
      judge(op, Verdict::TooNoisy, VerdictReason::Drift, {});
      appendNote(op.note,
                 fmt::format("drifts over the run by {:.1f} %, which is more than this change", drift * 100));
    }
    return;
  }
  if (enough && isKnownToBeSame(op, minimumEffect)) {
    judge(op, Verdict::Same, VerdictReason::IntervalWithin,
          fmt::format("the interval lies within the minimum effect of {:g} %", minimumEffect * 100));
    return;
  }
  if (significant) {
    judge(op, Verdict::Same, VerdictReason::ChangeWithin,
          fmt::format("a difference, and smaller than the minimum effect of {:g} %", minimumEffect * 100));
    return;
  }
  judgeNoisy(op, enough, tests);
  if (isOfGroups(op)) {
    op.moreRuns = moreRuns(op, minimumEffect);
  } else {
    op.moreRepeats = moreRepeats(op, minimumEffect, tests);
  }
}

}  // namespace

void Verdicts::measure(ComparedOp& op, std::span<const double> a, std::span<const double> b,
                       const CompareOptions& options, bool tooShort) {
  const ComparedSide& shown = op.shown();
  const MedianRatio ratio = medianRatio(a, b, mixedSeed(options.seed, shown.name + '\0' + shown.shapes));
  op.ratio = ratio.ratio;
  op.ratioLow = ratio.low;
  op.ratioHigh = ratio.high;
  op.verdict = Verdict::TooNoisy;
  if (tooShort || a.empty() || b.empty()) {
    op.reason = tooShort ? VerdictReason::TooShort : VerdictReason::NotMeasured;
    appendNote(op.note, tooShort ? "too short to measure" : "was not measured");
    return;
  }
  op.p = m_test.test(a, b).p;
}

void Verdicts::measureRuns(ComparedOp& op) const {
  if (!op.p || !isOfGroups(op)) return;
  const auto a = logsOf(*op.a);
  const auto b = logsOf(*op.b);
  const double freedom = a && b ? a->count + b->count - 2 : 0;
  if (freedom < 1 || !op.ratio || !(*op.ratio > 0)) {
    // Nothing tells how much runs vary, so nothing tells a change from that.
    op.p = 1;
    op.ratioLow.reset();
    op.ratioHigh.reset();
    return;
  }
  const double error = std::sqrt((a->squares + b->squares) / freedom * (1 / a->count + 1 / b->count));
  const double difference = std::fabs(b->mean - a->mean);
  if (error > 0) op.p = std::max(*op.p, studentP(difference / error, freedom));
  const double half = studentT(kLevel, freedom) * error;
  op.ratioLow = std::min(op.ratioLow.value_or(*op.ratio), *op.ratio * std::exp(-half));
  op.ratioHigh = std::max(op.ratioHigh.value_or(*op.ratio), *op.ratio * std::exp(half));
}

void Verdicts::compareValues(ComparedOp& op) const {
  op.verdict = Verdict::NoSamples;
  if (op.a->valueUs > 0) {
    const double ratio = op.b->valueUs / op.a->valueUs;
    if (std::isfinite(ratio)) op.ratio = ratio;
  }
}

void Verdicts::decide(Comparison& comparison) const {
  std::vector<ComparedOp*> measured;
  if (comparison.total.p) measured.push_back(&comparison.total);
  for (ComparedOp& op : comparison.ops) {
    if (op.p) measured.push_back(&op);
  }
  std::vector<double> p;
  for (const ComparedOp* op : measured) p.push_back(*op->p);
  const std::vector<double> adjusted = holm(p);
  for (std::size_t i = 0; i < measured.size(); ++i) {
    measured[i]->adjustedP = adjusted[i];
    decideOp(*measured[i], comparison.options.minimumEffect, measured.size());
  }
}

}  // namespace opscope::report
