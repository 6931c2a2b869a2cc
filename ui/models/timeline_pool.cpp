// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/timeline_pool.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/report/trace_lanes.h"

namespace opscope::ui {
namespace {

bool isUsable(double startNs, double durationNs) {
  return std::isfinite(startNs) && std::isfinite(durationNs) && startNs >= 0 && durationNs >= 0;
}

}  // namespace

TimelinePool::TimelinePool(const report::Run& run, std::uint32_t repeat) {
  if (!run.lanes) return;
  m_track = &*run.lanes;
  takeLaunches(run, repeat);
  fillThreads();
}

void TimelinePool::takeLaunches(const report::Run& run, std::uint32_t repeat) {
  const auto& launches = m_track->launches;
  std::vector<report::Span> spans;
  std::vector<Task> tasks;
  for (std::uint32_t index = 0; index < launches.size(); ++index) {
    const report::Launch& launch = launches[index];
    if (launch.repeat != repeat) continue;
    if (launch.kind != report::LaunchKind::Nested && isUsable(launch.startNs, launch.durationNs)) {
      const report::LaunchUse use = report::useOf(*m_track, launch);
      ++m_launches;
      m_launchesNs += launch.durationNs;
      m_launchesWithIdle += use.used < use.wanted ? 1 : 0;
    }
    const std::uint64_t end =
        std::min<std::uint64_t>(launch.firstTask + launch.taskCount, m_track->tasks.size());
    const std::uint32_t call = launch.call < run.calls.size() ? launch.call : report::kNone;
    for (std::uint64_t task = launch.firstTask; task < end; ++task) {
      const report::LaneTask& own = m_track->tasks[task];
      if (!isUsable(own.startNs, own.durationNs)) continue;
      spans.push_back({own.startNs, own.durationNs, call, repeat});
      tasks.push_back({index, task});
    }
  }
  std::vector<std::uint32_t> order(spans.size());
  std::iota(order.begin(), order.end(), 0U);
  // Of those that begin together the longest first: what is within another one follows it.
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    if (spans[a].startNs != spans[b].startNs) return spans[a].startNs < spans[b].startNs;
    return spans[a].durationNs > spans[b].durationNs;
  });
  m_spans.reserve(order.size());
  m_tasks.reserve(order.size());
  for (const std::uint32_t index : order) {
    m_spans.push_back(spans[index]);
    m_tasks.push_back(tasks[index]);
  }
}

void TimelinePool::fillThreads() {
  std::uint32_t lanes = std::max(m_track->threads, 1U);
  for (std::uint32_t i = 0; i < m_spans.size(); ++i) lanes = std::max(lanes, taskOf(i).lane + 1);
  for (std::uint32_t lane = 0; lane < lanes; ++lane) {
    PoolThread thread;
    thread.lane = lane;
    thread.title = report::laneTitle(lane, m_track->threads);
    m_threads.push_back(std::move(thread));
  }
  for (std::uint32_t i = 0; i < m_spans.size(); ++i) {
    const report::LaneTask& task = taskOf(i);
    PoolThread& thread = m_threads[task.lane];
    ++thread.tasks;
    if (launchOf(i).kind == report::LaunchKind::Nested) continue;
    thread.busyNs += task.durationNs;
    if (std::isfinite(task.cpuNs)) thread.stolenNs += std::max(0.0, task.durationNs - task.cpuNs);
  }
  for (PoolThread& thread : m_threads) {
    if (m_launchesNs > 0) thread.usePercent = std::clamp(thread.busyNs / m_launchesNs * 100, 0.0, 100.0);
  }
  std::erase_if(m_threads, [this](const PoolThread& thread) {
    return thread.lane >= m_track->threads && thread.tasks == 0;
  });
}

std::size_t TimelinePool::bytes() const {
  return m_spans.capacity() * sizeof(report::Span) + m_tasks.capacity() * sizeof(Task);
}

}  // namespace opscope::ui
