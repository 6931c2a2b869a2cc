// SPDX-License-Identifier: Apache-2.0
// What a pool writes to a log of lanes.
#include "engine/runtime/lane_log.h"

#include <gtest/gtest.h>
#include <tvm/ffi/error.h>

#include <chrono>
#include <functional>
#include <map>
#include <set>
#include <thread>

#include "engine/base/clock.h"
#include "engine/runtime/thread_pool.h"

namespace opscope::runtime {
namespace {

using Body = std::function<int(int task, ParallelEnv* env)>;

int callBody(int task, ParallelEnv* env, void* data) {
  return (*static_cast<Body*>(data))(task, env);
}

int launch(ThreadPool& pool, int tasks, Body body) {
  return pool.launch(callBody, &body, tasks);
}

void takeRaised() {
  tvm::ffi::detail::MoveFromSafeCallRaised();
}

RuntimeOptions optionsWith(int threads, int spinUs) {
  RuntimeOptions options;
  options.threads = threads;
  options.spinUs = spinUs;
  return options;
}

/// Pools of one thread, of as many as there are processors, and of more.
class Lanes : public ::testing::TestWithParam<int> {
 protected:
  Lanes() { m_pool.setLog(&m_log); }
  ~Lanes() override { m_pool.setLog(nullptr); }

  std::map<std::uint64_t, std::vector<LaneRecord>> tasksByLaunch() const {
    std::map<std::uint64_t, std::vector<LaneRecord>> tasks;
    for (const LaneRecord& record : m_log.tasks()) {
      tasks[record.launch].push_back(record);
    }
    return tasks;
  }

