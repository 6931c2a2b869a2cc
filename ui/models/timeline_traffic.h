// SPDX-License-Identifier: GPL-3.0-or-later
// What went over the wire in one repeat of a run on a board, or before the first one: each request as a span
// on the axis of the repeat's calls. Built away from the GUI thread, then immutable.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/report/run.h"
#include "engine/report/traffic.h"

namespace opscope::ui {

class TimelineTraffic {
 public:
  /// `repeat` kNone: what came before the first repeat. Nothing when `run` has no traffic.
  TimelineTraffic(const report::Run& run, std::uint32_t repeat);
  TimelineTraffic(const TimelineTraffic&) = delete;
  TimelineTraffic& operator=(const TimelineTraffic&) = delete;

  bool isRecorded() const { return m_track.has_value(); }
  const report::TrafficTrack& track() const { return *m_track; }
  /// Sorted by start, without a call. Their times may be below 0: a request goes out before its work begins.
  std::span<const report::Span> spans() const { return m_spans; }
  /// `span` is one of spans().
  const report::TrafficEvent& eventOf(const report::Span& span) const {
    return m_track->events[m_events[std::size_t(&span - m_spans.data())]];
  }
  /// From the first request to the last answer; both 0 without any.
  double beginNs() const { return m_beginNs; }
  double endNs() const { return m_endNs; }
  /// By how much the requests may lie earlier or later beside the calls; nothing when that is not known, and
  /// 0 is the first request then.
  const std::optional<double>& doubtNs() const { return m_doubtNs; }
  std::size_t bytes() const;

 private:
  std::optional<report::TrafficTrack> m_track;
  std::vector<report::Span> m_spans;
  std::vector<std::uint32_t> m_events;  ///< parallel to m_spans: index into the track's events
  std::optional<double> m_doubtNs;
  double m_beginNs = 0;
  double m_endNs = 0;
};

}  // namespace opscope::ui
