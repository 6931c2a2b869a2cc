// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/thread_pool.h"

#include <pthread.h>
#include <sched.h>
#include <tvm/ffi/c_api.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <system_error>

#include "engine/base/clock.h"
#include "engine/base/log.h"
#include "engine/runtime/cpu_topology.h"
#include "engine/runtime/lane_log.h"
#include "engine/runtime/parallel_launch.h"
#include "engine/runtime/run_context.h"

namespace opscope::runtime {

namespace {

constexpr int kLooksPerClockRead = 64;

/// Looks at `done` for up to `spinNs`; true as soon as it says so.
template <class F>
bool spinUntil(std::int64_t spinNs, F&& done) {
  std::int64_t deadline = 0;
  while (true) {
    for (int i = 0; i < kLooksPerClockRead; ++i) {
      if (done()) {
        return true;
      }
      pauseProcessor();
    }
    const std::int64_t now = base::monotonicNs();
    if (deadline == 0) {
      deadline = now + spinNs;
    }
    if (now >= deadline) {
      return false;
    }
  }
}

void bindThisThread(int cpu) {
  const auto capacity = static_cast<std::size_t>(cpu) + 1;
  const std::unique_ptr<cpu_set_t, void (*)(cpu_set_t*)> set(CPU_ALLOC(capacity),
                                                             [](cpu_set_t* freed) { CPU_FREE(freed); });
  if (set == nullptr) {
    return;
  }
  const std::size_t bytes = CPU_ALLOC_SIZE(capacity);
  CPU_ZERO_S(bytes, set.get());
  CPU_SET_S(static_cast<std::size_t>(cpu), bytes, set.get());
  if (pthread_setaffinity_np(pthread_self(), bytes, set.get()) != 0) {
    base::log(base::LogLevel::Debug, "a worker could not be bound to processor " + std::to_string(cpu));
  }
}

}  // namespace

ThreadPool::ThreadPool(const RuntimeOptions& options, RunContext* context) : m_context(context) {
  const int threads = chooseThreadCount(options.threads);
  const std::vector<int> cpus = allowedCpus();
  // With more threads than processors, one that spins or is bound takes time from one that works.
  const bool fits = threads <= static_cast<int>(cpus.size());
  m_spinNs = fits ? std::clamp<std::int64_t>(options.spinUs, 0, 1'000'000) * 1000 : 0;
  m_workers.reserve(static_cast<std::size_t>(threads));
  for (int i = 1; i < threads; ++i) {
    // The first processor is left to the caller.
    const int cpu = options.pin && fits ? cpus[static_cast<std::size_t>(i)] : -1;
    try {
      m_workers.emplace_back([this, i, cpu] { workerLoop(i, cpu); });
    } catch (const std::system_error& error) {
      base::log(base::LogLevel::Warning, "the pool has " + std::to_string(threadCount()) +
                                             " threads instead of " + std::to_string(threads) + ": " +
                                             error.what());
      break;
    }
  }
}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard guard(m_mutex);
    m_stop.store(true, std::memory_order_seq_cst);
  }
  m_workAvailable.notify_all();
  for (std::thread& worker : m_workers) {
    worker.join();
  }
}

int ThreadPool::launch(ParallelTask function, void* data, int tasks) {
  if (function == nullptr || tasks < 0) {
    TVMFFIErrorSetRaisedFromCStr("ValueError", "a parallel launch needs a function and a number of tasks");
    return -1;
  }
  const bool alone =
      tasks == 1 || tasks > TaskClaims::kMaxTasks || m_workers.empty() || InsideTaskScope::active();
  if (alone || m_busy.exchange(true, std::memory_order_acquire)) {
    LaneLog* log = m_log.load(std::memory_order_relaxed);
    return log == nullptr || tasks > TaskClaims::kMaxTasks
               ? launchInline(function, data, tasks, m_context)
               : launchInlineRecorded(function, data, tasks, m_context, *log, wayOf(tasks));
  }
  return launchOnPool(function, data, tasks == 0 ? threadCount() : tasks);
}

int ThreadPool::launchOnPool(ParallelTask function, void* data, int tasks) {
  LaneLog* log = m_log.load(std::memory_order_relaxed);
  ParallelLaunch launch(function, data, tasks, m_claims, this, m_context, log);
  const std::uint64_t begin = log == nullptr ? 0 : log->ticks();
  publish(launch);
  {
    const InsideTaskScope inside(0);
    while (const std::optional<int> task = TaskClaims::take(m_claims)) {
      launch.runTask(*task);
    }
  }
  waitForEnd(launch);
  const int code = launch.finish();
  if (log != nullptr) [[unlikely]] {
    log->addLaunch({launch.number(), begin, log->ticks(), static_cast<std::uint32_t>(tasks), LaunchWay::Pool,
                    code != 0});
  }
  m_busy.store(false, std::memory_order_release);
  return code;
}

int ThreadPool::launchSerially(ParallelTask function, void* data, int tasks) {
  if (function == nullptr || tasks < 0) {
    TVMFFIErrorSetRaisedFromCStr("ValueError", "a parallel launch needs a function and a number of tasks");
    return -1;
  }
  return launchInline(function, data, tasks, RunContext::current());
}

