// SPDX-License-Identifier: GPL-3.0-or-later
// What the threads of the kernel pool did in one repeat: each task as a span on the lane of its thread. Built
// away from the GUI thread, then immutable. The run outlives it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/report/run.h"

namespace opscope::ui {

/// One thread in one repeat.
struct PoolThread {
  std::uint32_t lane = 0;
  std::string title;    ///< "calling thread", "worker 1"
  double busyNs = 0;    ///< in tasks that are not within another task
  double stolenNs = 0;  ///< of busyNs: the thread had no processor
  std::uint64_t tasks = 0;
  /// busyNs of the time of all launches of the repeat, 0 to 100; nothing when there was none.
  std::optional<double> usePercent;
};

class TimelinePool {
 public:
  /// What one span is.
  struct Task {
    std::uint32_t launch = 0;  ///< index into LaneTrack::launches
    std::uint64_t task = 0;    ///< index into LaneTrack::tasks
  };

  /// Nothing when `run` has no lanes.
  TimelinePool(const report::Run& run, std::uint32_t repeat);
  TimelinePool(const TimelinePool&) = delete;
  TimelinePool& operator=(const TimelinePool&) = delete;

  /// The run recorded its lanes.
  bool isRecorded() const { return m_track != nullptr; }
  const report::LaneTrack& track() const { return *m_track; }
  /// Sorted by start. Span::call is the call that launched the task, kNone when none was in progress.
  std::span<const report::Span> spans() const { return m_spans; }
  const report::Launch& launchOf(std::uint32_t span) const { return m_track->launches[m_tasks[span].launch]; }
  const report::LaneTask& taskOf(std::uint32_t span) const { return m_track->tasks[m_tasks[span].task]; }
  /// Those that the pool has, also when they did nothing, and helpers that did something.
  const std::vector<PoolThread>& threads() const { return m_threads; }
  /// Launches of the repeat that are not within another one: their number, the sum of their times, and how
  /// many of them left a thread without a task that could have had one.
  std::size_t launches() const { return m_launches; }
  double launchesNs() const { return m_launchesNs; }
  std::size_t launchesWithIdle() const { return m_launchesWithIdle; }
  std::size_t bytes() const;

 private:
  void takeLaunches(const report::Run& run, std::uint32_t repeat);
  void fillThreads();

  const report::LaneTrack* m_track = nullptr;
  std::vector<report::Span> m_spans;
  std::vector<Task> m_tasks;  ///< parallel to m_spans
  std::vector<PoolThread> m_threads;
  std::size_t m_launches = 0;
  double m_launchesNs = 0;
  std::size_t m_launchesWithIdle = 0;
};

}  // namespace opscope::ui
