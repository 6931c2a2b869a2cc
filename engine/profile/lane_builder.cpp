// SPDX-License-Identifier: Apache-2.0
#include "engine/profile/lane_builder.h"

#include <algorithm>

namespace opscope::profile {

namespace {

report::LaunchKind kindOf(runtime::LaunchWay way) {
  switch (way) {
    case runtime::LaunchWay::Pool:
      return report::LaunchKind::Pool;
    case runtime::LaunchWay::OneTask:
      return report::LaunchKind::OneTask;
    case runtime::LaunchWay::OneThread:
      return report::LaunchKind::OneThread;
    case runtime::LaunchWay::Nested:
      return report::LaunchKind::Nested;
    case runtime::LaunchWay::PoolBusy:
      return report::LaunchKind::PoolBusy;
  }
  return report::LaunchKind::Pool;
}

class LaneBuilder {
 public:
  LaneBuilder(const runtime::LaneLog& log, const RunTimeline& timeline)
      : m_timeline(timeline), m_scale(timeline.input().scale), m_tasks(log.tasks()) {
    m_track.threads = static_cast<std::uint32_t>(log.threads());
    m_track.lostRecords = log.lost();
  }

  report::LaneTrack build(const std::vector<runtime::LaunchRecord>& launches) {
    for (const runtime::LaunchRecord& record : launches) {
      addLaunch(record);
    }
    // Threads that launch at once are numbered as they began, which need not be how their times were read.
    std::ranges::stable_sort(m_track.launches, [](const auto& a, const auto& b) {
      return a.repeat != b.repeat ? a.repeat < b.repeat : a.startNs < b.startNs;
    });
    return std::move(m_track);
  }

 private:
  void addLaunch(const runtime::LaunchRecord& record) {
    const auto tasks = std::ranges::equal_range(m_tasks, record.number, {}, &runtime::LaneRecord::launch);
    const RunTimeline::Place place = m_timeline.at(record.beginTicks);
    if (!place.inStep) {
      return;
    }
    report::Launch launch;
    launch.startNs = place.ns;
    launch.durationNs = std::max(m_scale.nsBetween(record.beginTicks, record.endTicks), m_scale.nsPerTick());
    launch.repeat = place.repeat;
    launch.call = m_timeline.callOf(place);
    launch.tasks = record.tasks;
    launch.kind = kindOf(record.way);
    launch.failed = record.failed;
    launch.firstTask = m_track.tasks.size();
    launch.taskCount = static_cast<std::uint32_t>(tasks.size());
    for (const runtime::LaneRecord& task : tasks) {
      m_track.tasks.push_back(taskOf(task, record, launch));
    }
    m_track.launches.push_back(launch);
  }

  /// Processors' clocks may differ by a little: a task lies within its launch.
  report::LaneTask taskOf(const runtime::LaneRecord& record, const runtime::LaunchRecord& around,
                          const report::Launch& launch) const {
    const double from =
        std::clamp(m_scale.nsBetween(around.beginTicks, record.beginTicks), 0.0, launch.durationNs);
    const double to =
        std::clamp(m_scale.nsBetween(around.beginTicks, record.endTicks), from, launch.durationNs);
    report::LaneTask task;
    task.startNs = launch.startNs + from;
    task.durationNs = to - from;
    task.cpuNs = record.cpuNs == runtime::LaneRecord::kNotRead
                     ? task.durationNs
                     : std::clamp(static_cast<double>(record.cpuNs), 0.0, task.durationNs);
    task.task = record.task;
    task.lane = record.lane;
    return task;
  }

  const RunTimeline& m_timeline;
  const base::TickScale& m_scale;
  const std::vector<runtime::LaneRecord> m_tasks;
  report::LaneTrack m_track;
};

}  // namespace

report::LaneTrack buildLanes(const runtime::LaneLog& log, const RunTimeline& timeline) {
  return LaneBuilder(log, timeline).build(log.launches());
}

}  // namespace opscope::profile