  ThreadPool m_pool{optionsWith(GetParam(), 100), nullptr};
  LaneLog m_log{m_pool.threadCount(), base::tickCounterUsable()};
};
INSTANTIATE_TEST_SUITE_P(Pools, Lanes, ::testing::Values(1, 2, 4, 16),
                         [](const auto& chosen) { return "Threads" + std::to_string(chosen.param); });

TEST_P(Lanes, EveryTaskIsWrittenOnce) {
  constexpr int kLaunches = 200;
  for (int i = 0; i < kLaunches; ++i) {
    ASSERT_EQ(launch(m_pool, 5, [](int, ParallelEnv*) { return 0; }), 0);
  }
  const auto launches = m_log.launches();
  const auto tasks = tasksByLaunch();
  ASSERT_EQ(launches.size(), static_cast<std::size_t>(kLaunches));
  for (const LaunchRecord& record : launches) {
    EXPECT_EQ(record.tasks, 5u);
    EXPECT_EQ(record.way, m_pool.threadCount() == 1 ? LaunchWay::OneThread : LaunchWay::Pool);
    EXPECT_FALSE(record.failed);
    const auto& own = tasks.at(record.number);
    std::set<std::uint32_t> seen;
    for (const LaneRecord& task : own) {
      seen.insert(task.task);
      EXPECT_LT(task.lane, static_cast<std::uint32_t>(m_pool.threadCount()));
      EXPECT_GE(task.beginTicks, record.beginTicks);
      EXPECT_GE(task.endTicks, task.beginTicks);
      EXPECT_LE(task.endTicks, record.endTicks);
      EXPECT_GE(task.cpuNs, LaneRecord::kNotRead);
    }
    EXPECT_EQ(seen.size(), 5u);
  }
  EXPECT_EQ(m_log.lost(), 0u);
}

TEST_P(Lanes, ALaneDoesOneTaskAtATime) {
  for (int i = 0; i < 100; ++i) {
    launch(m_pool, 12, [](int, ParallelEnv*) { return 0; });
  }
  std::map<std::uint32_t, std::uint64_t> ends;
  for (const LaneRecord& task : m_log.tasks()) {
    EXPECT_GE(task.beginTicks, ends[task.lane]);
    ends[task.lane] = task.endTicks;
  }
}

TEST_P(Lanes, NestedLaunchesAreToldAsSuch) {
  ASSERT_EQ(launch(m_pool, 4,
                   [&](int, ParallelEnv*) { return launch(m_pool, 3, [](int, ParallelEnv*) { return 0; }); }),
            0);
  std::size_t nested = 0;
  for (const LaunchRecord& record : m_log.launches()) {
    nested += record.way == LaunchWay::Nested ? 1 : 0;
    EXPECT_EQ(record.tasks, tasksByLaunch().at(record.number).size());
  }
  EXPECT_EQ(m_log.launches().size(), 5u);
  EXPECT_EQ(nested, m_pool.threadCount() == 1 ? 0u : 4u);
}

TEST_P(Lanes, LaunchesOfSeveralThreads) {
  constexpr int kHosts = 4;
  constexpr int kRounds = 200;
  std::vector<std::thread> hosts;
  for (int host = 0; host < kHosts; ++host) {
    hosts.emplace_back([this] {
      for (int round = 0; round < kRounds; ++round) {
        launch(m_pool, 3, [](int, ParallelEnv*) { return 0; });
      }
    });
  }
  for (std::thread& host : hosts) {
    host.join();
  }
  EXPECT_EQ(m_log.launches().size(), static_cast<std::size_t>(kHosts * kRounds));
  const auto tasks = tasksByLaunch();
  EXPECT_EQ(tasks.size(), static_cast<std::size_t>(kHosts * kRounds));
  for (const auto& [number, own] : tasks) {
    EXPECT_EQ(own.size(), 3u);
  }
}

TEST_P(Lanes, AFailedLaunchIsMarkedAndItsLeftOutTasksAreMissing) {
  ASSERT_EQ(launch(m_pool, 50,
                   [](int task, ParallelEnv*) {
                     if (task == 0) {
                       TVMFFIErrorSetRaisedFromCStr("ValueError", "no");
                       return -1;
                     }
                     return 0;
                   }),
            -1);
  takeRaised();
  ASSERT_EQ(m_log.launches().size(), 1u);
  EXPECT_TRUE(m_log.launches()[0].failed);
  EXPECT_LE(m_log.tasks().size(), 50u);
  EXPECT_GE(m_log.tasks().size(), 1u);
}

TEST_P(Lanes, HelpersAtABarrierHaveLanesOfTheirOwn) {
  const int tasks = m_pool.threadCount() + 2;
  ASSERT_EQ(launch(m_pool, tasks, [](int task, ParallelEnv* env) { return ThreadPool::barrier(task, env); }),
            0);
  std::set<std::uint32_t> lanes;
  for (const LaneRecord& task : m_log.tasks()) {
    lanes.insert(task.lane);
  }
  EXPECT_EQ(lanes.size(), static_cast<std::size_t>(tasks));  // a task that waits holds its thread
}

TEST_P(Lanes, LongTasksTellTheirProcessorTime) {
  const auto sleep = [](int, ParallelEnv*) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return 0;
  };
  const auto work = [](int, ParallelEnv*) {
    const std::int64_t end = base::monotonicNs() + 2'000'000;
    while (base::monotonicNs() < end) {
    }
    return 0;
  };
  ASSERT_EQ(launch(m_pool, 2, sleep), 0);
  ASSERT_EQ(launch(m_pool, 2, work), 0);
  const auto tasks = tasksByLaunch();
  for (const LaneRecord& task : tasks.at(0)) {
    EXPECT_GE(task.cpuNs, 0);
    EXPECT_LT(task.cpuNs, 15'000'000);  // it slept, whatever the machine did
  }
  for (const LaneRecord& task : tasks.at(1)) {
    EXPECT_GT(task.cpuNs, 0);
  }
}

TEST_P(Lanes, NothingIsWrittenWithoutALog) {
  m_pool.setLog(nullptr);
  launch(m_pool, 4, [](int, ParallelEnv*) { return 0; });
  EXPECT_TRUE(m_log.launches().empty());
  EXPECT_TRUE(m_log.tasks().empty());
}

TEST(LaneLog, CostIsMeasured) {
  EXPECT_GT(measureLaneCostNs(base::tickCounterUsable()), 0);
}

}  // namespace
}  // namespace opscope::runtime
