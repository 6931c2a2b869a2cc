// SPDX-License-Identifier: Apache-2.0
#include "engine/profile/memory_series.h"

namespace opscope::profile {

void LiveBytes::push(double ns, std::uint32_t repeat, std::size_t applied) {
  m_series.points.push_back({ns, m_bytes, repeat});
  m_applied.push_back(applied);
}

/// Each repeat begins with what the one before left.
void LiveBytes::openRepeats(std::uint32_t last) {
  for (; m_openRepeats <= last; ++m_openRepeats) {
    push(0, m_openRepeats, m_lastEvent);
  }
}

void LiveBytes::note(const RunTimeline::Place& place, std::size_t event) {
  m_lastEvent = event + 1;
  report::MemoryPoint& last = m_series.points.back();
  if (!place.inStep && last.repeat == place.repeat && last.ns >= place.ns) {
    last.bytes = m_bytes;  // between steps no time passes: only what comes out of it counts
    m_applied.back() = m_lastEvent;
    return;
  }
  push(place.ns, place.repeat, m_lastEvent);
}

void LiveBytes::take(const RunTimeline::Place& place, std::uint64_t key, std::int64_t bytes,
                     std::size_t event) {
  openRepeats(place.repeat);
  const auto [entry, isNew] = m_live.try_emplace(key, bytes);
  if (!isNew) {  // its release was lost
    m_bytes -= entry->second;
    entry->second = bytes;
  }
  m_bytes += bytes;
  note(place, event);
}

void LiveBytes::free(const RunTimeline::Place& place, std::uint64_t key, std::size_t event) {
  const auto found = m_live.find(key);
  if (found == m_live.end()) {
    return;  // older than the log
  }
  openRepeats(place.repeat);
  m_bytes -= found->second;
  m_live.erase(found);
  note(place, event);
}

report::MemorySeries LiveBytes::finish(std::uint32_t repeats) {
  if (repeats > 0) {
    openRepeats(repeats - 1);
  }
  for (std::size_t i = 0; i < m_series.points.size(); ++i) {
    const report::MemoryPoint& point = m_series.points[i];
    if (i == 0 || point.bytes > m_series.peakBytes) {
      m_series.peakBytes = point.bytes;
      m_series.peakNs = point.ns;
      m_series.peakRepeat = point.repeat;
      m_eventsBeforePeak = m_applied[i];
    }
  }
  return std::move(m_series);
}

}  // namespace opscope::profile
