// SPDX-License-Identifier: GPL-3.0-or-later
// One repeat of a run, ready to be drawn: lanes, coverage of the whole, and where each call stands. Built
// away from the GUI thread, then immutable and shared.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "ui/models/repeat_spans.h"
#include "ui/models/run_view.h"
#include "ui/models/step_curve.h"
#include "ui/models/timeline_lane.h"
#include "ui/models/timeline_pool.h"
#include "ui/models/timeline_scale.h"
#include "ui/models/timeline_steps.h"
#include "ui/models/timeline_traffic.h"

namespace opscope::ui {

using TimelineColour = ColourBy;
inline constexpr std::size_t kTimelineColours = kColourModes;
/// Colours that one mode can have: kinds, or fills.
inline constexpr std::size_t kColourSlots = 11;

/// Small numbers, one a call, in two bytes each where they fit: a run may have ten million calls.
class OpNumbers {
 public:
  void assign(std::vector<std::uint32_t> numbers, std::size_t count);
  std::uint32_t operator[](std::size_t call) const { return m_wide.empty() ? m_narrow[call] : m_wide[call]; }

 private:
  std::vector<std::uint16_t> m_narrow;
  std::vector<std::uint32_t> m_wide;
};

/// The ops of a run: calls with the same name, shapes and device. Made once a run.
struct TimelineOps {
  std::vector<OpId> ops;
  std::vector<std::array<std::uint8_t, kTimelineColours>> slotsOfOp;  ///< colour of each op in each mode
  OpNumbers opOfCall;
  std::vector<std::uint32_t> firstCall;  ///< of each op in `calls`, and one more for the end
  std::vector<std::uint32_t> calls;      ///< indices into Run::calls, op by op, in order

  std::span<const std::uint32_t> callsOf(std::uint32_t op) const {
    return {calls.data() + firstCall[op], firstCall[op + 1] - firstCall[op]};
  }
  /// kNone when there is none.
  std::uint32_t find(const OpId& op) const;
};

/// `opFillOfName[i]` is the colour of Run::names[i] when coloured by op, below kColourSlots.
std::shared_ptr<const TimelineOps> buildTimelineOps(const report::Run& run,
                                                    const std::vector<std::uint8_t>& opFillOfName);

struct TimelineRow {
  enum class Group { Vm, Kernels, Pool, Rpc, Memory, Steps };
  Group group = Group::Vm;
  std::uint32_t key = 0;  ///< depth, index of the device (kNone: unknown), lane of the pool; 0 for others
  bool isFirst = true;    ///< false: more room for calls of `key` that overlap
  double sumNs = 0;
  TimelineLane lane;
};

class Timeline {
 public:
  static constexpr std::size_t kBins = 4096;

  /// `repeat` < Run::repeats, or kNone: what went over the wire before the first one, without any calls.
  Timeline(std::shared_ptr<const RunView> view, std::shared_ptr<const TimelineOps> ops, std::uint32_t repeat);
  Timeline(const Timeline&) = delete;
  Timeline& operator=(const Timeline&) = delete;

