// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/parallel_launch.h"

#include <tvm/ffi/error.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <new>
#include <string>
#include <system_error>
#include <utility>

#include "engine/base/clock.h"
#include "engine/runtime/run_context.h"

namespace opscope::runtime {

namespace {

constexpr int kOutside = -1;
thread_local int t_lane = kOutside;

constexpr int kSpinsAtBarrier = 2000;
constexpr std::int64_t kHelperAfterNs = 50'000;
constexpr std::uint64_t kWaitingMask = 0xFFFFFFFFU;

void raise(const char* kind, const std::string& message) {
  tvm::ffi::detail::SetSafeCallRaised(tvm::ffi::Error(kind, message, ""));
}

}  // namespace

InsideTaskScope::InsideTaskScope(int lane) : m_before(std::exchange(t_lane, lane)) {}

InsideTaskScope::~InsideTaskScope() {
  t_lane = m_before;
}

bool InsideTaskScope::active() {
  return t_lane != kOutside;
}

int InsideTaskScope::lane() {
  return std::max(t_lane, 0);
}

void ParallelLaunch::runTask(int task) {
  if (!m_failed.load(std::memory_order_relaxed)) {
    if (m_log == nullptr) [[likely]] {
      callTask(task);
    } else {
      callRecorded(task);
    }
  }
  m_ended.fetch_add(1, std::memory_order_seq_cst);
}

/// All is written before the task counts as ended, so who launched may read it.
void ParallelLaunch::callRecorded(int task) {
  const int lane = InsideTaskScope::lane();
  const LaneLog::Place place{m_number, static_cast<std::uint32_t>(lane),
                             m_pool != nullptr && lane < m_log->threads()};
  const LaneLog::OpenTask open = m_log->beginTask();
  callTask(task);
  m_log->endTask(place, open, static_cast<std::uint32_t>(task));
}

void ParallelLaunch::callTask(int task) {
  int code = -1;
  // Kernels are C code that returns codes, but what they call may be C++ that throws through them.
  try {
    code = m_function(task, &m_env, m_data);
  } catch (const tvm::ffi::Error& error) {
    tvm::ffi::detail::SetSafeCallRaised(error);
  } catch (const std::bad_alloc&) {
    raise("MemoryError", "memory is out in a task of a parallel loop");
  } catch (const std::exception& error) {
    raise("InternalError", error.what());
  } catch (...) {
    raise("InternalError", "an exception of an unknown type was thrown by a task of a parallel loop");
  }
  if (code != 0) {
    recordError(task, code);
  }
}

void ParallelLaunch::recordError(int task, int code) {
  TVMFFIObjectHandle error = nullptr;
  TVMFFIErrorMoveFromRaised(&error);
  if (error == nullptr) {
    raise("RuntimeError", "task " + std::to_string(task) + " of a parallel loop failed with code " +
                              std::to_string(code) + " and raised no error");
    TVMFFIErrorMoveFromRaised(&error);
  }
  if (m_failed.exchange(true, std::memory_order_acq_rel)) {
    TVMFFIObjectDecRef(error);
  } else {
    m_error = error;
  }
}

int ParallelLaunch::finish() {
  while (true) {
    std::vector<std::thread> helpers;
    {
      const std::lock_guard guard(m_helperMutex);
      helpers.swap(m_helpers);
    }
    if (helpers.empty()) {
      break;
    }
    for (std::thread& helper : helpers) {
      helper.join();
    }
  }
  if (!m_failed.load(std::memory_order_acquire)) {
    return 0;
  }
  TVMFFIErrorSetRaised(m_error);
  TVMFFIObjectDecRef(std::exchange(m_error, nullptr));
  return -1;
}

bool ParallelLaunch::tryOpenBarrier(std::uint64_t state) {
  // Tasks that have ended will not come any more. The count is read after the state: one that waits in
  // `state` can only have ended if the barrier was opened since, and then the exchange fails.
  const std::uint64_t ended = static_cast<std::uint64_t>(m_ended.load(std::memory_order_acquire));
  if ((state & kWaitingMask) + ended < static_cast<std::uint64_t>(m_env.taskCount)) {
    return false;
  }
  m_barrier.compare_exchange_strong(state, ((state >> 32) + 1) << 32, std::memory_order_acq_rel);
  return true;
}

int ParallelLaunch::arriveAndWait() {
  const std::uint64_t opened = m_barrier.fetch_add(1, std::memory_order_acq_rel) >> 32;
  std::int64_t helperTime = 0;
  for (int spins = 0;; ++spins) {
    const std::uint64_t state = m_barrier.load(std::memory_order_acquire);
    if (state >> 32 != opened) {
      return 0;
    }
    if (m_failed.load(std::memory_order_acquire)) {
      raise("RuntimeError", "another task of the parallel loop failed before the barrier");
      return -1;
    }
    if (tryOpenBarrier(state)) {
      continue;
    }
    if (spins < kSpinsAtBarrier) {
      pauseProcessor();
      continue;
    }
    // Tasks that nobody has taken would be waited for in vain when all threads of the pool stand here.
    const std::int64_t now = base::monotonicNs();
    if (helperTime == 0) {
      helperTime = now + kHelperAfterNs;
    } else if (now >= helperTime && TaskClaims::anyLeft(m_claims.load(std::memory_order_acquire))) {
      startHelper();
      helperTime = now + kHelperAfterNs;
    }
    if (spins < 2 * kSpinsAtBarrier) {
      std::this_thread::yield();
    } else {
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
  }
}

void ParallelLaunch::startHelper() {
  const std::lock_guard guard(m_helperMutex);
  if (static_cast<int>(m_helpers.size()) >= m_env.taskCount) {
    return;
  }
  try {
    const int lane = (m_pool == nullptr ? 1 : m_pool->threadCount()) + static_cast<int>(m_helpers.size());
    m_helpers.emplace_back([this, lane] { runAsHelper(lane); });
  } catch (const std::exception& error) {
    raise("RuntimeError", "a barrier among " + std::to_string(m_env.taskCount) +
                              " tasks needs more threads than the system gives: " + error.what());
    recordError(0, -1);
  }
}

void ParallelLaunch::runAsHelper(int lane) {
  const InsideTaskScope inside(lane);
  std::optional<RunContextScope> scope;
  if (m_context != nullptr) {
    scope.emplace(*m_context);
  }
  // The launch is there until this thread is joined.
  while (const std::optional<int> task = TaskClaims::take(m_claims)) {
    if (m_pool != nullptr) {
      m_pool->runTask(*this, *task);
    } else {
      runTask(*task);
    }
  }
}

}  // namespace opscope::runtime
