// SPDX-License-Identifier: Apache-2.0
// Which thread worked at which task of a parallel launch, from when to when, and how much of that time it had
// a processor. Owned by who records; handed to a ThreadPool, whose threads write while it is set. Read when
// no launch is running. The kernel that a launch belongs to follows from its time.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/base/chunk_buffer.h"
#include "engine/runtime/spin_lock.h"

namespace opscope::runtime {

/// Who worked at a launch, or why only the calling thread did.
enum class LaunchWay : std::uint8_t {
  Pool,       ///< the pool's threads
  OneTask,    ///< there was one task
  OneThread,  ///< the pool has no other thread
  Nested,     ///< it was made from within a task
  PoolBusy    ///< another thread's launch held the pool
};

struct LaunchRecord {
  std::uint64_t number = 0;  ///< of the launch, from 0, in the order they began
  std::uint64_t beginTicks = 0;
  std::uint64_t endTicks = 0;
  std::uint32_t tasks = 0;
  LaunchWay way = LaunchWay::Pool;
  bool failed = false;
};

struct LaneRecord {
  /// The task was shorter than LaneLog::kLongTaskNs.
  static constexpr std::int64_t kNotRead = -1;

  std::uint64_t launch = 0;
  std::uint64_t beginTicks = 0;
  std::uint64_t endTicks = 0;
  std::int64_t cpuNs = kNotRead;  ///< processor time of the thread, as far as it is known, at most too much
  std::uint32_t task = 0;
  std::uint32_t lane =
      0;  ///< 0: the thread that launched; pool workers from 1; helpers at a barrier after them
};

class LaneLog {
 public:
  /// A thread's processor time costs a call into the kernel, about half a microsecond. It is read after tasks
  /// of at least this length, and before a task when the last look is longer ago: a few per cent at most, and
  /// what a thread did between the last look and a task may count as the task's.
  static constexpr double kLongTaskNs = 20'000;

  /// For a pool of `threads` threads, the caller among them. `useCounter` as for base::readTicks.
  LaneLog(int threads, bool useCounter);
  LaneLog(const LaneLog&) = delete;
  LaneLog& operator=(const LaneLog&) = delete;

  /// Room for `tasks` more tasks in each lane. Throws std::bad_alloc.
  void reserve(std::size_t tasks);

  // ---- for the pool ----
  struct OpenTask {
    std::uint64_t beginTicks = 0;
    std::int64_t beginCpuNs = 0;
  };
  /// Where a thread writes: its own lane's memory for launches on the pool, else the memory that all share.
  struct Place {
    std::uint64_t launch = 0;
    std::uint32_t lane = 0;
    bool ownLane = false;
  };

  std::uint64_t ticks() const;
  std::uint64_t nextLaunch() { return m_nextLaunch.fetch_add(1, std::memory_order_relaxed); }
  OpenTask beginTask() noexcept;
  void endTask(const Place& place, const OpenTask& open, std::uint32_t task) noexcept;
  void addLaunch(const LaunchRecord& launch) noexcept;

  // ---- for the reader ----
  int threads() const { return static_cast<int>(m_lanes.size()); }
  std::vector<LaunchRecord> launches() const;  ///< sorted by number
  std::vector<LaneRecord> tasks() const;       ///< sorted by launch, then begin
  std::uint64_t lost() const { return m_lost.load(std::memory_order_relaxed); }
  /// Tasks in the fullest lane.
  std::size_t mostTasks() const;

 private:
  /// Written by one thread; the lanes do not share cache lines.
  struct alignas(64) Lane {
    base::ChunkBuffer<LaneRecord> records;
  };

  const bool m_useCounter;
  const std::uint64_t m_longTicks;  // kLongTaskNs
  std::vector<Lane> m_lanes;
  std::atomic<std::uint64_t> m_nextLaunch{0};
  std::atomic<std::uint64_t> m_lost{0};
  SpinLock m_lock;  // guards both below
  base::ChunkBuffer<LaunchRecord> m_launches;
  base::ChunkBuffer<LaneRecord> m_otherTasks;
};

/// Nanoseconds that recording adds to a task, as measured on this thread.
double measureLaneCostNs(bool useCounter);

}  // namespace opscope::runtime