int ThreadPool::launchInline(ParallelTask function, void* data, int tasks, RunContext* context) {
  if (tasks > TaskClaims::kMaxTasks) {
    TVMFFIErrorSetRaisedFromCStr("ValueError", "a parallel launch has more than 16777215 tasks");
    return -1;
  }
  const int count = tasks == 0 ? 1 : tasks;
  std::atomic<std::uint64_t> claims{TaskClaims::following(0, count)};
  ParallelLaunch launch(function, data, count, claims, nullptr, context);
  return runInline(launch, claims);
}

int ThreadPool::launchInlineRecorded(ParallelTask function, void* data, int tasks, RunContext* context,
                                     LaneLog& log, LaunchWay way) {
  const int count = tasks == 0 ? 1 : tasks;
  std::atomic<std::uint64_t> claims{TaskClaims::following(0, count)};
  ParallelLaunch launch(function, data, count, claims, nullptr, context, &log);
  const std::uint64_t begin = log.ticks();
  const int code = runInline(launch, claims);
  log.addLaunch({launch.number(), begin, log.ticks(), static_cast<std::uint32_t>(count), way, code != 0});
  return code;
}

int ThreadPool::runInline(ParallelLaunch& launch, std::atomic<std::uint64_t>& claims) {
  while (const std::optional<int> task = TaskClaims::take(claims)) {
    launch.runTask(*task);
  }
  return launch.finish();
}

/// Why a launch does not use the pool.
LaunchWay ThreadPool::wayOf(int tasks) const {
  return InsideTaskScope::active() ? LaunchWay::Nested
         : m_workers.empty()       ? LaunchWay::OneThread
         : tasks == 1              ? LaunchWay::OneTask
                                   : LaunchWay::PoolBusy;
}

int ThreadPool::barrier(int /*task*/, ParallelEnv* env) {
  if (env == nullptr || env->syncHandle == nullptr) {
    TVMFFIErrorSetRaisedFromCStr("ValueError", "a barrier was called outside of a parallel launch");
    return -1;
  }
  return static_cast<ParallelLaunch*>(env->syncHandle)->arriveAndWait();
}

void ThreadPool::publish(ParallelLaunch& launch) {
  m_launch = &launch;
  const std::uint64_t word = m_claims.load(std::memory_order_relaxed);
  m_claims.store(TaskClaims::following(word, launch.taskCount()), std::memory_order_seq_cst);
  // A worker that is about to sleep counts itself first and looks at the claims after, so one of the two
  // sees.
  const int sleeping = m_sleeping.load(std::memory_order_seq_cst);
  if (sleeping == 0) {
    return;
  }
  { const std::lock_guard guard(m_mutex); }
  const int wanted = launch.taskCount() - 1;
  if (wanted >= sleeping) {
    m_workAvailable.notify_all();
    return;
  }
  for (int i = 0; i < wanted; ++i) {
    m_workAvailable.notify_one();
  }
}

void ThreadPool::runTask(ParallelLaunch& launch, int task) {
  launch.runTask(task);
  // From here on the launch may be gone; the pool is not.
  if (m_launcherSleeps.load(std::memory_order_seq_cst)) {
    const std::lock_guard guard(m_mutex);
    m_launchEnded.notify_all();
  }
}

void ThreadPool::waitForEnd(const ParallelLaunch& launch) {
  if (launch.ended() || spinUntil(m_spinNs, [&launch] { return launch.ended(); })) {
    return;
  }
  std::unique_lock lock(m_mutex);
  m_launcherSleeps.store(true, std::memory_order_seq_cst);
  m_launchEnded.wait(lock, [&launch] { return launch.ended(); });
  m_launcherSleeps.store(false, std::memory_order_relaxed);
}

void ThreadPool::workerLoop(int index, int cpu) {
  pthread_setname_np(pthread_self(), ("opscope-pool-" + std::to_string(index)).substr(0, 15).c_str());
  if (cpu >= 0) {
    bindThisThread(cpu);
  }
  const InsideTaskScope inside(index);
  std::optional<RunContextScope> scope;
  if (m_context != nullptr) {
    scope.emplace(*m_context);
  }
  while (waitForWork()) {
    while (const std::optional<int> task = TaskClaims::take(m_claims)) {
      runTask(*m_launch, *task);
    }
  }
}

bool ThreadPool::waitForWork() {
  const auto wanted = [this] {
    return m_stop.load(std::memory_order_relaxed) ||
           TaskClaims::anyLeft(m_claims.load(std::memory_order_seq_cst));
  };
  if (!spinUntil(m_spinNs, wanted)) {
    std::unique_lock lock(m_mutex);
    m_sleeping.fetch_add(1, std::memory_order_seq_cst);
    m_workAvailable.wait(lock, wanted);
    m_sleeping.fetch_sub(1, std::memory_order_relaxed);
  }
  return !m_stop.load(std::memory_order_relaxed);
}

}  // namespace opscope::runtime
