// SPDX-License-Identifier: Apache-2.0
#include "engine/code/thunks.h"

#include <array>
#include <atomic>
#include <mutex>
#include <utility>

namespace opscope::code {

namespace {

thread_local KernelTap* t_tap = nullptr;

struct Entry {
  std::atomic<KernelFunction> real{nullptr};
  std::atomic<KernelTap*> tap{nullptr};
  std::atomic<std::uint32_t> kernel{0};
};

std::array<Entry, kThunkCount> g_entries;

/// Tells the tap that the call is over, also when an exception passes.
class OpenCall {
 public:
  OpenCall(KernelTap& tap, const KernelCall& call) : m_tap(tap), m_call(call) {}
  ~OpenCall() {
    if (!m_ended) {
      m_tap.endKernel(m_call, false);
    }
  }
  OpenCall(const OpenCall&) = delete;
  OpenCall& operator=(const OpenCall&) = delete;
  int end(int code) {
    m_ended = true;
    return m_tap.endKernel(m_call, code == 0) ? code : -1;
  }

 private:
  KernelTap& m_tap;
  const KernelCall& m_call;
  bool m_ended = false;
};

int forward(const Entry& entry, void* handle, const KernelCall& call) {
  KernelTap* const tap = t_tap;
  const KernelFunction real = entry.real.load(std::memory_order_relaxed);
  if (tap == nullptr || tap != entry.tap.load(std::memory_order_relaxed)) {
    return real(handle, call.arguments, call.count, call.result);
  }
  switch (tap->beginKernel(call)) {
    case KernelTap::Answer::Refuse:
      return -1;
    case KernelTap::Answer::Ignore:
      return real(handle, call.arguments, call.count, call.result);
    case KernelTap::Answer::Watch:
      break;
  }
  OpenCall open(*tap, call);
  return open.end(real(handle, call.arguments, call.count, call.result));
}

template <std::size_t kIndex>
int thunk(void* handle, const void* arguments, std::int32_t count, void* result) {
  const Entry& entry = g_entries[kIndex];
  return forward(
      entry, handle,
      {entry.kernel.load(std::memory_order_relaxed), __builtin_return_address(0), arguments, count, result});
}

template <std::size_t... kIndexes>
constexpr std::array<KernelFunction, kThunkCount> makeThunks(std::index_sequence<kIndexes...>) {
  return {&thunk<kIndexes>...};
}

constexpr std::array<KernelFunction, kThunkCount> kThunks =
    makeThunks(std::make_index_sequence<kThunkCount>());

/// Which thunks are free: those given back, and all from `next` on.
struct FreeList {
  std::mutex mutex;
  std::vector<std::uint32_t> returned;
  std::uint32_t next = 0;
};

FreeList& freeList() {
  static FreeList list;
  return list;
}

}  // namespace

KernelTap* KernelTap::current() {
  return t_tap;
}

KernelTapScope::KernelTapScope(KernelTap* tap) : m_previous(std::exchange(t_tap, tap)) {}

KernelTapScope::~KernelTapScope() {
  t_tap = m_previous;
}

ThunkSet& ThunkSet::operator=(ThunkSet&& other) noexcept {
  if (this != &other) {
    release();
    m_taken = std::exchange(other.m_taken, {});
  }
  return *this;
}

KernelFunction ThunkSet::add(KernelTap& tap, std::uint32_t kernel, KernelFunction real) {
  m_taken.reserve(m_taken.size() + 1);
  std::uint32_t index = 0;
  {
    FreeList& list = freeList();
    const std::lock_guard lock(list.mutex);
    if (!list.returned.empty()) {
      index = list.returned.back();
      list.returned.pop_back();
    } else if (list.next < kThunkCount) {
      index = list.next++;
      list.returned.reserve(list.next);  // so that giving back never allocates
    } else {
      return nullptr;
    }
  }
  m_taken.push_back(index);
  g_entries[index].real.store(real, std::memory_order_relaxed);
  g_entries[index].kernel.store(kernel, std::memory_order_relaxed);
  g_entries[index].tap.store(&tap, std::memory_order_release);
  return kThunks[index];
}

void ThunkSet::release() {
  FreeList& list = freeList();
  const std::lock_guard lock(list.mutex);
  for (const std::uint32_t index : m_taken) {
    g_entries[index].tap.store(nullptr, std::memory_order_relaxed);  // `real` stays for a late caller
    list.returned.push_back(index);
  }
  m_taken.clear();
}

std::uint32_t ThunkSet::freeCount() {
  FreeList& list = freeList();
  const std::lock_guard lock(list.mutex);
  return kThunkCount - list.next + static_cast<std::uint32_t>(list.returned.size());
}

}  // namespace opscope::code
