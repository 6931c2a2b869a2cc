// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/workspace_pool.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <limits>

#include "engine/runtime/memory_log.h"

namespace opscope::runtime {

namespace {

constexpr std::size_t kPageBytes = 4096;

/// Pools are told apart by number, not by address, which a later pool may get again.
std::uint64_t nextPoolId() {
  static std::atomic<std::uint64_t> next{1};
  return next.fetch_add(1, std::memory_order_relaxed);
}

/// Written by one thread, read by any.
class Counter {
 public:
  void add(std::int64_t delta) { m_value.store(get() + delta, std::memory_order_relaxed); }
  void raiseTo(std::int64_t value) { m_value.store(std::max(get(), value), std::memory_order_relaxed); }
  std::int64_t get() const { return m_value.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::int64_t> m_value{0};
};

}  // namespace

/// The blocks of one thread. Kernels give back in the reverse order, so the last block taken is looked at
/// first; free blocks are sorted by size, so the smallest that fits is found.
class WorkspacePool::Arena {
 public:
  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena() {
    for (const auto* blocks : {&m_free, &m_taken}) {
      for (const Block& block : *blocks) {
        std::free(block.data);
      }
    }
  }

  struct Given {
    void* data = nullptr;
    std::size_t capacity = 0;
    bool reused = false;
  };

  Given allocate(std::size_t bytes) {
    if (bytes > static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max()) - kPageBytes) {
      return {};
    }
    const std::size_t rounded = (std::max<std::size_t>(bytes, 1) + kPageBytes - 1) / kPageBytes * kPageBytes;
    Block block = takeFree(rounded);
    const bool reused = block.data != nullptr;
    if (!reused) {
      block = takeNew(rounded);
    }
    if (block.data == nullptr) {
      return {};
    }
    block.asked = bytes;
    m_taken.push_back(block);
    m_live.add(static_cast<std::int64_t>(bytes));
    m_peak.raiseTo(m_live.get());
    m_largest.raiseTo(static_cast<std::int64_t>(bytes));
    m_requests.add(1);
    return {block.data, block.capacity, reused};
  }

  bool holds(const void* data) const {
    return std::any_of(m_taken.begin(), m_taken.end(), [data](const Block& b) { return b.data == data; });
  }

  bool free(const void* data) {
    const auto found =
        std::find_if(m_taken.rbegin(), m_taken.rend(), [data](const Block& b) { return b.data == data; });
    if (found == m_taken.rend()) {
      return false;
    }
    const Block block = *found;
    m_taken.erase(std::next(found).base());
    m_free.insert(std::upper_bound(m_free.begin(), m_free.end(), block, smaller), block);
    m_live.add(-static_cast<std::int64_t>(block.asked));
    return true;
  }

  void addTo(WorkspaceCounters& sum) const {
    sum.liveBytes += m_live.get();
    sum.peakBytes += m_peak.get();
    sum.largestBytes = std::max(sum.largestBytes, m_largest.get());
    sum.heldBytes += m_held.get();
    sum.requests += m_requests.get();
  }

 private:
  struct Block {
    void* data = nullptr;
    std::size_t capacity = 0;
    std::size_t asked = 0;
  };
  static bool smaller(const Block& a, const Block& b) { return a.capacity < b.capacity; }

  Block takeFree(std::size_t bytes) {
    const auto found = std::lower_bound(m_free.begin(), m_free.end(), Block{nullptr, bytes, 0}, smaller);
    if (found == m_free.end()) {
      return {};
    }
    const Block block = *found;
    m_free.erase(found);
    return block;
  }

  /// No free block is large enough: the largest of them makes room, so that a growing request does not leave
  /// all its former sizes behind.
  Block takeNew(std::size_t bytes) {
    if (!m_free.empty()) {
      release(m_free.back());
      m_free.pop_back();
    }
    void* data = nullptr;
    if (posix_memalign(&data, kWorkspaceAlignment, bytes) != 0) {
      for (const Block& block : m_free) {
        release(block);
      }
      m_free.clear();
      if (posix_memalign(&data, kWorkspaceAlignment, bytes) != 0) {
        return {};
      }
    }
    m_held.add(static_cast<std::int64_t>(bytes));
    return {data, bytes, 0};
  }

  void release(const Block& block) {
    std::free(block.data);
    m_held.add(-static_cast<std::int64_t>(block.capacity));
  }

  std::vector<Block> m_free;
  std::vector<Block> m_taken;
  Counter m_live;
  Counter m_peak;
  Counter m_largest;
  Counter m_held;
  Counter m_requests;
};

WorkspacePool::WorkspacePool() : m_id(nextPoolId()) {}

WorkspacePool::~WorkspacePool() = default;

WorkspacePool::Arena* WorkspacePool::arenaOfThisThread() {
  struct Remembered {
    std::uint64_t pool = 0;
    Arena* arena = nullptr;
  };
  // Each thread remembers the arena it used last, so that the common case takes no lock.
  static thread_local Remembered remembered;
  if (remembered.pool == m_id) {
    return remembered.arena;
  }
  const std::thread::id self = std::this_thread::get_id();
  const std::lock_guard guard(m_mutex);
  auto found = std::find_if(m_arenas.begin(), m_arenas.end(),
                            [self](const auto& entry) { return entry.first == self; });
  if (found == m_arenas.end()) {
    m_arenas.emplace_back(self, std::make_unique<Arena>());
    found = std::prev(m_arenas.end());
  }
  remembered = {m_id, found->second.get()};
  return remembered.arena;
}

void* WorkspacePool::allocate(std::size_t bytes) {
  const Arena::Given given = arenaOfThisThread()->allocate(bytes);
  if (MemoryLog* log = m_log.load(std::memory_order_relaxed); log != nullptr && given.data != nullptr)
      [[unlikely]] {
    log->add(MemoryEventKind::WorkspaceTaken, given.data, bytes, given.capacity, given.reused);
  }
  return given.data;
}

bool WorkspacePool::free(void* data) {
  // Noted first: once it is given back, the block may be taken again.
  Arena* arena = arenaOfThisThread();
  if (MemoryLog* log = m_log.load(std::memory_order_relaxed)) [[unlikely]] {
    if (arena->holds(data)) {
      log->add(MemoryEventKind::WorkspaceFreed, data);
    }
  }
  return arena->free(data);
}

WorkspaceCounters WorkspacePool::counters() const {
  WorkspaceCounters sum;
  const std::lock_guard guard(m_mutex);
  for (const auto& [thread, arena] : m_arenas) {
    arena->addTo(sum);
  }
  return sum;
}

}  // namespace opscope::runtime
