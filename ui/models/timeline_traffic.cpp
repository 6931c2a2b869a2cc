// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/timeline_traffic.h"

#include <algorithm>

namespace opscope::ui {

TimelineTraffic::TimelineTraffic(const report::Run& run, std::uint32_t repeat) : m_track(run.traffic) {
  if (!m_track) return;
  double zero = 0;
  if (repeat < m_track->repeats.size()) {
    const report::TrafficRepeat& place = m_track->repeats[repeat];
    zero = place.zeroNs >= 0 ? place.zeroNs : place.startNs;
    if (place.zeroNs >= 0) m_doubtNs = place.doubtNs;
  }
  const auto& events = m_track->events;
  for (std::uint32_t i = 0; i < events.size(); ++i) {
    if (events[i].repeat != repeat) continue;
    m_spans.push_back({events[i].startNs - zero, events[i].durationNs, report::kNone, repeat});
    m_events.push_back(i);
  }
  if (m_spans.empty()) return;
  m_beginNs = m_spans.front().startNs;
  m_endNs = m_beginNs;
  for (const report::Span& span : m_spans) m_endNs = std::max(m_endNs, span.startNs + span.durationNs);
}

std::size_t TimelineTraffic::bytes() const {
  return m_spans.capacity() * sizeof(report::Span) + m_events.capacity() * sizeof(std::uint32_t) +
         (m_track ? m_track->events.capacity() * sizeof(report::TrafficEvent) : 0);
}

}  // namespace opscope::ui
