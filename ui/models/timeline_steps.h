// SPDX-License-Identifier: GPL-3.0-or-later
// The steps of a scenario in one repeat: a block for each, from the start of its first call to the end of its
// last. Any thread; immutable.
#pragma once

#include <span>
#include <vector>

#include "engine/report/run.h"

namespace opscope::ui {

class TimelineSteps {
 public:
  /// `calls` are the spans of `repeat`, sorted by start. A run of a single step has none here.
  TimelineSteps(const report::Run& run, std::uint32_t repeat, std::span<const report::Span> calls);

  /// Sorted by start, without a call.
  std::span<const report::Span> spans() const { return m_spans; }
  /// Of a span of spans(): the index into Run::steps.
  std::uint32_t stepOf(const report::Span& span) const {
    return m_steps[std::size_t(&span - m_spans.data())];
  }

 private:
  /// Where the run tells how long each step took: one follows the other.
  bool takeTimes(const report::Run& run, std::uint32_t repeat);
  void takeCalls(const report::Run& run, std::uint32_t repeat, std::span<const report::Span> calls);

  std::vector<report::Span> m_spans;
  std::vector<std::uint32_t> m_steps;
};

}  // namespace opscope::ui
