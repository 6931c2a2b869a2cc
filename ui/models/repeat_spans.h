// SPDX-License-Identifier: GPL-3.0-or-later
// The calls of one repeat on the time axis: those of the run where they are usable as they are, put in order
// where not, and placed one after the other where a report holds durations only. Any thread; immutable. The
// run outlives it.
#pragma once

#include <span>
#include <vector>

#include "engine/report/run.h"

namespace opscope::ui {

class RepeatSpans {
 public:
  /// `repeat` < Run::repeats.
  RepeatSpans(const report::Run& run, std::uint32_t repeat);
  RepeatSpans(const RepeatSpans&) = delete;
  RepeatSpans& operator=(const RepeatSpans&) = delete;

  /// Sorted by start; a parent before its children. All are finite and at least 0.
  std::span<const report::Span> spans() const { return m_spans; }
  std::size_t bytes() const { return m_own.capacity() * sizeof(report::Span); }

 private:
  void takeSpans(const report::Run& run, std::uint32_t repeat);
  void placeCalls(const report::Run& run, std::uint32_t repeat);

  std::vector<report::Span> m_own;  ///< when the run's own spans cannot be used as they are
  std::span<const report::Span> m_spans;
};

}  // namespace opscope::ui
