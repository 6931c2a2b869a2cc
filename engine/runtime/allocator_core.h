// SPDX-License-Identifier: Apache-2.0
// Inside of StorageAllocator: blocks that hold storage object and data together, and free lists of them.
// Shared by an allocator and its storages; any thread.
#pragma once

#include <tvm/ffi/memory.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "engine/runtime/memory_log_slot.h"
#include "engine/runtime/spin_lock.h"
#include "engine/runtime/storage.h"

namespace opscope::runtime::detail {

inline constexpr std::size_t kMaxAlignment = std::size_t{1} << 30;

/// Sizes are rounded up to eight steps per power of two, so that blocks are found again and at most an eighth
/// is wasted. Up to 512 bytes the step is 64.
int sizeClassOf(std::size_t bytes);
std::size_t bytesOfSizeClass(int sizeClass);
inline constexpr std::size_t kMaxBlockBytes = std::size_t{1} << 46;
inline constexpr int kSizeClasses = 304;

/// The storage object as it stands in front of its data. While a block is free, the first word of its data
/// links it to the next.
class BlockObj : public StorageObj {
 public:
  AllocatorCore* core = nullptr;
  std::int16_t sizeClass = -1;   ///< -1: a block of its own size, not kept
  std::uint16_t alignShift = 0;  ///< log2 of the data's alignment
  std::uint32_t reserved = 0;
};
static_assert(sizeof(BlockObj) == kTensorAlignment, "data follows the object at the tensor alignment");

class AllocatorCore {
 public:
  AllocatorCore(AllocatorKind kind, MemoryLogSlot slot);

  /// nullptr when memory is out.
  tvm::ffi::ObjectPtr<BlockObj> allocate(std::size_t bytes, std::size_t alignment, DLDevice device);
  /// Takes back the block of a storage whose last reference went.
  void release(BlockObj* block);
  /// The owner is gone: frees what is free and, once no storage lives, itself.
  void abandon();

  AllocatorCounters counters() const;
  void resetPeak();
  void trim();

  /// As StorageAllocator::setLog.
  void setLog(MemoryLog* log) { m_slot->set(log); }
  /// Told by tensors that lie in a storage of this allocator.
  void tensorMade(const void* tensor, std::size_t bytes, const BlockObj* block) {
    if (m_slot->isSet()) [[unlikely]] {
      m_slot->add(MemoryEventKind::TensorMade, tensor, bytes, std::size_t{0}, false, block);
    }
  }
  void tensorFreed(const void* tensor) {
    if (m_slot->isSet()) [[unlikely]] {
      m_slot->add(MemoryEventKind::TensorFreed, tensor);
    }
  }

 private:
  using FreeLists = std::array<void*, kSizeClasses>;

  ~AllocatorCore() = default;
  FreeLists takeFreeLists();  ///< with the lock held
  static void freeAll(const FreeLists& lists);
  void* takeFree(int sizeClass, std::size_t bytes);
  void* takeNew(int sizeClass, std::size_t bytes, std::size_t alignment);
  void countLive(std::size_t bytes);
  void logStorage(const void* memory, std::size_t bytes, std::size_t givenBytes, bool reused);

  const MemoryLogSlot m_slot;
  const bool m_pooled;
  const std::size_t m_limitBytes;  ///< more than the machine has is refused before the system overcommits
  mutable SpinLock m_lock;         ///< guards everything below
  AllocatorCounters m_counters;
  std::int64_t m_liveBlocks = 0;
  bool m_abandoned = false;
  FreeLists m_free{};
};

}  // namespace opscope::runtime::detail
