// SPDX-License-Identifier: Apache-2.0
#include "engine/report/op_table.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "engine/report/interner.h"
#include "engine/report/op_extras.h"
#include "engine/report/run_report.h"

namespace opscope::report {

namespace {

constexpr double kNsPerUs = 1e3;

/// One call of the report: where it stands in the run and in the report.
struct ReportCall {
  std::uint32_t call = 0;
  const MetricMap* row = nullptr;  ///< null without a report, and where it says what the run says
};

std::vector<ReportCall> reportCallsOf(const Document& document) {
  const Run& run = *document.run;
  std::vector<ReportCall> calls;
  if (document.report != nullptr && !document.report.isPlain()) {
    const std::size_t count = std::min(document.reportCalls.size(), document.report->calls.size());
    calls.reserve(count);
    for (std::size_t index = 0; index < count; ++index) {
      calls.push_back({document.reportCalls[index], &document.report->calls[index]});
    }
    return calls;
  }
  for (std::size_t index = 0; index < run.calls.size(); ++index) {
    if (run.calls[index].inReport) calls.push_back({static_cast<std::uint32_t>(index), nullptr});
  }
  return calls;
}

struct OpKey {
  std::uint32_t name = 0;
  std::uint32_t hash = kNone;
  std::uint32_t shapes = kNone;
  std::uint32_t device = kNone;
  bool operator==(const OpKey&) const = default;
};

struct OpKeyHash {
  std::size_t operator()(const OpKey& key) const {
    std::uint64_t mixed = (std::uint64_t{key.name} << 32) | key.shapes;
    mixed = (mixed ^ (mixed >> 31)) * 0x9E3779B97F4A7C15u;
    mixed ^= (std::uint64_t{key.hash} << 32) | key.device;
    return static_cast<std::size_t>((mixed ^ (mixed >> 29)) * 0xBF58476D1CE4E5B9u);
  }
};

/// Which row each call belongs to.
struct Assignment {
  std::vector<std::uint32_t> rowOfCall;
  std::size_t rowCount = 0;
};

Assignment assignByOp(const Run& run, const std::vector<ReportCall>& calls) {
  std::vector<std::string> hashes;
  Interner hashIds(hashes);
  std::unordered_map<OpKey, std::uint32_t, OpKeyHash> rowOfKey;
  Assignment assignment;
  assignment.rowOfCall.reserve(calls.size());
  for (const ReportCall& reportCall : calls) {
    const Call& call = run.calls[reportCall.call];
    OpKey key{call.name, kNone, call.shapes, call.device};
    const Metric* hash = reportCall.row != nullptr ? reportCall.row->find("Hash") : nullptr;
    if (const std::string* text = hash != nullptr ? std::get_if<std::string>(hash) : nullptr) {
      key.name = 0;
      key.hash = hashIds.idOf(*text);
    }
    const auto [place, isNew] = rowOfKey.try_emplace(key, static_cast<std::uint32_t>(rowOfKey.size()));
    assignment.rowOfCall.push_back(place->second);
  }
  assignment.rowCount = rowOfKey.size();
  return assignment;
}

/// What the calls of a coarse row share.
std::uint32_t sharedOf(const Call& call, Grouping grouping, const std::vector<OpKind>& kinds) {
  switch (grouping) {
    case Grouping::ByName:
      return call.name;
    case Grouping::ByKind:
      return static_cast<std::uint32_t>(kinds[call.name]);
    case Grouping::ByDevice:
      return call.device;
    case Grouping::ByShapes:
      return call.shapes;
    case Grouping::ByStep:
      return call.step;
    default:
      return call.depth;
  }
}

Assignment assignCoarse(const Run& run, const std::vector<ReportCall>& calls, Grouping grouping,
                        const std::vector<OpKind>& kinds) {
  std::unordered_map<std::uint32_t, std::uint32_t> rowOfKey;
  Assignment assignment;
  assignment.rowOfCall.reserve(calls.size());
  for (const ReportCall& reportCall : calls) {
    const std::uint32_t key = sharedOf(run.calls[reportCall.call], grouping, kinds);
    const auto [place, isNew] = rowOfKey.try_emplace(key, static_cast<std::uint32_t>(rowOfKey.size()));
    assignment.rowOfCall.push_back(place->second);
  }
  assignment.rowCount = rowOfKey.size();
  return assignment;
}

Assignment assignEachCall(std::size_t callCount) {
  Assignment assignment;
  assignment.rowOfCall.resize(callCount);
  for (std::size_t index = 0; index < callCount; ++index) {
    assignment.rowOfCall[index] = static_cast<std::uint32_t>(index);
  }
  assignment.rowCount = callCount;
  return assignment;
}

double meanOwnUs(const Run& run, const Call& call) {
  if (run.repeats == 0) return 0;
  double sumNs = 0;
  for (std::uint64_t sample = call.firstSample; sample < call.firstSample + call.sampleCount; ++sample) {
    if (run.sampleRepeat[sample] < run.repeats) sumNs += run.ownNs[sample];
  }
  return sumNs / kNsPerUs / run.repeats;
}

/// Calls in one repeat that the report's row stands for: more than one when it was written aggregated.
std::int64_t countOf(const MetricMap* row) {
  const Metric* metric = row != nullptr ? row->find(kCount) : nullptr;
  const Count* count = metric != nullptr ? std::get_if<Count>(metric) : nullptr;
  constexpr std::int64_t kMax = std::int64_t{1} << 40;  // a sum over the rows stays within 64 bits
  return count != nullptr ? std::clamp<std::int64_t>(count->value, 0, kMax) : 1;
}

std::optional<double> percentOf(const MetricMap* row, double durationUs, double totalUs) {
  if (row == nullptr) {
    return totalUs > 0 ? std::optional(std::min(durationUs / totalUs, 1.0) * 100) : std::nullopt;
  }
  const Metric* metric = row->find(kPercent);
  const Percent* percent = metric != nullptr ? std::get_if<Percent>(metric) : nullptr;
  if (percent == nullptr || !std::isfinite(percent->percent)) return std::nullopt;
  return percent->percent;
}

std::optional<double> clampedPercent(double part, double whole) {
  return whole > 0 ? std::optional(std::clamp(part / whole * 100, 0.0, 100.0)) : std::nullopt;
}

/// Into `samples`, whose memory is used again.
void samplesOf(const Run& run, std::span<const std::uint32_t> calls, std::vector<double>& samples) {
  samples.clear();
  if (calls.size() == 1) {
    const Call& call = run.calls[calls.front()];
    samples.reserve(call.sampleCount);
    for (std::uint64_t index = call.firstSample; index < call.firstSample + call.sampleCount; ++index) {
      if (run.sampleRepeat[index] < run.repeats) samples.push_back(run.ownNs[index] / kNsPerUs);
    }
    return;
  }
  std::vector<double> sums(run.repeats, 0.0);
  std::vector<bool> made(run.repeats, false);
  for (const std::uint32_t call : calls) {
    const std::uint64_t first = run.calls[call].firstSample;
    for (std::uint64_t index = first; index < first + run.calls[call].sampleCount; ++index) {
      const std::uint32_t repeat = run.sampleRepeat[index];
      if (repeat >= run.repeats) continue;
      sums[repeat] += run.ownNs[index];
      made[repeat] = true;
    }
  }
  for (std::uint32_t repeat = 0; repeat < run.repeats; ++repeat) {
    if (made[repeat]) samples.push_back(sums[repeat] / kNsPerUs);
  }
}

class Builder {
 public:
  Builder(const Document& document, Grouping grouping, const std::function<bool(const Call&)>* takes)
      : m_document(document), m_run(*document.run), m_calls(reportCallsOf(document)) {
    m_table.grouping = grouping;
    for (const std::string& name : m_run.names) m_kinds.push_back(kindOf(name));
    if (takes != nullptr) {
      sumAll();
      std::erase_if(m_calls, [&](const ReportCall& one) { return !(*takes)(m_run.calls[one.call]); });
    }
    m_assignment = isCoarse(grouping)           ? assignCoarse(m_run, m_calls, grouping, m_kinds)
                   : grouping == Grouping::ByOp ? assignByOp(m_run, m_calls)
                                                : assignEachCall(m_calls.size());
  }

