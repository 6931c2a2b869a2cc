// SPDX-License-Identifier: GPL-3.0-or-later
// What is counted over parts of a repeat: totals of a range, medians, matches of a search.
#include <algorithm>
#include <cmath>

#include "engine/report/statistics.h"
#include "ui/bridge/slow_work.h"
#include "ui/models/op_matcher.h"
#include "ui/models/timeline_data.h"

namespace opscope::ui {
namespace {

/// The row of the calls around those of `row`; null for the outermost.
const TimelineRow* parentRow(const Timeline& timeline, const TimelineRow& row) {
  if (!timeline.hasStartTimes()) return nullptr;
  for (const TimelineRow& other : timeline.rows()) {
    if (other.group == TimelineRow::Group::Vm && other.isFirst && row.key > 0 && other.key == row.key - 1)
      return &other;
  }
  return nullptr;
}

/// Adds up the calls of one row within [start, end] and takes their time from the calls around them.
class RangeCounter {
 public:
  RangeCounter(const Timeline& timeline, double startNs, double endNs)
      : m_timeline(timeline), m_start(startNs), m_end(endNs), m_totals(timeline.ops().ops.size()) {}

  void count(const TimelineRow& row) {
    const TimelineLane& lane = row.lane;
    const TimelineRow* around = parentRow(m_timeline, row);
    std::uint32_t parent = around == nullptr ? 0 : around->lane.firstEndingAfter(m_start);
    for (std::uint32_t i = lane.firstEndingAfter(m_start); i < lane.size() && lane.startNs(i) < m_end; ++i) {
      const double ns = std::min(lane.endNs(i), m_end) - std::max(lane.startNs(i), m_start);
      RangeTotals::Row& total = m_totals[m_timeline.opOf(lane.span(i))];
      total.durationNs += ns;
      ++total.count;
      if (around == nullptr) continue;
      const double middle = (lane.startNs(i) + lane.endNs(i)) / 2;
      while (parent < around->lane.size() && around->lane.endNs(parent) <= middle) ++parent;
      if (parent < around->lane.size() && around->lane.startNs(parent) <= middle) {
        m_totals[m_timeline.opOf(around->lane.span(parent))].durationNs -= ns;
      }
    }
  }

  std::vector<RangeTotals::Row> take() { return std::move(m_totals); }

 private:
  const Timeline& m_timeline;
  double m_start;
  double m_end;
  std::vector<RangeTotals::Row> m_totals;
};

}  // namespace

RangeTotals rangeTotals(const Timeline& timeline, double startNs, double endNs) {
  const SlowWork work("totals of a range");
  RangeTotals result;
  if (endNs <= startNs) return result;
  RangeCounter counter(timeline, startNs, endNs);
  for (const TimelineRow& row : timeline.rows()) {
    if (row.group == TimelineRow::Group::Vm) counter.count(row);
  }
  result.rows = counter.take();
  for (std::uint32_t op = 0; op < result.rows.size(); ++op) result.rows[op].op = op;
  std::erase_if(result.rows, [](const RangeTotals::Row& row) { return row.count == 0; });
  for (RangeTotals::Row& row : result.rows) {
    row.durationNs = std::max(row.durationNs, 0.0);
    result.calls += row.count;
    const auto calls = timeline.ops().callsOf(row.op);
    if (calls.empty() || !timeline.run().calls[calls.front()].inReport) continue;
    result.reportCalls += row.count;
    result.opsNs += row.durationNs;
  }
  result.opsNs = std::min(result.opsNs, endNs - startNs);
  result.betweenNs = endNs - startNs - result.opsNs;
  std::stable_sort(
      result.rows.begin(), result.rows.end(),
      [](const RangeTotals::Row& a, const RangeTotals::Row& b) { return a.durationNs > b.durationNs; });
  return result;
}

double medianNsOf(const Timeline& timeline, std::uint32_t op) {
  constexpr std::size_t kMost = 65536;
  const report::Run& run = timeline.run();
  const auto calls = timeline.ops().callsOf(op);
  std::size_t count = 0;
  for (const std::uint32_t call : calls) count += run.calls[call].sampleCount;
  const std::size_t step = std::max<std::size_t>(1, count / kMost);
  std::vector<double> durations;
  std::size_t place = 0;
  for (const std::uint32_t index : calls) {
    const report::Call& call = run.calls[index];
    for (std::uint32_t i = 0; i < call.sampleCount; ++i, ++place) {
      const double ns = run.inclusiveNs[call.firstSample + i];
      if (place % step == 0 && std::isfinite(ns)) durations.push_back(ns);
    }
  }
  return durations.empty() ? 0 : report::medianInPlace(durations);
}

std::vector<std::uint8_t> matchingOps(const Timeline& timeline, const OpFilter& filter) {
  const report::Run& run = timeline.run();
  const OpMatcher matcher(run, filter);
  if (matcher.passesAll()) return {};
  const TimelineOps& ops = timeline.ops();
  std::vector<std::uint8_t> result;
  result.reserve(ops.ops.size());
  for (std::uint32_t op = 0; op < ops.ops.size(); ++op) {
    const auto passes = [&](std::uint32_t call) { return matcher.passes(run.calls[call]); };
    const auto calls = ops.callsOf(op);
    // Only by depth and step one call of an op may pass where another does not.
    const auto end = matcher.looksAtCalls() || calls.empty() ? calls.end() : calls.begin() + 1;
    result.push_back(std::any_of(calls.begin(), end, passes));
  }
  return result;
}

std::vector<std::uint32_t> hitsOf(const Timeline& timeline, const std::vector<std::uint8_t>& matches) {
  std::vector<std::uint32_t> hits;
  if (matches.empty()) return hits;
  const auto spans = timeline.spans();
  for (std::uint32_t span = 0; span < spans.size(); ++span) {
    if (matches[timeline.opOf(spans[span])] != 0) hits.push_back(span);
  }
  return hits;
}

}  // namespace opscope::ui
