// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/memory_log.h"

#include <mutex>

#include "engine/base/clock.h"

namespace opscope::runtime {

void MemoryLog::add(MemoryEventKind kind, const void* key, std::size_t bytes, std::size_t givenBytes,
                    bool reused, const void* storage) noexcept {
  const std::lock_guard guard(m_lock);
  MemoryEvent* event = m_events.tryAppend();
  if (event == nullptr) {
    ++m_lost;
    return;
  }
  // Within the lock, so that events stand in the order of their times.
  *event = {base::readTicks(m_useCounter),
            reinterpret_cast<std::uint64_t>(key),
            reinterpret_cast<std::uint64_t>(storage),
            static_cast<std::int64_t>(bytes),
            static_cast<std::int64_t>(givenBytes),
            kind,
            reused};
}

void MemoryLog::reserve(std::size_t events) {
  const std::lock_guard guard(m_lock);
  m_events.reserve(events);
}

}  // namespace opscope::runtime
