// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/lane_log.h"

#include <algorithm>
#include <ctime>
#include <mutex>

#include "engine/base/clock.h"

namespace opscope::runtime {

namespace {

/// Processor time of the calling thread; a call into the kernel, since the system offers no cheaper way.
std::int64_t threadCpuNs() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

/// When this thread last looked at its processor time, and what it saw. The clock is the thread's, not a
/// log's.
struct Look {
  std::uint64_t ticks = 0;
  std::int64_t cpuNs = 0;
};
thread_local Look t_lastLook;

template <class Item>
void appendAll(const base::ChunkBuffer<Item>& from, std::vector<Item>& to) {
  to.reserve(to.size() + from.size());
  for (std::size_t i = 0; i < from.size(); ++i) {
    to.push_back(from.at(i));
  }
}

}  // namespace

LaneLog::LaneLog(int threads, bool useCounter)
    : m_useCounter(useCounter),
      m_longTicks(static_cast<std::uint64_t>(kLongTaskNs / (useCounter ? base::measuredNsPerTick() : 1.0))),
      m_lanes(static_cast<std::size_t>(std::max(threads, 1))) {}

void LaneLog::reserve(std::size_t tasks) {
  for (Lane& lane : m_lanes) {
    lane.records.reserve(tasks);
  }
  m_launches.reserve(tasks);
}

std::uint64_t LaneLog::ticks() const {
  return base::readTicks(m_useCounter);
}

LaneLog::OpenTask LaneLog::beginTask() noexcept {
  OpenTask open;
  open.beginTicks = base::readTicks(m_useCounter);
  if (open.beginTicks - t_lastLook.ticks > m_longTicks) {
    t_lastLook = {open.beginTicks, threadCpuNs()};
    open.beginTicks = base::readTicks(m_useCounter);
  }
  open.beginCpuNs = t_lastLook.cpuNs;
  return open;
}

void LaneLog::endTask(const Place& place, const OpenTask& open, std::uint32_t task) noexcept {
  LaneRecord record{place.launch, open.beginTicks, base::readTicks(m_useCounter), LaneRecord::kNotRead,
                    task,         place.lane};
  if (record.endTicks - record.beginTicks >= m_longTicks) {
    t_lastLook = {record.endTicks, threadCpuNs()};
    record.cpuNs = t_lastLook.cpuNs - open.beginCpuNs;
  }
  LaneRecord* slot = nullptr;
  if (place.ownLane) {
    slot = m_lanes[place.lane].records.tryAppend();
    if (slot != nullptr) {
      *slot = record;
    }
  } else {
    const std::lock_guard guard(m_lock);
    slot = m_otherTasks.tryAppend();
    if (slot != nullptr) {
      *slot = record;
    }
  }
  if (slot == nullptr) {
    m_lost.fetch_add(1, std::memory_order_relaxed);
  }
}

void LaneLog::addLaunch(const LaunchRecord& launch) noexcept {
  const std::lock_guard guard(m_lock);
  if (LaunchRecord* slot = m_launches.tryAppend()) {
    *slot = launch;
  } else {
    m_lost.fetch_add(1, std::memory_order_relaxed);
  }
}

std::vector<LaunchRecord> LaneLog::launches() const {
  std::vector<LaunchRecord> all;
  appendAll(m_launches, all);
  std::ranges::sort(all, {}, &LaunchRecord::number);
  return all;
}

std::vector<LaneRecord> LaneLog::tasks() const {
  std::vector<LaneRecord> all;
  for (const Lane& lane : m_lanes) {
    appendAll(lane.records, all);
  }
  appendAll(m_otherTasks, all);
  std::ranges::sort(all, [](const LaneRecord& a, const LaneRecord& b) {
    return a.launch != b.launch ? a.launch < b.launch : a.beginTicks < b.beginTicks;
  });
  return all;
}

std::size_t LaneLog::mostTasks() const {
  std::size_t most = m_launches.size();
  for (const Lane& lane : m_lanes) {
    most = std::max(most, lane.records.size());
  }
  return most;
}

double measureLaneCostNs(bool useCounter) {
  constexpr std::uint32_t kTasks = 1024;
  constexpr int kTries = 5;
  double best = 0;
  LaneLog log(1, useCounter);
  log.reserve(kTasks * kTries);
  for (int attempt = 0; attempt < kTries; ++attempt) {
    const std::int64_t begin = base::monotonicNs();
    for (std::uint32_t task = 0; task < kTasks; ++task) {
      const LaneLog::Place place{log.nextLaunch(), 0, true};
      log.endTask(place, log.beginTask(), task);
    }
    const double each = static_cast<double>(base::monotonicNs() - begin) / kTasks;
    best = attempt == 0 ? each : std::min(best, each);
  }
  return best;
}

}  // namespace opscope::runtime
