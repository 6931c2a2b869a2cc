// SPDX-License-Identifier: Apache-2.0
#include "engine/report/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/report/comparison_verdict.h"
#include "engine/report/comparison_words.h"
#include "engine/report/measuring_limit.h"
#include "engine/report/modes.h"
#include "engine/report/op_table.h"
#include "engine/report/run_report.h"
#include "engine/report/trend.h"

namespace opscope::report {

namespace {

constexpr double kNsPerUs = 1e3;

/// Which of the values of a side is compared.
enum class Value { Median, Mean };

/// A side and its samples in ascending order, in us.
struct MeasuredSide {
  ComparedSide side;
  std::vector<double> samples;
};

/// What can be told of one run: `samples` in the order of repeats, in ascending order after it.
void describeRun(ComparedSide& side, std::vector<double>& samples) {
  const auto trend = trendOf(samples);
  if (trend && trend->isDrift() && std::fabs(trend->change) > std::fabs(side.driftPart.value_or(0)))
    side.driftPart = trend->change;
  std::sort(samples.begin(), samples.end());
  side.outliers += countOutliers(samples);
  side.twoModes = side.twoModes || findTwoModes(samples).has_value();
}

/// `byRun`: samples of each run in the order of repeats.
void describe(MeasuredSide& measured, std::vector<std::vector<double>> byRun, Value value) {
  ComparedSide& side = measured.side;
  std::vector<double> samples;
  std::vector<double> medians;
  for (std::vector<double>& ofRun : byRun) {
    if (ofRun.empty()) continue;
    describeRun(side, ofRun);
    medians.push_back(percentile(ofRun, 0.5));
    samples.insert(samples.end(), ofRun.begin(), ofRun.end());
  }
  const Statistics statistics = computeStatisticsInPlace(samples);
  side.valueUs = value == Value::Median ? statistics.median : statistics.mean;
  side.samples = statistics.count;
  side.noise = statistics.noise;
  if (byRun.size() > 1) {
    side.betweenRuns = computeStatistics(medians).noise;
    side.runMediansUs = std::move(medians);
  }
  measured.samples = std::move(samples);
}

class Comparer {
 public:
  Comparer(const RunPool& a, const RunPool& b, const CompareOptions& options)
      : m_poolA(a), m_poolB(b), m_a(*a.document.run), m_b(*b.document.run) {
    m_comparison.options = options;
    m_comparison.runA = a.document.run;
    m_comparison.runB = b.document.run;
    m_comparison.runsA = a.size();
    m_comparison.runsB = b.size();
    m_comparison.hasSamples = hasSamples(a) && hasSamples(b);
    const Grouping grouping = options.matching == Matching::ByPosition ? Grouping::EachCall : Grouping::ByOp;
    m_tableA = buildOpTable(a.document, grouping);
    m_tableB = buildOpTable(b.document, grouping);
  }

  std::shared_ptr<const Comparison> compare() {
    addTotal();
    for (const MatchedRows& rows : matchRows(m_a, m_tableA, m_b, m_tableB, m_comparison.options.matching)) {
      addOp(rows);
    }
    m_verdicts.decide(m_comparison);
    if (m_comparison.options.matching == Matching::ByName) sortByChange();
    m_comparison.differences = differencesOf(m_a, m_b);
    m_comparison.warnings = warningsOf(m_comparison);
    for (Warning& warning : groupWarningsOf(m_comparison, m_poolA, m_poolB))
      m_comparison.warnings.push_back(std::move(warning));
    return std::make_shared<const Comparison>(std::move(m_comparison));
  }

 private:
  Value value() const { return m_comparison.hasSamples ? Value::Median : Value::Mean; }

  MeasuredSide totalOf(const RunPool& pool, const OpTable& table) const {
    const Run& run = *pool.document.run;
    MeasuredSide measured;
    measured.side.name = "Total";
    measured.side.calls = table.totals.calls;
    if (const DeviceTotal* largest = largestTotal(run)) {
      measured.side.device = largest->device;
      std::vector<std::vector<double>> samples(pool.size());
      for (std::size_t i = 0; i < pool.size(); ++i) {
        const std::size_t end = std::min<std::size_t>(pool.firstRepeats[i + 1], largest->totalNs.size());
        for (std::size_t repeat = pool.firstRepeats[i]; repeat < end; ++repeat)
          samples[i].push_back(largest->totalNs[repeat] / kNsPerUs);
      }
      describe(measured, std::move(samples), value());
    }
    if (!m_comparison.hasSamples) measured.side.samples = 0;
    return measured;
  }

  MeasuredSide rowOf(const RunPool& pool, const OpTable& table, std::size_t index) const {
    const Run& run = *pool.document.run;
    const OpRow& row = table.rows[index];
    MeasuredSide measured;
    measured.side.name = nameOf(run, row);
    measured.side.shapes = shapesOf(run, row);
    measured.side.device = deviceOf(run, row);
    measured.side.calls = row.count;
    std::vector<std::vector<double>> samples;
    if (pool.size() > 1) {
      samples = samplesByRun(pool, table.callsOf(row));
    } else {
      samples.push_back(samplesOf(run, table.callsOf(row)));
    }
    describe(measured, std::move(samples), value());
    if (!m_comparison.hasSamples) {
      measured.side.valueUs = row.durationUs;
      measured.side.samples = 0;
    }
    measured.side.tooShort = isTooShort(run, measured.side.valueUs * kNsPerUs, row.count);
    return measured;
  }

