// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/timeline_steps.h"

#include <algorithm>
#include <cmath>

namespace opscope::ui {

TimelineSteps::TimelineSteps(const report::Run& run, std::uint32_t repeat,
                             std::span<const report::Span> calls) {
  if (run.steps.size() < 2 || repeat >= run.repeats) return;
  if (!run.hasStartTimes || !takeTimes(run, repeat)) takeCalls(run, repeat, calls);
}

bool TimelineSteps::takeTimes(const report::Run& run, std::uint32_t repeat) {
  if (run.stepNs.size() != run.steps.size()) return false;
  double start = 0;
  for (std::uint32_t step = 0; step < run.steps.size(); ++step) {
    const std::vector<double>& times = run.stepNs[step];
    if (repeat >= times.size() || !std::isfinite(times[repeat]) || times[repeat] < 0) {
      m_spans.clear();
      m_steps.clear();
      return false;
    }
    m_spans.push_back({start, times[repeat], report::kNone, repeat});
    m_steps.push_back(step);
    start += times[repeat];
  }
  return true;
}

void TimelineSteps::takeCalls(const report::Run& run, std::uint32_t repeat,
                              std::span<const report::Span> calls) {
  struct Extent {
    double start = 0;
    double end = -1;
  };
  std::vector<Extent> extents(run.steps.size());
  for (const report::Span& span : calls) {
    if (run.calls[span.call].step >= extents.size()) continue;
    Extent& extent = extents[run.calls[span.call].step];
    if (extent.end < 0) extent.start = span.startNs;
    extent.end = std::max(extent.end, span.startNs + span.durationNs);
  }
  for (std::uint32_t step = 0; step < extents.size(); ++step) {
    if (extents[step].end >= 0) m_steps.push_back(step);
  }
  std::ranges::stable_sort(m_steps, {}, [&](std::uint32_t step) { return extents[step].start; });
  for (const std::uint32_t step : m_steps) {
    const Extent& extent = extents[step];
    m_spans.push_back({extent.start, extent.end - extent.start, report::kNone, repeat});
  }
}

}  // namespace opscope::ui
