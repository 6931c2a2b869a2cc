// SPDX-License-Identifier: Apache-2.0
// What kernels reach through TVMBackend*: the thread pool and the workspaces of the current run.
// A RunContext is owned by the session's worker; RunContextScope makes it current on the calling thread.
#pragma once

#include <memory>

#include "engine/runtime/memory_log_slot.h"
#include "engine/runtime/options.h"

namespace opscope::runtime {

class ThreadPool;
class WorkspacePool;

class RunContext {
 public:
  explicit RunContext(const RuntimeOptions& options);
  ~RunContext();
  RunContext(const RunContext&) = delete;
  RunContext& operator=(const RunContext&) = delete;

  ThreadPool& threadPool() { return *m_threadPool; }
  WorkspacePool& workspaces() { return *m_workspaces; }
  const RuntimeOptions& options() const { return m_options; }

  /// Sets the logs of pool, workspaces and of allocators with this context's slot. While nothing of them is
  /// in use.
  void setLogs(const RuntimeLogs& logs);

  /// Ends the pool's threads and starts new ones, which inherit what the calling thread has set up since
  /// (hardware counters). While nothing of the pool is in use. Seed 004, threading::ResetThreadPool.
  void restartThreads();

  const MemoryLogSlot& memoryLogSlot() const { return m_memoryLogSlot; }

  /// The context of the innermost scope on this thread, or nullptr.
  static RunContext* current();

 private:
  friend class RunContextScope;
  RuntimeOptions m_options;
  LaneLog* m_lanes = nullptr;
  MemoryLogSlot m_memoryLogSlot = MemoryLogSlot::make();
  std::unique_ptr<WorkspacePool> m_workspaces;
  std::unique_ptr<ThreadPool> m_threadPool;
};

/// For an allocator that a builtin makes: the slot of this thread's context, or a new one outside of runs.
MemoryLogSlot runLogSlot();

/// Makes a context current on this thread until the scope ends; scopes nest.
class RunContextScope {
 public:
  explicit RunContextScope(RunContext& context);
  ~RunContextScope();
  RunContextScope(const RunContextScope&) = delete;
  RunContextScope& operator=(const RunContextScope&) = delete;

 private:
  RunContext* m_previous;
};

}  // namespace opscope::runtime