  void addTotal() {
    MeasuredSide a = totalOf(m_poolA, m_tableA);
    MeasuredSide b = totalOf(m_poolB, m_tableB);
    ComparedOp& total = m_comparison.total;
    total.a = a.side;
    total.b = b.side;
    if (m_comparison.hasSamples) {
      m_verdicts.measure(total, a.samples, b.samples, m_comparison.options, false);
      m_verdicts.measureRuns(total);
    } else {
      m_verdicts.compareValues(total);
    }
  }

  void addOp(const MatchedRows& rows) {
    ComparedOp op;
    MeasuredSide a;
    MeasuredSide b;
    if (rows.a) op.a = (a = rowOf(m_poolA, m_tableA, *rows.a)).side;
    if (rows.b) op.b = (b = rowOf(m_poolB, m_tableB, *rows.b)).side;
    addSomeRunsNote(op.note, op.a, "A", m_poolA.size());
    addSomeRunsNote(op.note, op.b, "B", m_poolB.size());
    if (!rows.a || !rows.b) {
      op.verdict = rows.b ? Verdict::New : Verdict::Gone;
    } else {
      if (const std::string note = matchNote(op); !note.empty()) appendNote(op.note, note);
      if (m_comparison.hasSamples) {
        m_verdicts.measure(op, a.samples, b.samples, m_comparison.options, op.a->tooShort && op.b->tooShort);
        m_verdicts.measureRuns(op);
      } else {
        m_verdicts.compareValues(op);
      }
    }
    m_comparison.ops.push_back(std::move(op));
  }

  /// An op that not each run of a group has.
  void addSomeRunsNote(std::string& note, const std::optional<ComparedSide>& side, std::string_view name,
                       std::size_t runs) const {
    if (!side || runs < 2 || side->runMediansUs.size() == runs) return;
    appendNote(note, fmt::format("in {} of {} runs of {}", side->runMediansUs.size(), runs, name));
  }

  void sortByChange() {
    std::stable_sort(m_comparison.ops.begin(), m_comparison.ops.end(),
                     [](const ComparedOp& x, const ComparedOp& y) {
                       return std::fabs(x.changeUs()) > std::fabs(y.changeUs());
                     });
  }

  const RunPool& m_poolA;
  const RunPool& m_poolB;
  const Run& m_a;
  const Run& m_b;
  OpTable m_tableA;
  OpTable m_tableB;
  Verdicts m_verdicts;
  Comparison m_comparison;
};

}  // namespace

std::string_view verdictName(Verdict verdict) {
  switch (verdict) {
    case Verdict::Faster:
      return "faster";
    case Verdict::Slower:
      return "slower";
    case Verdict::Same:
      return "same";
    case Verdict::TooNoisy:
      return "too noisy";
    case Verdict::New:
      return "new";
    case Verdict::Gone:
      return "gone";
    case Verdict::NoSamples:
      return "no samples";
  }
  return "";
}

std::string_view reasonName(VerdictReason reason) {
  switch (reason) {
    case VerdictReason::None:
      return "";
    case VerdictReason::Significant:
      return "significant";
    case VerdictReason::IntervalWithin:
      return "interval within minimum effect";
    case VerdictReason::ChangeWithin:
      return "change within minimum effect";
    case VerdictReason::FewRepeats:
      return "few repeats";
    case VerdictReason::IntervalHoldsOne:
      return "interval holds 1";
    case VerdictReason::Uncertain:
      return "test not significant";
    case VerdictReason::ManyTests:
      return "not significant after correction";
    case VerdictReason::NoSpread:
      return "spread of runs unknown";
    case VerdictReason::Drift:
      return "drift";
    case VerdictReason::TooShort:
      return "too short to measure";
    case VerdictReason::NotMeasured:
      return "not measured";
  }
  return "";
}

std::size_t Comparison::count(Verdict verdict) const {
  return static_cast<std::size_t>(std::count_if(
      ops.begin(), ops.end(), [verdict](const ComparedOp& op) { return op.verdict == verdict; }));
}

std::shared_ptr<const Comparison> compareDocuments(const Document& a, const Document& b,
                                                   const CompareOptions& options) {
  return compareGroups(poolRuns({&a, 1}), poolRuns({&b, 1}), options);
}

std::shared_ptr<const Comparison> compareGroups(const RunPool& a, const RunPool& b,
                                                const CompareOptions& options) {
  return Comparer(a, b, options).compare();
}

bool failsAbove(const ComparedOp& op, double percent) {
  const bool counts = op.verdict == Verdict::Slower || op.verdict == Verdict::NoSamples;
  if (!counts || !op.a || !op.b) return false;
  // From nothing to something is more than any per cent.
  return op.ratio ? (*op.ratio - 1) * 100 > percent : op.b->valueUs > op.a->valueUs;
}

std::vector<const ComparedOp*> failuresAbove(const Comparison& comparison, double percent) {
  std::vector<const ComparedOp*> failures;
  if (failsAbove(comparison.total, percent)) failures.push_back(&comparison.total);
  for (const ComparedOp& op : comparison.ops) {
    if (failsAbove(op, percent)) failures.push_back(&op);
  }
  return failures;
}

}  // namespace opscope::report
