// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/allocator_core.h"

#include <sys/sysinfo.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <mutex>
#include <new>
#include <utility>

namespace opscope::runtime::detail {

namespace {

/// What a free block's data begins with.
struct FreeLink {
  void* next;
};

void* dataOf(void* block) {
  return static_cast<char*>(block) + sizeof(BlockObj);
}

FreeLink* linkOf(void* block) {
  return static_cast<FreeLink*>(dataOf(block));
}

/// Storage in front of which the object stands: [padding | object | data], data aligned.
void* systemAllocate(std::size_t dataBytes, std::size_t alignment) {
  void* base = nullptr;
  if (posix_memalign(&base, alignment, alignment + dataBytes) != 0) {
    return nullptr;
  }
  return static_cast<char*>(base) + alignment - sizeof(BlockObj);
}

void systemFree(void* block, std::size_t alignment) {
  std::free(static_cast<char*>(block) + sizeof(BlockObj) - alignment);
}

std::size_t machineBytes() {
  struct sysinfo info {};
  if (sysinfo(&info) != 0) {
    return kMaxBlockBytes;
  }
  const std::size_t total = (static_cast<std::size_t>(info.totalram) + info.totalswap) * info.mem_unit;
  return std::min(total, kMaxBlockBytes);
}

/// Makes objects in memory that is already there, with a deleter that gives the block back to its core.
class BlockFactory : public tvm::ffi::detail::ObjAllocatorBase<BlockFactory> {
 public:
  template <class T>
  class Handler {
   public:
    static T* New(BlockFactory* /*unused*/, void* memory) { return new (memory) T(); }
    static tvm::ffi::FObjectDeleter Deleter() {
      return [](void* object, int flags) {
        // The object holds nothing, so all is done when the memory may go.
        if ((flags & kTVMFFIObjectDeleterFlagBitMaskWeak) != 0) {
          T* block =
              tvm::ffi::detail::ObjectUnsafe::RawObjectPtrFromUnowned<T>(static_cast<TVMFFIObject*>(object));
          block->core->release(block);
        }
      };
    }
  };
};

}  // namespace

int sizeClassOf(std::size_t bytes) {
  if (bytes <= 512) {
    return bytes == 0 ? 0 : static_cast<int>((bytes - 1) / 64);
  }
  const int shift = std::bit_width(bytes - 1) - 4;
  const auto steps = static_cast<int>(((bytes - 1) >> shift) + 1);  // 9 to 16
  return 8 + (shift - 6) * 8 + (steps - 9);
}

std::size_t bytesOfSizeClass(int sizeClass) {
  if (sizeClass < 8) {
    return static_cast<std::size_t>(sizeClass + 1) * 64;
  }
  const int shift = 6 + (sizeClass - 8) / 8;
  return static_cast<std::size_t>(9 + (sizeClass - 8) % 8) << shift;
}

AllocatorCore::AllocatorCore(AllocatorKind kind, MemoryLogSlot slot)
    : m_slot(std::move(slot)), m_pooled(kind == AllocatorKind::Pooled), m_limitBytes(machineBytes()) {}

void AllocatorCore::countLive(std::size_t bytes) {
  m_counters.liveBytes += static_cast<std::int64_t>(bytes);
  m_counters.peakBytes = std::max(m_counters.peakBytes, m_counters.liveBytes);
  ++m_counters.requests;
  ++m_liveBlocks;
}

void AllocatorCore::logStorage(const void* memory, std::size_t bytes, std::size_t givenBytes, bool reused) {
  if (m_slot->isSet()) [[unlikely]] {
    m_slot->add(MemoryEventKind::StorageTaken, memory, bytes, givenBytes, reused);
  }
}

void* AllocatorCore::takeFree(int sizeClass, std::size_t bytes) {
  const std::lock_guard guard(m_lock);
  void*& head = m_free[static_cast<std::size_t>(sizeClass)];
  void* block = head;
  if (block != nullptr) {
    head = linkOf(block)->next;
    m_counters.heldBytes -= static_cast<std::int64_t>(bytesOfSizeClass(sizeClass));
    ++m_counters.reused;
    countLive(bytes);
    logStorage(block, bytes, bytesOfSizeClass(sizeClass), true);
  }
  return block;
}

void* AllocatorCore::takeNew(int sizeClass, std::size_t bytes, std::size_t alignment) {
  const std::size_t capacity =
      sizeClass >= 0 ? bytesOfSizeClass(sizeClass) : std::max<std::size_t>(bytes, 64);
  void* block = systemAllocate(capacity, alignment);
  if (block == nullptr) {
    trim();
    block = systemAllocate(capacity, alignment);
  }
  if (block != nullptr) {
    const std::lock_guard guard(m_lock);
    countLive(bytes);
    logStorage(block, bytes, capacity, false);
  }
  return block;
}

tvm::ffi::ObjectPtr<BlockObj> AllocatorCore::allocate(std::size_t bytes, std::size_t alignment,
                                                      DLDevice device) {
  if (bytes > m_limitBytes) {
    return nullptr;
  }
  alignment = std::max(alignment, kTensorAlignment);
  const int sizeClass = m_pooled && alignment == kTensorAlignment ? sizeClassOf(bytes) : -1;
  void* memory = sizeClass >= 0 ? takeFree(sizeClass, bytes) : nullptr;
  if (memory == nullptr) {
    memory = takeNew(sizeClass, bytes, alignment);
  }
  if (memory == nullptr) {
    return nullptr;
  }
  tvm::ffi::ObjectPtr<BlockObj> block = BlockFactory().make_object<BlockObj>(memory);
  block->data = dataOf(memory);
  block->size = bytes;
  block->device = device;
  block->core = this;
  block->sizeClass = static_cast<std::int16_t>(sizeClass);
  block->alignShift = static_cast<std::uint16_t>(std::countr_zero(alignment));
  return block;
}

void AllocatorCore::release(BlockObj* block) {
  const int sizeClass = block->sizeClass;
  const std::size_t alignment = std::size_t{1} << block->alignShift;
  const auto bytes = static_cast<std::int64_t>(block->size);
  void* memory = static_cast<void*>(block);
  block->~BlockObj();

  m_lock.lock();
  m_counters.liveBytes -= bytes;
  if (m_slot->isSet()) [[unlikely]] {
    m_slot->add(MemoryEventKind::StorageFreed, memory, static_cast<std::size_t>(bytes));
  }
  const bool last = --m_liveBlocks == 0 && m_abandoned;
  const bool keep = sizeClass >= 0 && !m_abandoned;
  if (keep) {
    void*& head = m_free[static_cast<std::size_t>(sizeClass)];
    linkOf(memory)->next = std::exchange(head, memory);
    m_counters.heldBytes += static_cast<std::int64_t>(bytesOfSizeClass(sizeClass));
  }
  m_lock.unlock();

  if (!keep) {
    systemFree(memory, alignment);
  }
  if (last) {
    delete this;
  }
}

void AllocatorCore::abandon() {
  m_lock.lock();
  // In one step: from here on another thread's last release may delete this object.
  m_abandoned = true;
  const bool last = m_liveBlocks == 0;
  const FreeLists lists = takeFreeLists();
  m_lock.unlock();
  freeAll(lists);
  if (last) {
    delete this;
  }
}

void AllocatorCore::trim() {
  m_lock.lock();
  const FreeLists lists = takeFreeLists();
  m_lock.unlock();
  freeAll(lists);
}

AllocatorCore::FreeLists AllocatorCore::takeFreeLists() {
  m_counters.heldBytes = 0;
  return std::exchange(m_free, {});
}

void AllocatorCore::freeAll(const FreeLists& lists) {
  for (void* block : lists) {
    while (block != nullptr) {
      void* next = linkOf(block)->next;
      systemFree(block, kTensorAlignment);
      block = next;
    }
  }
}

AllocatorCounters AllocatorCore::counters() const {
  const std::lock_guard guard(m_lock);
  return m_counters;
}

void AllocatorCore::resetPeak() {
  const std::lock_guard guard(m_lock);
  m_counters.peakBytes = m_counters.liveBytes;
}

}  // namespace opscope::runtime::detail