  OpTable build() {
    if (const DeviceTotal* largest = largestTotal(m_run)) fillTotal(*largest);
    fillRows();
    if (m_table.grouping != Grouping::EachCall) sortRows();
    placeCalls();
    fillStatistics();
    fillExtras();
    fillSums();
    return std::move(m_table);
  }

 private:
  void fillTotal(const DeviceTotal& largest) {
    OpTotals& totals = m_table.totals;
    std::vector<double> totalUs;
    for (const double ns : largest.totalNs) totalUs.push_back(ns / kNsPerUs);
    totals.totalUs = meanTotalNs(largest) / kNsPerUs;
    totals.total = computeStatisticsInPlace(totalUs);
    totals.medianTotalUs = totals.total.median;
  }

  void fillRows() {
    m_table.rows.resize(m_assignment.rowCount);
    const bool coarse = isCoarse(m_table.grouping);
    for (std::size_t index = 0; index < m_calls.size(); ++index) {
      const ReportCall& reportCall = m_calls[index];
      const Call& call = m_run.calls[reportCall.call];
      OpRow& row = m_table.rows[m_assignment.rowOfCall[index]];
      const double durationUs = meanOwnUs(m_run, call);
      const std::optional<double> percent = percentOf(reportCall.row, durationUs, m_table.totals.totalUs);
      if (row.callCount++ == 0) {
        row.name = call.name;
        row.shapes = call.shapes;
        row.device = call.device;
        row.kind = m_kinds[call.name];
        row.depth = call.depth;
        row.step = call.step;
        row.kernel = call.kernel;
      } else {
        if (row.depth != call.depth) row.depth = kNone;
        if (row.step != call.step) row.step = kNone;
        if (coarse) blend(row, call);
      }
      row.durationUs += durationUs;
      row.count += countOf(reportCall.row);
      if (percent) row.percent = row.percent.value_or(0) + *percent;
    }
    for (OpRow& row : m_table.rows) {
      if (row.percent) row.percent = std::clamp(*row.percent, 0.0, 100.0);
    }
  }

