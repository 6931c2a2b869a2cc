// SPDX-License-Identifier: Apache-2.0
#include "engine/report/comparison.h"

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

bool hasSamples(const Run& run) {
  return run.hasStartTimes || run.repeats > 1;
}

/// Which of the values of a side is compared.
enum class Value { Median, Mean };

/// A side and its samples in ascending order, in us.
struct MeasuredSide {
  ComparedSide side;
  std::vector<double> samples;
};

/// `samples` in the order of repeats.
void describe(MeasuredSide& measured, std::vector<double> samples, Value value) {
  ComparedSide& side = measured.side;
  if (const auto trend = trendOf(samples); trend && trend->isDrift()) side.driftPart = trend->change;
  const Statistics statistics = computeStatisticsInPlace(samples);
  side.valueUs = value == Value::Median ? statistics.median : statistics.mean;
  side.samples = statistics.count;
  side.noise = statistics.noise;
  side.outliers = countOutliers(samples);
  side.twoModes = findTwoModes(samples).has_value();
  measured.samples = std::move(samples);
}

class Comparer {
 public:
  Comparer(const Document& a, const Document& b, const CompareOptions& options) : m_a(*a.run), m_b(*b.run) {
    m_comparison.options = options;
    m_comparison.runA = a.run;
    m_comparison.runB = b.run;
    m_comparison.hasSamples = hasSamples(m_a) && hasSamples(m_b);
    const Grouping grouping = options.matching == Matching::ByPosition ? Grouping::EachCall : Grouping::ByOp;
    m_tableA = buildOpTable(a, grouping);
    m_tableB = buildOpTable(b, grouping);
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
    return std::make_shared<const Comparison>(std::move(m_comparison));
  }

 private:
  Value value() const { return m_comparison.hasSamples ? Value::Median : Value::Mean; }

  MeasuredSide totalOf(const Run& run, const OpTable& table) const {
    MeasuredSide measured;
    measured.side.name = "Total";
    measured.side.calls = table.totals.calls;
    if (const DeviceTotal* largest = largestTotal(run)) {
      measured.side.device = largest->device;
      std::vector<double> samples;
      for (const double ns : largest->totalNs) samples.push_back(ns / kNsPerUs);
      describe(measured, std::move(samples), value());
    }
    if (!m_comparison.hasSamples) measured.side.samples = 0;
    return measured;
  }

  MeasuredSide rowOf(const Run& run, const OpTable& table, std::size_t index) const {
    const OpRow& row = table.rows[index];
    MeasuredSide measured;
    measured.side.name = nameOf(run, row);
    measured.side.shapes = shapesOf(run, row);
    measured.side.device = deviceOf(run, row);
    measured.side.calls = row.count;
    describe(measured, samplesOf(run, table.callsOf(row)), value());
    if (!m_comparison.hasSamples) {
      measured.side.valueUs = row.durationUs;
      measured.side.samples = 0;
    }
    measured.side.tooShort = isTooShort(run, measured.side.valueUs * kNsPerUs, row.count);
    return measured;
  }

  void addTotal() {
    MeasuredSide a = totalOf(m_a, m_tableA);
    MeasuredSide b = totalOf(m_b, m_tableB);
    ComparedOp& total = m_comparison.total;
    total.a = a.side;
    total.b = b.side;
    if (m_comparison.hasSamples) {
      m_verdicts.measure(total, a.samples, b.samples, m_comparison.options, false);
    } else {
      m_verdicts.compareValues(total);
    }
  }

  void addOp(const MatchedRows& rows) {
    ComparedOp op;
    MeasuredSide a;
    MeasuredSide b;
    if (rows.a) op.a = (a = rowOf(m_a, m_tableA, *rows.a)).side;
    if (rows.b) op.b = (b = rowOf(m_b, m_tableB, *rows.b)).side;
    if (!rows.a || !rows.b) {
      op.verdict = rows.b ? Verdict::New : Verdict::Gone;
    } else {
      op.note = matchNote(op);
      if (m_comparison.hasSamples) {
        m_verdicts.measure(op, a.samples, b.samples, m_comparison.options, op.a->tooShort && op.b->tooShort);
      } else {
        m_verdicts.compareValues(op);
      }
    }
    m_comparison.ops.push_back(std::move(op));
  }

  void sortByChange() {
    std::stable_sort(m_comparison.ops.begin(), m_comparison.ops.end(),
                     [](const ComparedOp& x, const ComparedOp& y) {
                       return std::fabs(x.changeUs()) > std::fabs(y.changeUs());
                     });
  }

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

std::size_t Comparison::count(Verdict verdict) const {
  return static_cast<std::size_t>(std::count_if(
      ops.begin(), ops.end(), [verdict](const ComparedOp& op) { return op.verdict == verdict; }));
}

std::shared_ptr<const Comparison> compareDocuments(const Document& a, const Document& b,
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
