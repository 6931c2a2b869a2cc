// SPDX-License-Identifier: Apache-2.0
// How well the parallel parts of kernels used the threads of the pool. Plain values, part of a Run, and what
// is computed from them; any thread. Times are nanoseconds since the start of their repeat.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/report/index.h"

namespace opscope::report {

struct Run;

/// Who worked at a launch, or why only the calling thread did.
enum class LaunchKind : std::uint8_t {
  Pool,       ///< the pool's threads
  OneTask,    ///< there was one task
  OneThread,  ///< the pool has no other thread
  Nested,     ///< it was made from within a task, whose lane it runs on
  PoolBusy    ///< another thread's launch held the pool
};

/// As in samples files: "pool", "one task", "one thread", "nested", "pool busy".
std::string_view launchKindName(LaunchKind kind);
std::optional<LaunchKind> launchKindOf(std::string_view name);

/// One task of a launch, on the lane (thread) that ran it.
struct LaneTask {
  double startNs = 0;
  double durationNs = 0;
  double cpuNs = 0;        ///< processor time of the thread, at most durationNs, which it is for short tasks
  std::uint32_t task = 0;  ///< its number within the launch
  std::uint32_t lane = 0;  ///< 0: the thread that launched; workers from 1; helpers at a barrier after them
  bool operator==(const LaneTask&) const = default;
};

/// One parallel launch. A kernel may make several.
struct Launch {
  double startNs = 0;
  double durationNs = 0;
  std::uint32_t repeat = 0;
  std::uint32_t call = kNone;  ///< the call in progress, index into Run::calls
  std::uint32_t tasks = 0;     ///< asked for
  LaunchKind kind = LaunchKind::Pool;
  bool failed = false;
  std::uint64_t firstTask = 0;  ///< its tasks are [firstTask, firstTask + taskCount) of LaneTrack::tasks
  std::uint32_t taskCount = 0;  ///< recorded: fewer than `tasks` when one failed
  bool operator==(const Launch&) const = default;
};

struct LaneTrack {
  std::uint32_t threads = 1;      ///< of the pool, the caller among them
  std::vector<Launch> launches;   ///< sorted by repeat, then start
  std::vector<LaneTask> tasks;    ///< by launch, then start
  std::uint64_t lostRecords = 0;  ///< not recorded since memory was out
  bool operator==(const LaneTrack&) const = default;
};

/// What one launch made of its threads.
struct LaunchUse {
  std::uint32_t wanted = 1;   ///< threads that could have worked: as many as tasks, at most the pool's
  std::uint32_t used = 0;     ///< threads that ran at least one task
  double busyNs = 0;          ///< sum over tasks
  double longestLaneNs = 0;   ///< busy time of the lane that worked longest
  double stolenNs = 0;        ///< busy time in which the thread had no processor
  double workerDelayNs = 0;   ///< sum over used worker lanes: from the launch to their first task
  std::uint32_t workers = 0;  ///< lanes summed up in workerDelayNs
};

LaunchUse useOf(const LaneTrack& track, const Launch& launch);

/// The launches of one kernel over all repeats. Percentages lie in [0, 100]; nothing where there is nothing
/// to divide by. Nested launches are within a lane of another one and do not count.
struct KernelLanes {
  std::uint32_t name = kNone;  ///< index into Run::names; kNone: no call was in progress
  std::uint64_t launches = 0;
  std::uint64_t tasks = 0;
  double wallNs = 0;                 ///< sum of durations
  double lanesUsed = 0;              ///< mean
  double lanesWanted = 0;            ///< mean
  std::optional<double> usePercent;  ///< busy time of the time that the wanted lanes had
  std::optional<double>
      imbalancePercent;                 ///< of the time of the lanes used until the longest ended: spent idle
  std::optional<double> stolenPercent;  ///< of busy time: without a processor
  std::optional<double> workerDelayNs;  ///< mean time from a launch to a worker's first task
  std::uint64_t neverStarted = 0;       ///< launches in which at least one wanted worker ran no task
};

/// One row a kernel, the largest wallNs first. `run.lanes` is set.
std::vector<KernelLanes> lanesByKernel(const Run& run);

/// The same over all launches.
KernelLanes allLanes(const Run& run);

}  // namespace opscope::report
