// SPDX-License-Identifier: Apache-2.0
// What allocators and workspaces write to a log of memory.
#include "engine/runtime/memory_log.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "engine/base/clock.h"
#include "engine/runtime/storage.h"
#include "engine/runtime/workspace_pool.h"

namespace opscope::runtime {
namespace {

constexpr DLDevice kHost{kDLCPU, 0};
constexpr DLDataType kFloat{kDLFloat, 32, 1};

std::vector<MemoryEventKind> kindsOf(const MemoryLog& log) {
  std::vector<MemoryEventKind> kinds;
  for (std::size_t i = 0; i < log.size(); ++i) {
    kinds.push_back(log.at(i).kind);
  }
  return kinds;
}

TEST(MemoryLog, StoragesAndTheirTensors) {
  StorageAllocator allocator(AllocatorKind::Pooled);
  allocateStorage(allocator, 1000, 64, kHost);  // before the log
  MemoryLog log(base::tickCounterUsable());
  allocator.setLog(&log);
  {
    Storage storage = allocateStorage(allocator, 1000, 64, kHost);
    const tvm::ffi::Shape shape{10, 5};
    const tvm::ffi::Tensor tensor = tensorFromStorage(storage, 0, shape, kFloat);
    storage = Storage();  // the tensor keeps it
  }
  using enum MemoryEventKind;
  EXPECT_EQ(kindsOf(log), (std::vector{StorageTaken, TensorMade, TensorFreed, StorageFreed}));
  EXPECT_EQ(log.at(0).bytes, 1000);
  EXPECT_EQ(log.at(0).givenBytes, 1024);
  EXPECT_TRUE(log.at(0).reused);
  EXPECT_EQ(log.at(1).bytes, 200);
  EXPECT_EQ(log.at(1).storage, log.at(0).key);
  EXPECT_EQ(log.at(2).key, log.at(1).key);
  EXPECT_EQ(log.at(3).key, log.at(0).key);
  for (std::size_t i = 1; i < log.size(); ++i) {
    EXPECT_GE(log.at(i).ticks, log.at(i - 1).ticks);
  }
  allocator.setLog(nullptr);
  allocateStorage(allocator, 8, 64, kHost);
  EXPECT_EQ(log.size(), 4u);
}

TEST(MemoryLog, ANaiveAllocatorReusesNothing) {
  StorageAllocator allocator(AllocatorKind::Naive);
  MemoryLog log(base::tickCounterUsable());
  allocator.setLog(&log);
  for (int i = 0; i < 3; ++i) {
    allocateStorage(allocator, 1000, 64, kHost);
  }
  ASSERT_EQ(log.size(), 6u);
  for (std::size_t i = 0; i < 6; i += 2) {
    EXPECT_FALSE(log.at(i).reused);
    EXPECT_EQ(log.at(i).givenBytes, 1000);
  }
  allocator.setLog(nullptr);
}

TEST(MemoryLog, WorkspacesOfSeveralThreads) {
  constexpr int kThreads = 4;
  constexpr int kRounds = 2000;
  WorkspacePool pool;
  MemoryLog log(base::tickCounterUsable());
  pool.setLog(&log);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&pool] {
      for (int round = 0; round < kRounds; ++round) {
        void* data = pool.allocate(100);
        EXPECT_TRUE(pool.free(data));
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  ASSERT_EQ(log.size(), 2u * kThreads * kRounds);
  std::int64_t live = 0;
  for (std::size_t i = 0; i < log.size(); ++i) {
    const MemoryEvent& event = log.at(i);
    live += event.kind == MemoryEventKind::WorkspaceTaken ? 1 : -1;
    ASSERT_GE(live, 0);
    ASSERT_LE(live, kThreads);
    ASSERT_TRUE(i == 0 || event.ticks >= log.at(i - 1).ticks);
  }
  EXPECT_EQ(live, 0);
  EXPECT_EQ(log.lost(), 0u);
  EXPECT_FALSE(pool.free(&pool));  // not taken: nothing is written
  EXPECT_EQ(log.size(), 2u * kThreads * kRounds);
}

TEST(MemoryLog, StoragesFreedOnOtherThreadsWhileTheLogIsTakenAway) {
  StorageAllocator allocator(AllocatorKind::Pooled);
  for (int round = 0; round < 50; ++round) {
    std::vector<tvm::ffi::Tensor> tensors;
    MemoryLog log(base::tickCounterUsable());
    allocator.setLog(&log);
    for (int i = 0; i < 20; ++i) {
      const tvm::ffi::Shape shape{4};
      tensors.push_back(emptyTensor(allocator, shape, kFloat, kHost));
    }
    std::thread other([&tensors] { tensors.clear(); });
    allocator.setLog(nullptr);
    other.join();
    EXPECT_GE(log.size(), 40u);
  }
}

}  // namespace
}  // namespace opscope::runtime