  /// What the calls of a coarse row do not share is told of none of them.
  void blend(OpRow& row, const Call& call) const {
    if (row.name != call.name) row.name = kNone;
    if (row.shapes != call.shapes) row.shapes = kNone;
    if (row.device != call.device) row.device = kNone;
    if (row.kind != m_kinds[call.name]) row.kind = OpKind::Other;
    row.kernel = row.kernel && call.kernel;
  }

  /// Before calls are left out.
  void sumAll() {
    m_allSummed = true;
    for (const ReportCall& reportCall : m_calls) {
      m_table.totals.opsUs += meanOwnUs(m_run, m_run.calls[reportCall.call]);
      m_table.totals.calls += countOf(reportCall.row);
    }
  }

  /// Longest first, steps in their order; equal rows stay in order of first appearance.
  void sortRows() {
    std::vector<std::uint32_t> order = assignEachCall(m_table.rows.size()).rowOfCall;
    const bool bySteps = m_table.grouping == Grouping::ByStep;
    std::stable_sort(order.begin(), order.end(), [this, bySteps](std::uint32_t a, std::uint32_t b) {
      const OpRow &one = m_table.rows[a], &other = m_table.rows[b];
      return bySteps ? one.step < other.step : one.durationUs > other.durationUs;
    });
    std::vector<OpRow> sorted;
    sorted.reserve(order.size());
    std::vector<std::uint32_t> newPlace(order.size());
    for (const std::uint32_t old : order) {
      newPlace[old] = static_cast<std::uint32_t>(sorted.size());
      sorted.push_back(m_table.rows[old]);
    }
    m_table.rows = std::move(sorted);
    for (std::uint32_t& row : m_assignment.rowOfCall) row = newPlace[row];
  }

