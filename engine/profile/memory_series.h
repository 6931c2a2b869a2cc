// SPDX-License-Identifier: Apache-2.0
// The first look at a log of memory: live bytes over time. Inside of the memory builder.
#pragma once

#include <cstddef>
#include <unordered_map>
#include <vector>

#include "engine/profile/run_timeline.h"
#include "engine/report/memory.h"
#include "engine/runtime/memory_log.h"

namespace opscope::profile {

/// One quantity: things that are taken and freed, known by their keys.
class LiveBytes {
 public:
  void take(const RunTimeline::Place& place, std::uint64_t key, std::int64_t bytes, std::size_t event);
  void free(const RunTimeline::Place& place, std::uint64_t key, std::size_t event);
  /// Ends the series: each of `repeats` repeats has a point at its start. Fills the peak.
  report::MemorySeries finish(std::uint32_t repeats);
  /// After finish: how many events of the log had been applied when the peak was reached.
  std::size_t eventsBeforePeak() const { return m_eventsBeforePeak; }

 private:
  void openRepeats(std::uint32_t last);
  void note(const RunTimeline::Place& place, std::size_t event);
  void push(double ns, std::uint32_t repeat, std::size_t applied);

  std::unordered_map<std::uint64_t, std::int64_t> m_live;
  std::int64_t m_bytes = 0;
  std::uint32_t m_openRepeats = 0;
  std::size_t m_lastEvent = 0;         // events applied so far
  std::vector<std::size_t> m_applied;  // by point
  std::size_t m_eventsBeforePeak = 0;
  report::MemorySeries m_series;
};

}  // namespace opscope::profile
