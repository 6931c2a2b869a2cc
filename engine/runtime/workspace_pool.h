// SPDX-License-Identifier: Apache-2.0
// Scratch memory that kernels ask for and give back during one call (TVMBackendAllocWorkspace). Owned by a
// RunContext. Each thread has its own blocks, kept for the next call and freed with the pool; a block goes
// back on the thread that took it. Behaviour at the interface: WorkspacePool of TVM's runtime.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace opscope::runtime {

class MemoryLog;

struct WorkspaceCounters {
  std::int64_t liveBytes = 0;     ///< taken now
  std::int64_t peakBytes = 0;     ///< sum over threads of the most that each had taken at once
  std::int64_t largestBytes = 0;  ///< largest single request
  std::int64_t heldBytes = 0;     ///< blocks of the pool, taken or kept
  std::int64_t requests = 0;
};

class WorkspacePool {
 public:
  WorkspacePool();
  ~WorkspacePool();
  WorkspacePool(const WorkspacePool&) = delete;
  WorkspacePool& operator=(const WorkspacePool&) = delete;

  /// At least `bytes` bytes (0 gives a valid block too), aligned to kWorkspaceAlignment, for the calling
  /// thread. nullptr when memory is out.
  void* allocate(std::size_t bytes);

  /// Gives a block back. False when the calling thread did not take it from this pool; nothing happens then.
  bool free(void* data);

  /// Writes each workspace taken or given back from now on to `log`, which must live until another or nullptr
  /// (nothing is written) is set. While no kernel runs.
  void setLog(MemoryLog* log) { m_log.store(log, std::memory_order_relaxed); }

  /// Sums over all threads. Any thread, also while kernels run.
  WorkspaceCounters counters() const;

  static constexpr std::size_t kWorkspaceAlignment = 64;

 private:
  class Arena;
  Arena* arenaOfThisThread();

  const std::uint64_t m_id;
  std::atomic<MemoryLog*> m_log{nullptr};
  mutable std::mutex m_mutex;
  std::vector<std::pair<std::thread::id, std::unique_ptr<Arena>>> m_arenas;
};

}  // namespace opscope::runtime
