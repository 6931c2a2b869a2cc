// SPDX-License-Identifier: Apache-2.0
// One launch of a parallel loop: its tasks, its error, its barrier. Lives on the stack of the thread that
// launches, until all its tasks have ended. Inside of ThreadPool.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "engine/runtime/lane_log.h"
#include "engine/runtime/thread_pool.h"

namespace opscope::runtime {

/// Which tasks are still to be taken: (generation, tasks, next task) in 16, 24 and 24 bits of one word, so
/// that a task is taken by one compare-and-swap. A swap that succeeds on a word read long ago is right too:
/// the word is the present one. The generation tells a new launch of the same size from the one before.
class TaskClaims {
 public:
  static constexpr int kMaxTasks = (1 << 24) - 1;

  static std::uint64_t following(std::uint64_t word, int tasks) {
    return ((word >> 48) + 1) << 48 | static_cast<std::uint64_t>(tasks) << 24;
  }
  static bool anyLeft(std::uint64_t word) { return (word & kField) < (word >> 24 & kField); }

  /// The next task, or nothing when all are taken.
  static std::optional<int> take(std::atomic<std::uint64_t>& claims) {
    std::uint64_t word = claims.load(std::memory_order_acquire);
    while (anyLeft(word)) {
      if (claims.compare_exchange_weak(word, word + 1, std::memory_order_acq_rel,
                                       std::memory_order_acquire)) {
        return static_cast<int>(word & kField);
      }
    }
    return std::nullopt;
  }

 private:
  static constexpr std::uint64_t kField = (std::uint64_t{1} << 24) - 1;
};

class ParallelLaunch {
 public:
  /// `claims` holds this launch's tasks for as long as it lives; `pool` is null when one thread runs them
  /// all. `log`, which may be null, gets a record of each task.
  ParallelLaunch(ParallelTask function, void* data, int tasks, std::atomic<std::uint64_t>& claims,
                 ThreadPool* pool, RunContext* context, LaneLog* log = nullptr)
      : m_function(function),
        m_data(data),
        m_env{this, tasks},
        m_claims(claims),
        m_pool(pool),
        m_context(context),
        m_log(log),
        m_number(log == nullptr ? 0 : log->nextLaunch()) {}
  ParallelLaunch(const ParallelLaunch&) = delete;
  ParallelLaunch& operator=(const ParallelLaunch&) = delete;

  int taskCount() const { return m_env.taskCount; }

  /// Runs a task that was taken, or leaves it out when another one has failed. Never throws. When it returns,
  /// and this was the last task, the launch may be gone.
  void runTask(int task);

  /// Of this launch in the log.
  std::uint64_t number() const { return m_number; }
  bool failed() const { return m_failed.load(std::memory_order_acquire); }
  bool ended() const { return m_ended.load(std::memory_order_seq_cst) == m_env.taskCount; }

  /// After all tasks have been taken: waits for helpers, raises the first error. 0 or -1. Pool workers must
  /// have ended their tasks before.
  int finish();

  /// The barrier, called from within a task.
  int arriveAndWait();

 private:
  void callTask(int task);
  void callRecorded(int task);
  void recordError(int task, int code);
  bool tryOpenBarrier(std::uint64_t state);
  void startHelper();
  void runAsHelper(int lane);

  const ParallelTask m_function;
  void* const m_data;
  ParallelEnv m_env;
  std::atomic<std::uint64_t>& m_claims;
  ThreadPool* const m_pool;
  RunContext* const m_context;
  LaneLog* const m_log;
  const std::uint64_t m_number;
  std::atomic<int> m_ended{0};              ///< tasks that ran to their end or were left out
  std::atomic<std::uint64_t> m_barrier{0};  ///< (times opened, tasks that wait), 32 bits each
  std::atomic<bool> m_failed{false};
  void* m_error = nullptr;  ///< owned error object; written once by who set m_failed
  std::mutex m_helperMutex;
  std::vector<std::thread> m_helpers;
};

/// Marks that the calling thread runs tasks of a pool as its lane `lane`; launches from there do not use a
/// pool.
class InsideTaskScope {
 public:
  explicit InsideTaskScope(int lane);
  ~InsideTaskScope();
  InsideTaskScope(const InsideTaskScope&) = delete;
  InsideTaskScope& operator=(const InsideTaskScope&) = delete;
  static bool active();
  /// The lane of the calling thread, 0 outside of scopes.
  static int lane();

 private:
  int m_before;
};

/// Lets the processor's other thread and the memory system have a rest between two looks at a word.
inline void pauseProcessor() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace opscope::runtime
