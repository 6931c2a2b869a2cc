// SPDX-License-Identifier: Apache-2.0
// What the logs of memory and of parallel parts cost, off and on: minima of many rounds, printed.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <limits>

#include "engine/base/clock.h"
#include "engine/runtime/lane_log.h"
#include "engine/runtime/memory_log.h"
#include "engine/runtime/storage.h"
#include "engine/runtime/thread_pool.h"

namespace {

using namespace opscope;

constexpr int kRounds = 40;
constexpr int kEach = 2000;

/// The least time of one call of `body` over the rounds, in nanoseconds.
template <class Body>
double leastNs(Body&& body) {
  double least = std::numeric_limits<double>::infinity();
  for (int round = 0; round < kRounds; ++round) {
    const std::int64_t begin = base::monotonicNs();
    for (int i = 0; i < kEach; ++i) {
      body();
    }
    least = std::min(least, static_cast<double>(base::monotonicNs() - begin) / kEach);
  }
  return least;
}

void printPair(const char* what, double off, double on) {
  std::printf("%s: %.1f ns without the log, %.1f ns with it, %.1f ns added\n", what, off, on, on - off);
}

void launches(int threads) {
  runtime::RuntimeOptions options;
  options.threads = threads;
  runtime::ThreadPool pool(options, nullptr);
  const auto launch = [&pool] {
    pool.launch([](int, runtime::ParallelEnv*, void*) { return 0; }, nullptr, 2);
  };
  const double off = leastNs(launch);
  runtime::LaneLog log(pool.threadCount(), base::tickCounterUsable());
  log.reserve(static_cast<std::size_t>(2 * kRounds * kEach));
  pool.setLog(&log);
  const double on = leastNs(launch);
  pool.setLog(nullptr);
  std::printf("%d threads, ", pool.threadCount());
  printPair("an empty launch of 2 tasks", off, on);
}

void storages() {
  runtime::StorageAllocator allocator(runtime::AllocatorKind::Pooled);
  const tvm::ffi::Shape shape{1, 64};
  const auto take = [&] { runtime::emptyTensor(allocator, shape, {kDLFloat, 32, 1}, {kDLCPU, 0}); };
  const double off = leastNs(take);
  runtime::MemoryLog log(base::tickCounterUsable());
  log.reserve(static_cast<std::size_t>(4 * kRounds * kEach));
  allocator.setLog(&log);
  const double on = leastNs(take);
  allocator.setLog(nullptr);
  printPair("a storage with a tensor, taken and freed", off, on);
}

}  // namespace

int main() {
  storages();
  launches(1);
  launches(2);
  return 0;
}
