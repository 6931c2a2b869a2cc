// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/cpu_topology.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <cstdlib>
#include <set>
#include <thread>

namespace opscope::runtime {
namespace {

class ThreadCount : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const char* value = std::getenv("TVM_NUM_THREADS")) {
      m_before = value;
    }
    unsetenv("TVM_NUM_THREADS");
  }
  void TearDown() override {
    if (m_before.empty()) {
      unsetenv("TVM_NUM_THREADS");
    } else {
      setenv("TVM_NUM_THREADS", m_before.c_str(), 1);
    }
  }

 private:
  std::string m_before;
};

TEST(CpuTopology, ListsEachAllowedProcessorOnce) {
  const auto cpus = allowedCpus();
  ASSERT_FALSE(cpus.empty());
  EXPECT_EQ(std::set<int>(cpus.begin(), cpus.end()).size(), cpus.size());
  EXPECT_GE(physicalCoreCount(), 1);
  EXPECT_LE(physicalCoreCount(), static_cast<int>(cpus.size()));
}

TEST(CpuTopology, HoldsToTheAffinityMask) {
  std::thread([] {
    const int only = allowedCpus().back();
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(static_cast<std::size_t>(only), &set);
    ASSERT_EQ(sched_setaffinity(0, sizeof(set), &set), 0);
    EXPECT_EQ(allowedCpus(), std::vector<int>{only});
    EXPECT_EQ(physicalCoreCount(), 1);
  }).join();
}

TEST_F(ThreadCount, ComesFromOptionThenEnvironmentThenCores) {
  EXPECT_EQ(chooseThreadCount(3), 3);
  EXPECT_EQ(chooseThreadCount(0), physicalCoreCount());
  setenv("TVM_NUM_THREADS", "5", 1);
  EXPECT_EQ(chooseThreadCount(0), 5);
  EXPECT_EQ(chooseThreadCount(3), 3);
  for (const char* wrong : {"0", "-2", "many", "5x", "", "99999999999"}) {
    setenv("TVM_NUM_THREADS", wrong, 1);
    EXPECT_EQ(chooseThreadCount(0), physicalCoreCount()) << wrong;
  }
  EXPECT_EQ(chooseThreadCount(1000000), kMaxThreads);
}

}  // namespace
}  // namespace opscope::runtime
