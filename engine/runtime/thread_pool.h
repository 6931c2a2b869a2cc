// SPDX-License-Identifier: Apache-2.0
// Threads that run the parallel parts of kernels. Owned by a RunContext. `launch` may be called from any
// thread and from several at once; construction and destruction belong to the owner, when no launch is
// running.
//
// Idle workers spin for RuntimeOptions::spinUs and then sleep; each is bound to a processor of the process's
// own set. The tasks of a launch are claimed one by one by workers and by the caller, which takes part. A
// launch from within a task, or while another thread's launch holds the pool, runs its tasks on the calling
// thread alone. Behaviour at the interface: TVMBackendParallelLaunch and TVMBackendParallelBarrier of TVM's
// runtime.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include "engine/runtime/options.h"

namespace opscope::runtime {

class LaneLog;
class ParallelLaunch;
class RunContext;
enum class LaunchWay : std::uint8_t;

/// What TVM hands to each task; the layout is part of TVM's C interface.
struct ParallelEnv {
  void* syncHandle = nullptr;
  std::int32_t taskCount = 0;
};

using ParallelTask = int (*)(int task, ParallelEnv* env, void* data);

class ThreadPool {
 public:
  /// Starts options.threads - 1 workers (see chooseThreadCount). `context`, which may be null, becomes
  /// current in each worker. Where the system refuses a thread, the pool works with those it has and logs it.
  ThreadPool(const RuntimeOptions& options, RunContext* context);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  /// Runs `function(task, env, data)` for each task in [0, tasks) and returns 0 when all returned 0. `tasks`
  /// 0 lets the pool choose: its thread count, or 1 where the launch runs on the calling thread alone. When a
  /// task fails, the tasks that have not begun are left out, and -1 is returned with the first error raised
  /// on the calling thread, as tvm-ffi's C functions do; exceptions thrown through a task count as its error.
  /// More than 16777215 tasks are refused.
  int launch(ParallelTask function, void* data, int tasks);

  /// The body of TVMBackendParallelBarrier: waits until each task of the launch has arrived or ended. Returns
  /// 0, or -1 with an error raised when another task of the launch failed. While tasks of the launch wait for
  /// a thread, those at the barrier start helper threads for them, so it holds with any number of tasks.
  static int barrier(int task, ParallelEnv* env);

  /// As `launch` for a thread that has no pool: all tasks on the calling thread.
  static int launchSerially(ParallelTask function, void* data, int tasks);

  /// Writes each launch and each of its tasks from now on to `log`, which must be made for threadCount()
  /// threads and live until another or nullptr (nothing is written) is set. While no launch is running.
  void setLog(LaneLog* log) { m_log.store(log, std::memory_order_relaxed); }

  /// Threads that work at a launch, the caller among them.
  int threadCount() const { return static_cast<int>(m_workers.size()) + 1; }

 private:
  friend class ParallelLaunch;

  int launchOnPool(ParallelTask function, void* data, int tasks);
  static int launchInline(ParallelTask function, void* data, int tasks, RunContext* context);
  static int launchInlineRecorded(ParallelTask function, void* data, int tasks, RunContext* context,
                                  LaneLog& log, LaunchWay way);
  static int runInline(ParallelLaunch& launch, std::atomic<std::uint64_t>& claims);
  LaunchWay wayOf(int tasks) const;
  void publish(ParallelLaunch& launch);
  void runTask(ParallelLaunch& launch, int task);
  void waitForEnd(const ParallelLaunch& launch);
  void workerLoop(int index, int cpu);
  bool waitForWork();

  RunContext* m_context;
  std::int64_t m_spinNs = 0;
  std::atomic<LaneLog*> m_log{nullptr};

  /// Claims of the launch that holds the pool, see parallel_launch.h.
  alignas(64) std::atomic<std::uint64_t> m_claims{0};
  ParallelLaunch* m_launch = nullptr;  ///< published by m_claims
  alignas(64) std::atomic<bool> m_busy{false};
  std::atomic<bool> m_stop{false};
  std::atomic<int> m_sleeping{0};
  std::atomic<bool> m_launcherSleeps{false};
  std::mutex m_mutex;
  std::condition_variable m_workAvailable;
  std::condition_variable m_launchEnded;
  std::vector<std::thread> m_workers;
};

}  // namespace opscope::runtime
