// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/workspace_pool.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <thread>

namespace opscope::runtime {
namespace {

TEST(WorkspacePool, GivesAlignedMemoryAndReusesIt) {
  WorkspacePool pool;
  void* first = pool.allocate(1000);
  void* second = pool.allocate(50000);
  void* empty = pool.allocate(0);
  for (void* data : {first, second, empty}) {
    ASSERT_NE(data, nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(data) % WorkspacePool::kWorkspaceAlignment, 0U);
  }
  std::memset(second, 1, 50000);
  EXPECT_TRUE(pool.free(empty));
  EXPECT_TRUE(pool.free(second));
  EXPECT_TRUE(pool.free(first));
  EXPECT_EQ(pool.allocate(40000), second) << "the smallest block that holds it";
  EXPECT_EQ(pool.counters().peakBytes, 51000);
  EXPECT_EQ(pool.counters().largestBytes, 50000);
  EXPECT_EQ(pool.counters().liveBytes, 40000);
  EXPECT_EQ(pool.counters().requests, 4);
}

TEST(WorkspacePool, GivesBackInAnyOrder) {
  WorkspacePool pool;
  void* first = pool.allocate(10);
  void* second = pool.allocate(10);
  EXPECT_TRUE(pool.free(first));
  EXPECT_TRUE(pool.free(second));
  EXPECT_FALSE(pool.free(second)) << "given back twice";
  int other = 0;
  EXPECT_FALSE(pool.free(&other));
  EXPECT_FALSE(pool.free(nullptr));
}

TEST(WorkspacePool, GrowingRequestsDoNotLeaveTheirFormerSizesBehind) {
  WorkspacePool pool;
  for (std::size_t bytes = 1000; bytes < 4000000; bytes += bytes / 4) {
    void* data = pool.allocate(bytes);
    ASSERT_TRUE(pool.free(data));
  }
  EXPECT_LT(pool.counters().heldBytes, 4000000 + 4096);
}

TEST(WorkspacePool, ImpossibleSizesGiveNull) {
  WorkspacePool pool;
  EXPECT_EQ(pool.allocate(std::numeric_limits<std::size_t>::max()), nullptr);
  EXPECT_EQ(pool.allocate(std::numeric_limits<std::size_t>::max() / 2 - 5000), nullptr);
  EXPECT_NE(pool.allocate(64), nullptr);
}

TEST(WorkspacePool, EachThreadHasItsOwn) {
  WorkspacePool pool;
  void* mine = pool.allocate(100);
  std::thread([&] {
    EXPECT_FALSE(pool.free(mine));
    void* theirs = pool.allocate(100);
    EXPECT_NE(theirs, mine);
    EXPECT_TRUE(pool.free(theirs));
  }).join();
  EXPECT_TRUE(pool.free(mine));
}

TEST(WorkspacePool, SeveralPoolsOnOneThreadStayApart) {
  WorkspacePool first;
  void* kept = first.allocate(100);
  for (int i = 0; i < 3; ++i) {
    WorkspacePool second;
    void* data = second.allocate(100);
    EXPECT_FALSE(first.free(data));
    EXPECT_TRUE(second.free(data));
  }
  EXPECT_TRUE(first.free(kept));
}

}  // namespace
}  // namespace opscope::runtime
