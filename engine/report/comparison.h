// SPDX-License-Identifier: Apache-2.0
// Two runs, or two groups of runs, held against each other, op by op, with verdicts. Built once, then
// immutable and shared as shared_ptr<const Comparison>; building and reading in any thread. Definitions in
// docs/statistics.md.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/report/op_matching.h"
#include "engine/report/run.h"
#include "engine/report/run_pool.h"

namespace opscope::report {

enum class Verdict {
  Faster,     ///< B takes less: significant, and by the minimum effect or more
  Slower,     ///< B takes more, likewise
  Same,       ///< the difference is known to be below the minimum effect
  TooNoisy,   ///< these samples cannot tell
  New,        ///< only B has it
  Gone,       ///< only A has it
  NoSamples,  ///< a report without samples on at least one side: values only
};

inline constexpr Verdict kVerdicts[] = {Verdict::Slower,   Verdict::Faster, Verdict::Same,
                                        Verdict::TooNoisy, Verdict::New,    Verdict::Gone,
                                        Verdict::NoSamples};

/// "faster", "too noisy", as in JSON.
std::string_view verdictName(Verdict verdict);

/// What a verdict rests on.
enum class VerdictReason {
  None,              ///< nothing was tested: new, gone, no samples
  Significant,       ///< slower, faster: the test holds after correction, and the change is large enough
  IntervalWithin,    ///< same: the interval lies within the minimum effect
  ChangeWithin,      ///< same: significant, and smaller than the minimum effect
  FewRepeats,        ///< too noisy, as are all that follow: fewer than 5 repeats on a side
  IntervalHoldsOne,  ///< a change up, a change down and none are all possible
  Uncertain,         ///< the test by itself is not significant, although the interval leaves 1 out
  ManyTests,         ///< the test by itself is significant, and no longer so after correction
  NoSpread,          ///< of groups: nothing tells how much runs vary
  Drift,             ///< the op drifts by more than it changed
  TooShort,          ///< its calls are too short to measure
  NotMeasured,       ///< a side has no samples of it, or times of 0
};

/// "interval holds 1", as in JSON; empty for None.
std::string_view reasonName(VerdictReason reason);

struct CompareOptions {
  Matching matching = Matching::ByName;
  double minimumEffect = 0.02;  ///< 0 to 1: a smaller change is none
  std::uint64_t seed = 1;       ///< of the bootstrap
};

/// One op in one of the runs.
struct ComparedSide {
  std::string name;
  std::string shapes;
  std::string device;
  std::int64_t calls = 0;       ///< in one repeat
  double valueUs = 0;           ///< median over the repeats; the mean when a side has no samples
  std::size_t samples = 0;      ///< repeats; 0 when there are none
  std::optional<double> noise;  ///< standard deviation / mean
  std::size_t outliers = 0;
  std::optional<double> driftPart;  ///< change over the run / median, where it drifts
  bool twoModes = false;
  bool tooShort = false;  ///< its calls are too short to measure: tables say so in place of the value
  std::vector<double> runMediansUs;   ///< of a group: the median of each run that has it; else empty
  std::optional<double> betweenRuns;  ///< standard deviation of these / their mean; from 2 runs on
};

struct ComparedOp {
  std::optional<ComparedSide> a;  ///< at least one of both is set
  std::optional<ComparedSide> b;
  Verdict verdict = Verdict::TooNoisy;
  VerdictReason reason = VerdictReason::None;
  /// The reason in words for people: "5 repeats are too few for 46 tests: p 0.37 after correction". Empty
  /// where the verdict or the note says it all.
  std::string why;
  std::optional<double> ratio;  ///< B's value / A's
  std::optional<double> ratioLow;
  std::optional<double> ratioHigh;
  std::optional<double> p;                   ///< Mann-Whitney, of this op alone
  std::optional<double> adjustedP;           ///< Holm, over all compared ops and the total
  std::optional<std::uint64_t> moreRepeats;  ///< about so many on each side would do; TooNoisy
  std::optional<std::uint64_t> moreRuns;     ///< of groups, in place of moreRepeats
  std::string note;                          ///< what else should be known, in words; may be empty

  /// B's, or A's for what is gone.
  const ComparedSide& shown() const { return b ? *b : *a; }
  /// B's value less A's, with 0 for what is not there.
  double changeUs() const { return (b ? b->valueUs : 0) - (a ? a->valueUs : 0); }
};

struct Comparison {
  CompareOptions options;
  std::shared_ptr<const Run> runA;  ///< of a group all its runs as one
  std::shared_ptr<const Run> runB;
  std::size_t runsA = 1;
  std::size_t runsB = 1;
  bool hasSamples = true;       ///< false: values only
  ComparedOp total;             ///< of the device with the largest total
  std::vector<ComparedOp> ops;  ///< by position in order of execution; by name the largest change first
  std::vector<std::string> differences;  ///< what else differs between the runs, in words
  std::vector<Warning> warnings;

  std::size_t count(Verdict verdict) const;  ///< over the ops
  bool isOfGroups() const { return runsA > 1 || runsB > 1; }
};

/// Runs of both documents are not null.
std::shared_ptr<const Comparison> compareDocuments(const Document& a, const Document& b,
                                                   const CompareOptions& options);

/// Two groups. Values are medians over all repeats of a group; a verdict needs the runs to differ by more
/// than runs of one group do, and intervals are at least as wide as that spread makes them. Of two pools of
/// one run each it is compareDocuments. By position, a call stands where the first run has it.
std::shared_ptr<const Comparison> compareGroups(const RunPool& a, const RunPool& b,
                                                const CompareOptions& options);

/// True for an op (or the total) that is slower by more than `percent`: verdict Slower and ratio above, or
/// without samples by value.
bool failsAbove(const ComparedOp& op, double percent);

/// Ops that fail, and the total first when it does.
std::vector<const ComparedOp*> failuresAbove(const Comparison& comparison, double percent);

}  // namespace opscope::report
