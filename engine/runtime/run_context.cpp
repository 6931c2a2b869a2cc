// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/run_context.h"

#include "engine/runtime/thread_pool.h"
#include "engine/runtime/workspace_pool.h"

namespace opscope::runtime {

namespace {

/// Kernels reach pool and workspaces through C functions that get no context, so it has to be the thread's.
thread_local RunContext* t_current = nullptr;

}  // namespace

RunContext::RunContext(const RuntimeOptions& options)
    : m_options(options),
      m_workspaces(std::make_unique<WorkspacePool>()),
      m_threadPool(std::make_unique<ThreadPool>(options, this)) {}

RunContext::~RunContext() = default;

void RunContext::setLogs(const RuntimeLogs& logs) {
  m_memoryLogSlot->set(logs.memory);
  m_workspaces->setLog(logs.memory);
  m_threadPool->setLog(logs.lanes);
  m_lanes = logs.lanes;
}

void RunContext::restartThreads() {
  m_threadPool.reset();  // first: the cores that the old ones are bound to are for the new ones
  m_threadPool = std::make_unique<ThreadPool>(m_options, this);
  m_threadPool->setLog(m_lanes);
}

RunContext* RunContext::current() {
  return t_current;
}

MemoryLogSlot runLogSlot() {
  return t_current != nullptr ? t_current->memoryLogSlot() : MemoryLogSlot::make();
}

RunContextScope::RunContextScope(RunContext& context) : m_previous(t_current) {
  t_current = &context;
}

RunContextScope::~RunContextScope() {
  t_current = m_previous;
}

}  // namespace opscope::runtime