  void placeCalls() {
    std::vector<std::uint64_t> next;
    next.reserve(m_table.rows.size());
    std::uint64_t first = 0;
    for (OpRow& row : m_table.rows) {
      row.firstCall = first;
      next.push_back(first);
      first += row.callCount;
    }
    m_table.calls.resize(m_calls.size());
    m_reportRows.resize(m_calls.size());
    for (std::size_t index = 0; index < m_calls.size(); ++index) {
      const std::uint64_t place = next[m_assignment.rowOfCall[index]]++;
      m_table.calls[place] = m_calls[index].call;
      m_reportRows[place] = m_calls[index].row;
    }
  }

  void fillStatistics() {
    if (m_run.repeats < 2) return;
    m_table.statistics.reserve(m_table.rows.size());
    std::vector<double> samples;
    for (const OpRow& row : m_table.rows) {
      samplesOf(m_run, m_table.callsOf(row), samples);
      m_table.statistics.push_back(computeStatisticsInPlace(samples));
    }
  }

  void fillExtras() {
    if (m_document.report == nullptr || m_document.report.isPlain()) return;
    std::vector<std::span<const MetricMap* const>> rows;
    rows.reserve(m_table.rows.size());
    for (const OpRow& row : m_table.rows)
      rows.emplace_back(m_reportRows.data() + row.firstCall, row.callCount);
    m_table.extras = extraColumns(rows);
  }

  void fillSums() {
    OpTotals& totals = m_table.totals;
    totals.repeats = m_run.repeats;
    for (const OpRow& row : m_table.rows) {
      if (m_allSummed) break;
      totals.opsUs += row.durationUs;
      totals.calls += row.count;
    }
    totals.betweenUs = std::max(0.0, totals.totalUs - totals.opsUs);
    totals.opsPercent = clampedPercent(totals.opsUs, totals.totalUs);
    totals.betweenPercent = clampedPercent(totals.betweenUs, totals.totalUs);
  }

  const Document& m_document;
  const Run& m_run;
  std::vector<ReportCall> m_calls;
  std::vector<OpKind> m_kinds;  ///< of Run::names
  bool m_allSummed = false;
  Assignment m_assignment;
  std::vector<const MetricMap*> m_reportRows;  ///< parallel to OpTable::calls
  OpTable m_table;
};

std::string_view textAt(const std::vector<std::string>& texts, std::uint32_t index) {
  return index < texts.size() ? std::string_view(texts[index]) : std::string_view();
}

}  // namespace

OpTable buildOpTable(const Document& document, Grouping grouping) {
  return Builder(document, grouping, nullptr).build();
}

OpTable buildOpTable(const Document& document, Grouping grouping,
                     const std::function<bool(const Call&)>& takes) {
  return Builder(document, grouping, &takes).build();
}

std::vector<double> samplesOf(const Run& run, std::span<const std::uint32_t> calls) {
  std::vector<double> samples;
  samplesOf(run, calls, samples);
  return samples;
}

std::span<const double> ownSamples(const Run& run, const Call& call) {
  return {run.ownNs.data() + call.firstSample, call.sampleCount};
}

std::string_view nameOf(const Run& run, const OpRow& row) {
  return textAt(run.names, row.name);
}
std::string_view shapesOf(const Run& run, const OpRow& row) {
  return textAt(run.shapes, row.shapes);
}
std::string_view deviceOf(const Run& run, const OpRow& row) {
  return textAt(run.devices, row.device);
}
std::string_view stepOf(const Run& run, const OpRow& row) {
  return textAt(run.steps, row.step);
}

}  // namespace opscope::report
