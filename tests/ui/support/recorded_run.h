// SPDX-License-Identifier: GPL-3.0-or-later
// The made-up run with what can be recorded beside times: the threads of the kernel pool, and memory.
#pragma once

#include "engine/report/run_report.h"
#include "tests/ui/support/synthetic_run.h"

namespace opscope::ui::testing {

struct RecordedOptions {
  SyntheticOptions run;
  std::uint32_t threads = 3;  ///< the last one never gets a task
  bool lanes = true;
  bool memory = true;
};

namespace recorded {

/// Of three kernels one has a single task, one leaves half of its time to one thread, one is even; the first
/// task of each tenth launches within itself.
inline void addLaunch(report::LaneTrack& track, const report::Span& span, std::uint32_t number) {
  report::Launch launch;
  launch.startNs = span.startNs + span.durationNs * 0.05;
  launch.durationNs = span.durationNs * 0.9;
  launch.repeat = span.repeat;
  launch.call = span.call;
  launch.tasks = number % 3 == 0 ? 1 : 2;
  launch.kind = launch.tasks == 1 ? report::LaunchKind::OneTask : report::LaunchKind::Pool;
  launch.firstTask = track.tasks.size();
  launch.taskCount = launch.tasks;
  for (std::uint32_t task = 0; task < launch.tasks; ++task) {
    const double delay = task == 0 ? 0 : launch.durationNs * 0.02;
    const double part = task == 1 && number % 3 == 1 ? 0.5 : 0.95;
    const double ns = launch.durationNs * part;
    track.tasks.push_back({launch.startNs + delay, ns, ns * 0.9, task, task});
  }
  track.launches.push_back(launch);
  if (number % 10 != 0) return;
  report::Launch nested = launch;
  nested.startNs += launch.durationNs * 0.2;
  nested.durationNs *= 0.3;
  nested.kind = report::LaunchKind::Nested;
  nested.tasks = nested.taskCount = 1;
  nested.firstTask = track.tasks.size();
  track.tasks.push_back({nested.startNs, nested.durationNs, nested.durationNs, 0, 0});
  track.launches.push_back(nested);
}

/// Each call takes a storage of its own size and gives back the one of the call before it.
inline void addMemory(report::MemoryTrack& track, const report::Span& span, bool isFirst) {
  if (isFirst) {
    for (auto* series : {&track.storage, &track.tensors}) series->points.push_back({0, 0, span.repeat});
  }
  const std::int64_t bytes = std::int64_t{1024} * (64 + 97 * span.call % 4096);
  track.storage.points.push_back({span.startNs, bytes + 65536, span.repeat});
  track.storage.points.push_back({span.startNs + span.durationNs, bytes, span.repeat});
  track.tensors.points.push_back({span.startNs, bytes / 2, span.repeat});
}

inline void findPeak(report::MemorySeries& series) {
  for (const report::MemoryPoint& point : series.points) {
    if (point.bytes <= series.peakBytes) continue;
    series.peakBytes = point.bytes;
    series.peakNs = point.ns;
    series.peakRepeat = point.repeat;
  }
}

}  // namespace recorded

inline report::Document recordedDocument(const RecordedOptions& options = {}) {
  const report::Document plain = syntheticDocument(options.run);
  auto run = std::make_shared<report::Run>(*plain.run);
  report::LaneTrack lanes;
  lanes.threads = options.threads;
  report::MemoryTrack memory;
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < run->spans.size(); ++i) {
    const report::Span& span = run->spans[i];
    const bool isFirst = i == 0 || run->spans[i - 1].repeat != span.repeat;
    if (run->calls[span.call].kernel) recorded::addLaunch(lanes, span, number++);
    recorded::addMemory(memory, span, isFirst);
  }
  recorded::findPeak(memory.storage);
  recorded::findPeak(memory.tensors);
  memory.repeat = memory.storage.peakRepeat;
  if (options.lanes) run->lanes = std::move(lanes);
  if (options.memory) run->memory = std::move(memory);
  return report::makeDocument(run);
}

}  // namespace opscope::ui::testing
