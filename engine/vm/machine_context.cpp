// SPDX-License-Identifier: Apache-2.0
#include "engine/vm/machine_context.h"

#include <algorithm>

namespace opscope::vm {

MachineContext::MachineContext(std::vector<DLDevice> devices,
                               const std::vector<runtime::AllocatorKind>& kinds)
    : m_devices(std::move(devices)), m_list(machineList()) {
  m_allocators.reserve(m_devices.size());
  for (std::size_t i = 0; i < m_devices.size(); ++i) {
    const runtime::AllocatorKind kind = kinds[std::min(i, kinds.size() - 1)];
    m_allocators.push_back(kind == runtime::AllocatorKind::Naive ? &m_naive : &m_pooled);
  }
  m_list->add(this);
}

MachineContext::~MachineContext() {
  m_list->remove(this);
}

void MachineContext::setMemoryLog(runtime::MemoryLog* log) {
  m_pooled.setLog(log);
  m_naive.setLog(log);
}

void MachineContext::trimPools() {
  m_pooled.trim();
}

runtime::AllocatorCounters MachineContext::allocatorCounters() const {
  const runtime::AllocatorCounters pooled = m_pooled.counters();
  const runtime::AllocatorCounters naive = m_naive.counters();
  return {pooled.liveBytes + naive.liveBytes, pooled.peakBytes + naive.peakBytes,
          pooled.heldBytes + naive.heldBytes, pooled.requests + naive.requests, pooled.reused + naive.reused};
}

}  // namespace opscope::vm
