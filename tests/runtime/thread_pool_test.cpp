// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/thread_pool.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <tvm/ffi/error.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "engine/runtime/backend_symbols.h"
#include "engine/runtime/cpu_topology.h"
#include "engine/runtime/run_context.h"
#include "engine/runtime/workspace_pool.h"

namespace opscope::runtime {
namespace {

using Body = std::function<int(int task, ParallelEnv* env)>;

int callBody(int task, ParallelEnv* env, void* data) {
  return (*static_cast<Body*>(data))(task, env);
}

int launch(ThreadPool& pool, int tasks, Body body) {
  return pool.launch(callBody, &body, tasks);
}

RuntimeOptions optionsWith(int threads, int spinUs = 300) {
  RuntimeOptions options;
  options.threads = threads;
  options.spinUs = spinUs;
  return options;
}

/// (kind, message) of the error that is raised on this thread.
std::pair<std::string, std::string> takeRaised() {
  const tvm::ffi::Error error = tvm::ffi::detail::MoveFromSafeCallRaised();
  if (static_cast<const tvm::ffi::ObjectRef&>(error).get() == nullptr) {
    return {};
  }
  return {error.kind(), error.message()};
}

int failWith(const char* kind, const char* message) {
  TVMFFIErrorSetRaisedFromCStr(kind, message);
  return -1;
}

struct PoolCase {
  int threads;
  int spinUs;
};

class Pools : public ::testing::TestWithParam<PoolCase> {
 protected:
  RunContext m_context{optionsWith(GetParam().threads, GetParam().spinUs)};
  ThreadPool& m_pool = m_context.threadPool();
};
INSTANTIATE_TEST_SUITE_P(ThreadPool, Pools,
                         ::testing::Values(PoolCase{1, 300}, PoolCase{2, 300}, PoolCase{2, 0},
                                           PoolCase{4, 300}, PoolCase{4, 0}),
                         [](const auto& chosen) {
                           return "Threads" + std::to_string(chosen.param.threads) + "Spin" +
                                  std::to_string(chosen.param.spinUs);
                         });

TEST_P(Pools, RunsEachTaskOnce) {
  for (const int tasks : {1, 2, 3, 7, 100, 5000}) {
    std::vector<std::atomic<int>> runs(static_cast<std::size_t>(tasks));
    ASSERT_EQ(launch(m_pool, tasks,
                     [&](int task, ParallelEnv* env) {
                       EXPECT_EQ(env->taskCount, tasks);
                       return runs[static_cast<std::size_t>(task)].fetch_add(1), 0;
                     }),
              0);
    for (const auto& count : runs) {
      ASSERT_EQ(count.load(), 1);
    }
  }
}

TEST_P(Pools, ZeroTasksMeansTheThreadCount) {
  std::atomic<int> runs{0};
  ASSERT_EQ(launch(m_pool, 0,
                   [&](int, ParallelEnv* env) {
                     EXPECT_EQ(env->taskCount, m_pool.threadCount());
                     return runs.fetch_add(1), 0;
                   }),
            0);
  EXPECT_EQ(runs.load(), m_pool.threadCount());
  EXPECT_EQ(m_pool.threadCount(), GetParam().threads);
}

TEST_P(Pools, ManySmallLaunchesSeeEachOthersWrites) {
  std::vector<std::int64_t> values(16, 0);
  for (int round = 0; round < 2000; ++round) {
    ASSERT_EQ(launch(m_pool, 16,
                     [&](int task, ParallelEnv*) { return ++values[static_cast<std::size_t>(task)], 0; }),
              0);
  }
  for (const std::int64_t value : values) {
    EXPECT_EQ(value, 2000);
  }
}

TEST_P(Pools, LaunchesAfterPausesFindSleepingWorkers) {
  for (int round = 0; round < 20; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    std::atomic<int> runs{0};
    ASSERT_EQ(launch(m_pool, 8, [&](int, ParallelEnv*) { return runs.fetch_add(1), 0; }), 0);
    ASSERT_EQ(runs.load(), 8);
  }
}

TEST_P(Pools, LongTasksOutlastTheSpinning) {
  std::atomic<int> runs{0};
  ASSERT_EQ(launch(m_pool, 4,
                   [&](int task, ParallelEnv*) {
                     std::this_thread::sleep_for(std::chrono::milliseconds(task == 1 ? 20 : 1));
                     return runs.fetch_add(1), 0;
                   }),
            0);
  EXPECT_EQ(runs.load(), 4);
}

TEST_P(Pools, TheErrorOfATaskReachesTheLauncher) {
  for (const int bad : {0, 3, 7}) {
    ASSERT_EQ(launch(m_pool, 8,
                     [&](int task, ParallelEnv*) {
                       return task == bad ? failWith("ValueError", "task went wrong") : 0;
                     }),
              -1);
    EXPECT_EQ(takeRaised(), (std::pair<std::string, std::string>("ValueError", "task went wrong")));
  }
  ASSERT_EQ(launch(m_pool, 8, [](int, ParallelEnv*) { return 0; }), 0);
  EXPECT_EQ(takeRaised().first, "");
}

TEST_P(Pools, WhenAllTasksFailOneErrorIsTold) {
  for (int round = 0; round < 200; ++round) {
    ASSERT_EQ(launch(m_pool, 6, [](int, ParallelEnv*) { return failWith("TypeError", "bad"); }), -1);
    ASSERT_EQ(takeRaised().first, "TypeError");
  }
}

TEST_P(Pools, AFailureWithoutAnErrorIsTold) {
  ASSERT_EQ(launch(m_pool, 2, [](int task, ParallelEnv*) { return task == 1 ? 5 : 0; }), -1);
  EXPECT_EQ(takeRaised().second, "task 1 of a parallel loop failed with code 5 and raised no error");
}

TEST_P(Pools, ExceptionsThroughATaskAreItsError) {
  ASSERT_EQ(launch(m_pool, 4,
                   [](int task, ParallelEnv*) -> int {
                     return task == 2 ? throw std::runtime_error("thrown") : 0;
                   }),
            -1);
  EXPECT_EQ(takeRaised(), (std::pair<std::string, std::string>("InternalError", "thrown")));
  ASSERT_EQ(
      launch(m_pool, 4,
             [](int, ParallelEnv*) -> int { throw tvm::ffi::Error("IndexError", "out of bounds", ""); }),
      -1);
  EXPECT_EQ(takeRaised().first, "IndexError");
  ASSERT_EQ(launch(m_pool, 4, [](int, ParallelEnv*) -> int { throw std::bad_alloc(); }), -1);
  EXPECT_EQ(takeRaised().first, "MemoryError");
  ASSERT_EQ(launch(m_pool, 4, [](int, ParallelEnv*) -> int { throw 1; }), -1);
  EXPECT_EQ(takeRaised().first, "InternalError");
}

TEST_P(Pools, NestedLaunchesRunAndReportErrors) {
  std::atomic<int> inner{0};
  ASSERT_EQ(launch(m_pool, 4,
                   [&](int, ParallelEnv*) {
                     return launch(m_pool, 8, [&](int, ParallelEnv*) { return inner.fetch_add(1), 0; });
                   }),
            0);
  EXPECT_EQ(inner.load(), 32);
  ASSERT_EQ(launch(m_pool, 4,
                   [&](int, ParallelEnv*) {
                     return launch(m_pool, 8, [](int task, ParallelEnv*) {
                       return task == 5 ? failWith("ValueError", "deep inside") : 0;
                     });
                   }),
            -1);
  EXPECT_EQ(takeRaised().second, "deep inside");
}

TEST_P(Pools, SeveralThreadsMayLaunchAtOnce) {
  constexpr int kHosts = 4;
  constexpr int kRounds = 300;
  std::vector<std::thread> hosts;
  std::atomic<int> wrong{0};
  for (int host = 0; host < kHosts; ++host) {
    hosts.emplace_back([&, host] {
      for (int round = 0; round < kRounds; ++round) {
        std::vector<int> values(12, 0);
        const bool fails = (host + round) % 7 == 0;
        const int code = launch(m_pool, 12, [&](int task, ParallelEnv*) {
          values[static_cast<std::size_t>(task)] = host * 1000 + round;
          return fails && task == 6 ? failWith("ValueError", std::to_string(host).c_str()) : 0;
        });
        if (fails) {
          wrong += code != -1 || takeRaised().second != std::to_string(host);
        } else {
          wrong += code != 0;
          for (const int value : values) {
            wrong += value != host * 1000 + round;
          }
        }
      }
    });
  }
  for (std::thread& host : hosts) {
    host.join();
  }
  EXPECT_EQ(wrong.load(), 0);
}

/// Each task adds up what all tasks wrote before the barrier, several times.
int runBarrierRounds(ThreadPool& pool, int tasks, int rounds) {
  std::vector<int> written(static_cast<std::size_t>(tasks), -1);
  std::atomic<int> wrong{0};
  const int code = launch(pool, tasks, [&](int task, ParallelEnv* env) {
    for (int round = 0; round < rounds; ++round) {
      written[static_cast<std::size_t>(task)] = round;
      if (ThreadPool::barrier(task, env) != 0) {
        return -1;
      }
      for (const int value : written) {
        wrong += value != round;
      }
      if (ThreadPool::barrier(task, env) != 0) {
        return -1;
      }
    }
    return 0;
  });
  return code != 0 ? code : wrong.load();
}

TEST_P(Pools, BarriersHoldAlsoWithMoreTasksThanThreads) {
  EXPECT_EQ(runBarrierRounds(m_pool, m_pool.threadCount(), 50), 0);
  EXPECT_EQ(runBarrierRounds(m_pool, m_pool.threadCount() + 3, 20), 0);
  EXPECT_EQ(runBarrierRounds(m_pool, 12, 5), 0);
}

TEST_P(Pools, BarriersHoldInNestedLaunches) {
  std::atomic<int> wrong{0};
  ASSERT_EQ(launch(m_pool, 2, [&](int, ParallelEnv*) { return wrong += runBarrierRounds(m_pool, 3, 3), 0; }),
            0);
  EXPECT_EQ(wrong.load(), 0);
}

TEST_P(Pools, AFailedTaskFreesThoseAtTheBarrier) {
  ASSERT_EQ(launch(m_pool, 4,
                   [](int task, ParallelEnv* env) {
                     return task == 3 ? failWith("ValueError", "before the barrier")
                                      : ThreadPool::barrier(task, env);
                   }),
            -1);
  EXPECT_EQ(takeRaised().second, "before the barrier");
}

TEST_P(Pools, ATaskThatEndsWithoutTheBarrierDoesNotBlockTheOthers) {
  EXPECT_EQ(launch(m_pool, 4,
                   [](int task, ParallelEnv* env) { return task == 2 ? 0 : ThreadPool::barrier(task, env); }),
            0);
}

TEST_P(Pools, WorkersHaveTheContextAndTheirOwnWorkspaces) {
  std::atomic<int> wrong{0};
  for (int round = 0; round < 50; ++round) {
    ASSERT_EQ(launch(m_pool, 16,
                     [&](int task, ParallelEnv*) {
                       RunContext* context = RunContext::current();
                       const RunContextScope callerHasNone(m_context);
                       wrong += context != nullptr && context != &m_context;
                       auto* data = static_cast<int*>(m_context.workspaces().allocate(4000));
                       std::fill(data, data + 1000, task);
                       wrong += std::count(data, data + 1000, task) != 1000;
                       wrong += !m_context.workspaces().free(data);
                       return 0;
                     }),
              0);
  }
  EXPECT_EQ(wrong.load(), 0);
  EXPECT_EQ(m_context.workspaces().counters().requests, 800);
  EXPECT_EQ(m_context.workspaces().counters().liveBytes, 0);
}

TEST_P(Pools, AreQuicklyMadeAndDestroyedInAnyState) {
  for (int round = 0; round < 30; ++round) {
    ThreadPool pool(optionsWith(GetParam().threads, GetParam().spinUs), nullptr);
    if (round % 3 == 0) {
      continue;
    }
    ASSERT_EQ(launch(pool, 4, [](int, ParallelEnv*) { return 0; }), 0);
    if (round % 3 == 2) {
      std::this_thread::sleep_for(std::chrono::microseconds(round * 50));
    }
  }
}

TEST(ThreadPool, RefusesNonsense) {
  ThreadPool pool(optionsWith(2), nullptr);
  Body body = [](int, ParallelEnv*) { return 0; };
  EXPECT_EQ(pool.launch(callBody, &body, -1), -1);
  EXPECT_EQ(takeRaised().first, "ValueError");
  EXPECT_EQ(pool.launch(nullptr, nullptr, 1), -1);
  EXPECT_EQ(takeRaised().first, "ValueError");
  EXPECT_EQ(ThreadPool::barrier(0, nullptr), -1);
  EXPECT_EQ(takeRaised().first, "ValueError");
}

TEST(ThreadPool, BindsWorkersWithinTheAllowedProcessors) {
  const std::vector<int> allowed = allowedCpus();
  const int threads = std::min(4, static_cast<int>(allowed.size()));
  ThreadPool pool(optionsWith(threads), nullptr);
  std::atomic<int> outside{0};
  std::atomic<int> unbound{0};
  const std::thread::id caller = std::this_thread::get_id();
  for (int round = 0; round < 20; ++round) {
    launch(pool, 64, [&](int, ParallelEnv*) {
      if (std::this_thread::get_id() != caller) {
        const std::vector<int> own = allowedCpus();
        unbound += own.size() != 1;
        outside += std::find(allowed.begin(), allowed.end(), own.front()) == allowed.end();
      }
      return 0;
    });
  }
  EXPECT_EQ(outside.load(), 0);
  EXPECT_EQ(unbound.load(), 0);
}

TEST(ThreadPool, WithoutPinningWorkersKeepTheMask) {
  RuntimeOptions options = optionsWith(2);
  options.pin = false;
  ThreadPool pool(options, nullptr);
  const std::vector<int> allowed = allowedCpus();
  std::atomic<int> different{0};
  launch(pool, 64, [&](int, ParallelEnv*) { return different += allowedCpus() != allowed, 0; });
  EXPECT_EQ(different.load(), 0);
}

}  // namespace
}  // namespace opscope::runtime
