// SPDX-License-Identifier: Apache-2.0
// What happened to memory and when: plain records of storages, of the tensors in them, and of workspaces.
// Owned by who records; handed to a StorageAllocator and a WorkspacePool, which write while it is set.
// Written by any thread, read when no run is in progress. Which call an event belongs to follows from its
// time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/base/chunk_buffer.h"
#include "engine/runtime/spin_lock.h"

namespace opscope::runtime {

enum class MemoryEventKind : std::uint8_t {
  StorageTaken,
  StorageFreed,
  TensorMade,
  TensorFreed,
  WorkspaceTaken,
  WorkspaceFreed
};

/// Addresses are keys: they tell which earlier event a later one belongs to, and come again after a release.
struct MemoryEvent {
  std::uint64_t ticks = 0;      ///< of base::readTicks
  std::uint64_t key = 0;        ///< address of the storage, tensor or workspace
  std::uint64_t storage = 0;    ///< TensorMade: key of the storage it lies in
  std::int64_t bytes = 0;       ///< asked for
  std::int64_t givenBytes = 0;  ///< StorageTaken, WorkspaceTaken: size of the block
  MemoryEventKind kind = MemoryEventKind::StorageTaken;
  bool reused = false;  ///< StorageTaken, WorkspaceTaken: the block was kept from an earlier use
};

class MemoryLog {
 public:
  /// `useCounter` as for base::readTicks.
  explicit MemoryLog(bool useCounter) : m_useCounter(useCounter) {}
  MemoryLog(const MemoryLog&) = delete;
  MemoryLog& operator=(const MemoryLog&) = delete;

  /// Any thread. An event that finds no memory is counted as lost. For TensorMade, `storage` is the key of
  /// the storage it lies in.
  void add(MemoryEventKind kind, const void* key, std::size_t bytes = 0, std::size_t givenBytes = 0,
           bool reused = false, const void* storage = nullptr) noexcept;

  /// Room for `events` more, so that nothing grows within the measured time. Throws std::bad_alloc.
  void reserve(std::size_t events);

  // For the reader, when no run is in progress.
  std::size_t size() const { return m_events.size(); }
  const MemoryEvent& at(std::size_t position) const { return m_events.at(position); }
  std::uint64_t lost() const { return m_lost; }

 private:
  const bool m_useCounter;
  SpinLock m_lock;
  base::ChunkBuffer<MemoryEvent> m_events;
  std::uint64_t m_lost = 0;
};

}  // namespace opscope::runtime
