// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/timeline_data.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>

#include "ui/bridge/slow_work.h"
#include "ui/models/op_hash.h"

namespace opscope::ui {
namespace {

/// Clocks that tick coarser than a nanosecond let neighbours overlap by less than that.
constexpr double kToleranceNs = 1;

}  // namespace

void OpNumbers::assign(std::vector<std::uint32_t> numbers, std::size_t count) {
  if (count > 65536) {
    m_wide = std::move(numbers);
  } else {
    m_narrow.assign(numbers.begin(), numbers.end());
  }
}

std::uint32_t TimelineOps::find(const OpId& op) const {
  const auto found = std::find(ops.begin(), ops.end(), op);
  return found == ops.end() ? report::kNone : std::uint32_t(found - ops.begin());
}

std::shared_ptr<const TimelineOps> buildTimelineOps(const report::Run& run,
                                                    const std::vector<std::uint8_t>& opFillOfName) {
  const SlowWork work("ops of the Timeline");
  auto result = std::make_shared<TimelineOps>();
  std::unordered_map<OpId, std::uint32_t, OpHash> known;
  std::vector<std::uint32_t> opOfCall;
  opOfCall.reserve(run.calls.size());
  for (const report::Call& call : run.calls) {
    const auto [place, isNew] = known.try_emplace(ui::opOf(call), std::uint32_t(result->ops.size()));
    opOfCall.push_back(place->second);
    if (!isNew) continue;
    result->ops.push_back(place->first);
    const auto device = std::uint8_t(call.device == report::kNone ? 0 : std::min(call.device, 5u));
    result->slotsOfOp.push_back(
        {std::uint8_t(report::kindOf(run.names[call.name])), device,
         call.name < opFillOfName.size() ? opFillOfName[call.name] : std::uint8_t(0)});
  }
  result->firstCall.assign(result->ops.size() + 1, 0);
  for (const std::uint32_t op : opOfCall) ++result->firstCall[op + 1];
  for (std::size_t i = 1; i < result->firstCall.size(); ++i) result->firstCall[i] += result->firstCall[i - 1];
  std::vector<std::uint32_t> next(result->firstCall.begin(), result->firstCall.end() - 1);
  result->calls.resize(run.calls.size());
  for (std::uint32_t call = 0; call < run.calls.size(); ++call) {
    result->calls[next[opOfCall[call]]++] = call;
  }
  result->opOfCall.assign(std::move(opOfCall), result->ops.size());
  return result;
}

Timeline::Timeline(std::shared_ptr<const RunView> view, std::shared_ptr<const TimelineOps> ops,
                   std::uint32_t repeat)
    : m_view(std::move(view)),
      m_ops(std::move(ops)),
      m_repeat(repeat),
      m_repeatSpans(m_view->run(), repeat),
      m_pool(m_view->run(), repeat),
      m_traffic(m_view->run(), repeat),
      m_steps(m_view->run(), repeat, m_repeatSpans.spans()) {
  const SlowWork work("the Timeline");
  m_spans = m_repeatSpans.spans();
  for (const report::DeviceTotal& total : run().totals) {
    if (repeat < total.totalNs.size() && std::isfinite(total.totalNs[repeat])) {
      m_totalNs = std::max(m_totalNs, total.totalNs[repeat]);
    }
  }
  for (const report::Span& span : m_spans) m_totalNs = std::max(m_totalNs, span.startNs + span.durationNs);
  for (const report::Span& task : m_pool.spans()) {
    m_totalNs = std::max(m_totalNs, task.startNs + task.durationNs);
  }
  if (isBeforeRepeats()) m_totalNs = std::max(m_totalNs, m_traffic.endNs());
  if (run().memory) {
    m_storage = StepCurve(pointsOf(run().memory->storage, repeat));
    m_tensors = StepCurve(pointsOf(run().memory->tensors, repeat));
  }
  fillSpansOfCalls();
  fillRows();
  fillCoverage();
}

void Timeline::fillSpansOfCalls() {
  bool same = m_spans.size() == run().calls.size();
  for (std::uint32_t i = 0; same && i < m_spans.size(); ++i) same = m_spans[i].call == i;
  if (same) return;
  m_spanOfCall.assign(run().calls.size(), report::kNone);
  for (std::uint32_t i = 0; i < m_spans.size(); ++i) {
    m_spanOfCall[m_spans[i].call] = i;
    m_inOrder = m_inOrder && (i == 0 || m_spans[i - 1].call < m_spans[i].call);
  }
}

void Timeline::fillRows() {
  using Group = TimelineRow::Group;
  std::map<std::pair<Group, std::uint32_t>, std::vector<std::unique_ptr<TimelineRow>>> rows;
  const auto append = [&](Group group, std::uint32_t key, std::span<const report::Span> spans,
                          std::uint32_t span) {
    auto& own = rows[{group, key}];
    const double start = spans[span].startNs;
    auto place = std::find_if(own.begin(), own.end(), [&](const auto& row) {
      return row->lane.lastEndNs(spans) <= start + kToleranceNs;
    });
    if (place == own.end()) {
      own.push_back(std::make_unique<TimelineRow>());
      own.back()->group = group;
      own.back()->key = key;
      own.back()->isFirst = own.size() == 1;
      place = own.end() - 1;
    }
    (*place)->lane.append(span);
    (*place)->sumNs += spans[span].durationNs;
  };
  for (std::uint32_t i = 0; i < m_spans.size(); ++i) {
    const report::Call& call = callOf(m_spans[i]);
    append(Group::Vm, hasStartTimes() ? call.depth : 0, m_spans, i);
    if (call.kernel) append(Group::Kernels, call.device, m_spans, i);
  }
  const auto tasks = m_pool.spans();
  for (std::uint32_t i = 0; i < tasks.size(); ++i) append(Group::Pool, m_pool.taskOf(i).lane, tasks, i);
  const auto requests = m_traffic.spans();
  for (std::uint32_t i = 0; i < requests.size(); ++i) append(Group::Rpc, 0, requests, i);
  const auto steps = m_steps.spans();
  for (std::uint32_t i = 0; i < steps.size(); ++i) append(Group::Steps, 0, steps, i);
  for (auto& [key, own] : rows) {
    for (auto& row : own) {
      row->lane.build(key.first == Group::Pool    ? tasks
                      : key.first == Group::Rpc   ? requests
                      : key.first == Group::Steps ? steps
                                                  : m_spans);
      m_rows.push_back(std::move(*row));
    }
  }
}

void Timeline::fillCoverage() {
  for (auto& bins : m_coverage) bins.assign(kBins, {});
  for (std::uint32_t i = 0; i < m_spans.size(); ++i) {
    // What calls others covers nothing by itself: its callees say where the time went.
    if (!hasCallees(i)) cover(m_spans[i]);
  }
}

bool Timeline::hasCallees(std::uint32_t span) const {
  if (!hasStartTimes() || span + 1 >= m_spans.size()) return false;
  return callOf(m_spans[span + 1]).depth > callOf(m_spans[span]).depth;
}

void Timeline::cover(const report::Span& span) {
  const double scale = double(kBins) / m_totalNs;
  const double from = span.startNs * scale, to = (span.startNs + span.durationNs) * scale;
  const auto& slots = m_ops->slotsOfOp[opOf(span)];
  auto bin = std::size_t(std::clamp(from, 0.0, double(kBins - 1)));
  for (; bin < kBins && double(bin) < to; ++bin) {
    const double part = std::min(to, double(bin + 1)) - std::max(from, double(bin));
    for (std::size_t mode = 0; mode < kTimelineColours; ++mode) {
      m_coverage[mode][bin][slots[mode]] += float(std::max(part, 0.0));
    }
  }
}

std::uint32_t Timeline::spanOfCall(std::uint32_t call) const {
  if (m_spanOfCall.empty()) return call < m_spans.size() ? call : report::kNone;
  return call < m_spanOfCall.size() ? m_spanOfCall[call] : report::kNone;
}

std::uint32_t Timeline::stepWithin(std::span<const std::uint32_t> calls, std::int64_t span, int by) const {
  std::uint32_t best = report::kNone;
  const auto better = [&](std::uint32_t found) {
    if (found == report::kNone || (by > 0 ? std::int64_t(found) <= span : std::int64_t(found) >= span))
      return false;
    return best == report::kNone || (by > 0 ? found < best : found > best);
  };
  if (!m_inOrder) {
    for (const std::uint32_t call : calls) {
      if (better(spanOfCall(call))) best = spanOfCall(call);
    }
    return best;
  }
  // Calls that this repeat did not make stand between those that it made.
  auto at = std::size_t(by > 0 ? 0 : calls.size());
  if (span >= 0 && span < std::int64_t(m_spans.size())) {
    const auto place = std::lower_bound(calls.begin(), calls.end(), m_spans[std::size_t(span)].call);
    at = std::size_t(place - calls.begin());
  } else if (span >= 0 && by > 0) {
    return report::kNone;
  }
  while (by > 0 ? at < calls.size() : at > 0) {
    const std::uint32_t found = spanOfCall(calls[by > 0 ? at : at - 1]);
    if (better(found)) return found;
    at += by > 0 ? 1 : -1;
  }
  return report::kNone;
}

std::uint32_t Timeline::blockOf(std::uint32_t row, std::uint32_t span) const {
  const TimelineLane& lane = m_rows[row].lane;
  std::uint32_t low = 0, high = std::uint32_t(lane.size());
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (lane.spanIndex(middle) < span) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < lane.size() && lane.spanIndex(low) == span ? low : report::kNone;
}

std::uint32_t Timeline::homeRow(std::uint32_t span) const {
  if (span >= m_spans.size()) return report::kNone;
  const auto wanted = callOf(m_spans[span]).kernel ? TimelineRow::Group::Kernels : TimelineRow::Group::Vm;
  for (std::uint32_t row = 0; row < m_rows.size(); ++row) {
    if (m_rows[row].group == wanted && blockOf(row, span) != report::kNone) return row;
  }
  return report::kNone;
}

std::size_t Timeline::bytes() const {
  std::size_t sum = m_repeatSpans.bytes() + m_spanOfCall.capacity() * sizeof(std::uint32_t) + m_pool.bytes() +
                    m_traffic.bytes() + m_storage.bytes() + m_tensors.bytes();
  for (const TimelineRow& row : m_rows) sum += row.lane.bytes();
  for (const auto& bins : m_coverage) sum += bins.capacity() * sizeof(bins[0]);
  return sum;
}

}  // namespace opscope::ui