  const report::Run& run() const { return m_view->run(); }
  const std::shared_ptr<const RunView>& view() const { return m_view; }
  const TimelineOps& ops() const { return *m_ops; }
  const std::shared_ptr<const TimelineOps>& sharedOps() const { return m_ops; }
  std::uint32_t repeat() const { return m_repeat; }
  bool isBeforeRepeats() const { return m_repeat == report::kNone; }
  /// Length of the repeat, above 0.
  double totalNs() const { return m_totalNs; }
  /// From 0 to totalNs(), and what else of its traffic lies around that.
  TimeBounds bounds() const {
    return {std::min(0.0, m_traffic.beginNs()), std::max(m_totalNs, m_traffic.endNs())};
  }
  /// False: the report holds durations only and blocks were set one after the other.
  bool hasStartTimes() const { return run().hasStartTimes; }
  /// Sorted by start; a parent before its children.
  std::span<const report::Span> spans() const { return m_spans; }
  const report::Call& callOf(const report::Span& span) const { return run().calls[span.call]; }
  /// kNone for a span without a call.
  std::uint32_t opOf(const report::Span& span) const {
    return span.call == report::kNone ? report::kNone : m_ops->opOfCall[span.call];
  }
  /// Other calls were made within it.
  bool hasCallees(std::uint32_t span) const;
  /// kNone when the repeat did not make the call.
  std::uint32_t spanOfCall(std::uint32_t call) const;
  /// VM rows by depth, kernels by device, threads of the pool that did something, requests to a board, steps
  /// of a scenario. Blocks of the last three are spans of pool(), traffic() and steps(), those of the others
  /// are spans().
  const std::vector<TimelineRow>& rows() const { return m_rows; }
  const TimelinePool& pool() const { return m_pool; }
  const TimelineTraffic& traffic() const { return m_traffic; }
  const TimelineSteps& steps() const { return m_steps; }
  /// Live bytes of storages, and of the tensors in them; empty when memory was not recorded.
  const StepCurve& storageCurve() const { return m_storage; }
  const StepCurve& tensorCurve() const { return m_tensors; }
  /// The span of a call that comes first among `calls` (indices in rising order) after `span`, or last before
  /// it; kNone when there is none.
  std::uint32_t stepWithin(std::span<const std::uint32_t> calls, std::int64_t span, int by) const;
  /// The row where a call is looked for: kernels in their device's row, others in the VM's. kNone without.
  std::uint32_t homeRow(std::uint32_t span) const;
  /// The position of `span` in a row; kNone when it is not there.
  std::uint32_t blockOf(std::uint32_t row, std::uint32_t span) const;
  /// Part of each of kBins equal slices of the repeat that is spent in calls of each colour, 0 to 1.
  std::span<const std::array<float, kColourSlots>> coverage(TimelineColour colour) const {
    return m_coverage[std::size_t(colour)];
  }
  std::size_t bytes() const;

 private:
  void fillRows();
  void fillSpansOfCalls();
  void fillCoverage();
  void cover(const report::Span& span);

  std::shared_ptr<const RunView> m_view;
  std::shared_ptr<const TimelineOps> m_ops;
  std::uint32_t m_repeat;
  double m_totalNs = 1;
  RepeatSpans m_repeatSpans;
  std::span<const report::Span> m_spans;
  std::vector<std::uint32_t> m_spanOfCall;  ///< empty: call i is span i
  bool m_inOrder = true;                    ///< a later call starts later
  TimelinePool m_pool;
  TimelineTraffic m_traffic;
  TimelineSteps m_steps;
  StepCurve m_storage;
  StepCurve m_tensors;
  std::vector<TimelineRow> m_rows;
  std::array<std::vector<std::array<float, kColourSlots>>, kTimelineColours> m_coverage;
};

/// What a part of a repeat was spent on.
struct RangeTotals {
  struct Row {
    std::uint32_t op = 0;   ///< index into TimelineOps::ops
    double durationNs = 0;  ///< own time within the range
    std::int64_t count = 0;
  };
  std::vector<Row> rows;  ///< longest first
  std::int64_t calls = 0;
  std::int64_t reportCalls = 0;  ///< of those that the report has, as Ops counts them: they take tensors
  double opsNs = 0;              ///< of these
  double betweenNs = 0;          ///< the rest of the range
};

/// Calls that reach into the range count; of their own time only what lies within.
RangeTotals rangeTotals(const Timeline& timeline, double startNs, double endNs);

/// Median of the durations of an op's calls in all repeats (of about 65 536 of them, evenly taken, when
/// more); 0 when none was measured.
double medianNsOf(const Timeline& timeline, std::uint32_t op);

/// One value an op: 1 when it fits the filter (name, shapes or device, as on Ops). Empty: no filter, or a
/// wrong regular expression.
std::vector<std::uint8_t> matchingOps(const Timeline& timeline, const OpFilter& filter);

/// The spans whose op has a value other than 0 in `matches`, in rising order.
std::vector<std::uint32_t> hitsOf(const Timeline& timeline, const std::vector<std::uint8_t>& matches);

}  // namespace opscope::ui
