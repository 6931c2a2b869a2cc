// SPDX-License-Identifier: Apache-2.0
// Counters over a kernel made up by hand, then over Linux with events that every machine counts.
#include "engine/profile/perf_collector.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "engine/profile/collectors.h"
#include "engine/profile/counter_list.h"

namespace opscope::profile {
namespace {

constexpr DLDevice kCpu{kDLCPU, 0};

std::vector<PerfEvent> events(std::string_view names) {
  auto parsed = parsePerfEvents(names);
  EXPECT_TRUE(parsed) << base::formatError(parsed.error());
  return parsed ? *parsed : std::vector<PerfEvent>();
}

/// Counters are numbered from 10; what they tell is set by the test.
class FakeKernel final : public PerfKernel {
 public:
  int open(const perf_event_attr& attributes, int leader) override {
    if (m_refuse.contains(attributes.config)) return -m_refuse.at(attributes.config);
    if (leader >= 0 && m_groupSizes[leader] == m_most) return -EINVAL;
    const int counter = 10 + static_cast<int>(m_leaders.size());
    m_leaders.push_back(leader);
    ++m_groupSizes[leader < 0 ? counter : leader];
    ++m_open;
    return counter;
  }
  bool read(int counter, CounterReading& reading) override {
    reading = m_readings[counter];
    return !m_unreadable;
  }
  void close(int) override { --m_open; }

  std::map<std::uint64_t, int> m_refuse;  // by config: errno
  int m_most = 4;                         // counters of a group
  std::map<int, int> m_groupSizes;
  std::vector<int> m_leaders;
  std::map<int, CounterReading> m_readings;
  bool m_unreadable = false;
  int m_open = 0;
};

class Counters : public ::testing::Test {
 protected:
  void make(std::string_view names) {
    m_collector = makePerfCollector(events(names), m_kernel, {2, false, false});
    const auto ready = m_collector->init({&kCpu, 1});
    ASSERT_TRUE(ready) << base::formatError(ready.error());
  }
  /// The counters tell `before`, then `after`, in order.
  report::MetricMap between(const std::vector<CounterReading>& before,
                            const std::vector<CounterReading>& after) {
    set(before);
    auto started = m_collector->start(kCpu);
    EXPECT_TRUE(started && *started != nullptr);
    set(after);
    auto told = m_collector->stop(*std::move(started));
    EXPECT_TRUE(told);
    return told ? *told : report::MetricMap();
  }
  void set(const std::vector<CounterReading>& readings) {
    for (std::size_t i = 0; i < readings.size(); ++i)
      m_kernel.m_readings[10 + static_cast<int>(i)] = readings[i];
  }

  FakeKernel m_kernel;
  std::unique_ptr<MetricCollector> m_collector;
};

TEST_F(Counters, TellWhatWasCountedInBetweenWithRatios) {
  make("cycles,instructions,cache-misses,page-faults");
  EXPECT_EQ(m_kernel.m_leaders, (std::vector<int>{-1, 10, 10, -1})) << "hardware as a group";
  const report::MetricMap told = between({{100, 5, 5}, {200, 5, 5}, {10, 5, 5}, {1, 5, 5}},
                                         {{1100, 9, 9}, {2700, 9, 9}, {15, 9, 9}, {4, 9, 9}});
  EXPECT_EQ(*told.find("cycles"), report::Metric(report::Count{1000}));
  EXPECT_EQ(*told.find("instructions"), report::Metric(report::Count{2500}));
  EXPECT_EQ(*told.find("cache-misses"), report::Metric(report::Count{5}));
  EXPECT_EQ(*told.find("page-faults"), report::Metric(report::Count{3}));
  EXPECT_EQ(*told.find("IPC"), report::Metric(report::Ratio{2.5}));
  EXPECT_EQ(*told.find("cache-misses per 1,000 instructions"), report::Metric(report::Ratio{2}));
  EXPECT_TRUE(m_collector->notes().empty());
  EXPECT_EQ(m_collector->unitOf("cycles"), "of all threads, in user space");
  EXPECT_EQ(m_collector->name(), "counters cycles, instructions, cache-misses, page-faults");
}

TEST_F(Counters, AreScaledWhenTheyTakeTurns) {
  m_kernel.m_most = 2;
  make("cycles,instructions,branches");
  EXPECT_EQ(m_kernel.m_leaders, (std::vector<int>{-1, 10, -1})) << "the third has a group of its own";
  const report::MetricMap told =
      between({{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}, {{100, 1000, 500}, {300, 1000, 500}, {7, 1000, 0}});
  EXPECT_EQ(*told.find("cycles"), report::Metric(report::Count{200}));
  EXPECT_EQ(*told.find("IPC"), report::Metric(report::Ratio{3}));
  EXPECT_EQ(told.find("branches"), nullptr) << "it had no turn";
  const auto notes = m_collector->notes();
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_NE(notes[0].message.find("counted only 1 % of the time"), std::string::npos) << notes[0].message;
}

TEST_F(Counters, NothingIsNegativeOrDividedByNothing) {
  make("cycles,instructions,cache-misses");
  const report::MetricMap told =
      between({{100, 9, 9}, {200, 9, 9}, {5, 9, 9}}, {{90, 8, 8}, {200, 8, 8}, {5, 8, 8}});
  EXPECT_EQ(*told.find("cycles"), report::Metric(report::Count{0}));
  EXPECT_EQ(told.find("IPC"), nullptr);
  EXPECT_EQ(told.find("cache-misses per 1,000 instructions"), nullptr);
}

TEST_F(Counters, OtherDevicesAreNotCounted) {
  make("cycles");
  const auto started = m_collector->start({kDLCUDA, 0});
  ASSERT_TRUE(started);
  EXPECT_EQ(*started, nullptr);
}

TEST_F(Counters, AreClosedAtTheEndAndWhenOneIsRefused) {
  make("cycles,instructions");
  ASSERT_TRUE(m_collector->init({&kCpu, 1})) << "again for the next profile";
  EXPECT_EQ(m_kernel.m_open, 2);
  m_collector.reset();
  EXPECT_EQ(m_kernel.m_open, 0);
  m_kernel.m_refuse = {{PERF_COUNT_HW_INSTRUCTIONS, ENOENT}};
  m_collector = makePerfCollector(events("cycles,instructions"), m_kernel, {2, false, true});
  const auto ready = m_collector->init({&kCpu, 1});
  ASSERT_FALSE(ready);
  EXPECT_EQ(ready.error().message, "The event \"instructions\" cannot be counted here.");
  EXPECT_EQ(m_kernel.m_open, 0);
}

TEST_F(Counters, ACounterThatCannotBeReadIsAnError) {
  make("cycles");
  m_kernel.m_unreadable = true;
  EXPECT_FALSE(m_collector->start(kCpu));
}

TEST(PerfRefusal, NamesTheSettingThatWouldAllowIt) {
  const PerfEvent user = events("cycles").front();
  const PerfEvent kernel = events("context-switches").front();
  const base::Error strict = explainRefusal(user, EACCES, {3, false, false});
  EXPECT_NE(strict.detail.find("perf_event_paranoid is 3, at most 2"), std::string::npos) << strict.detail;
  EXPECT_NE(strict.hint.find("sudo sysctl kernel.perf_event_paranoid=2"), std::string::npos);
  EXPECT_NE(strict.hint.find("cap_perfmon"), std::string::npos);
  EXPECT_NE(explainRefusal(kernel, EACCES, {2, false, false}).hint.find("paranoid=1"), std::string::npos);
  const base::Error filtered = explainRefusal(user, EPERM, {2, true, false});
  EXPECT_NE(filtered.detail.find("seccomp"), std::string::npos);
  EXPECT_NE(filtered.hint.find("--cap-add PERFMON"), std::string::npos);
  EXPECT_NE(explainRefusal(user, ENOSYS, {2, true, false}).detail.find("seccomp"), std::string::npos);
  EXPECT_NE(explainRefusal(user, ENOSYS, {}).detail.find("without perf events"), std::string::npos);
}

TEST(PerfRefusal, TellsAVirtualMachineFromAForbiddance) {
  const PerfEvent event = events("instructions").front();
  for (const int code : {ENOENT, EOPNOTSUPP, ENODEV}) {
    const base::Error error = explainRefusal(event, code, {2, false, true});
    EXPECT_EQ(error.code, base::ErrorCode::Unsupported);
    EXPECT_NE(error.detail.find("virtual machine"), std::string::npos) << error.detail;
    EXPECT_EQ(error.hint.find("sysctl"), std::string::npos);
    EXPECT_NE(explainRefusal(event, code, {2, false, false}).detail.find("This processor"),
              std::string::npos);
  }
}

TEST(PerfEvents, HaveNamesOfPerfAndOfLibpfm) {
  const auto parsed = events(" cycles, perf::INSTRUCTIONS ,PERF_COUNT_SW_PAGE_FAULTS:u,");
  ASSERT_EQ(parsed.size(), 3u);
  EXPECT_EQ(parsed[0].name, "cycles");
  EXPECT_EQ(parsed[1].name, "perf::INSTRUCTIONS");
  EXPECT_EQ(parsed[1].attributes.type, std::uint32_t{PERF_TYPE_HARDWARE});
  EXPECT_EQ(parsed[1].attributes.config, std::uint64_t{PERF_COUNT_HW_INSTRUCTIONS});
  EXPECT_TRUE(parsed[1].isHardware);
  EXPECT_EQ(parsed[2].attributes.type, std::uint32_t{PERF_TYPE_SOFTWARE});
  EXPECT_EQ(parsed[2].attributes.config, std::uint64_t{PERF_COUNT_SW_PAGE_FAULTS});
  for (const PerfEvent& event : parsed) {
    EXPECT_EQ(event.attributes.inherit, 1u) << event.name;
    EXPECT_EQ(event.attributes.exclude_kernel, 1u) << event.name;
  }
}

std::string refused(std::string_view names) {
  const auto parsed = parsePerfEvents(names);
  return parsed ? "accepted" : parsed.error().message + " " + parsed.error().hint;
}

TEST(PerfEvents, UnknownNamesAreToldWithNearOnes) {
  EXPECT_EQ(refused("cache-mises"),
            "There is no event \"cache-mises\" to count. Did you mean \"cache-misses\"?");
  EXPECT_NE(refused("nothing::LIKE_IT").find("--counters list"), std::string::npos);
  EXPECT_NE(refused("cycles,cycles").find("named twice"), std::string::npos);
  EXPECT_NE(refused(" , ").find("No event"), std::string::npos);
  EXPECT_FALSE(makeCollector("perf:no-such-thing"));
  EXPECT_TRUE(makeCollector("perf:task-clock"));
}

TEST(PerfEvents, TheListHasEachOneWithItsReason) {
  const CounterList list = listCounters();
  ASSERT_EQ(list.events.size(), knownEvents().size());
  for (const CounterInfo& info : list.events) {
    EXPECT_FALSE(info.description.empty()) << info.name;
    if (info.refusal) {
      EXPECT_FALSE(info.refusal->detail.empty()) << info.name;
    }
  }
}

/// Touches so many new pages.
void touchPages(std::size_t pages) {
  const std::size_t bytes = pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  void* block = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(block, MAP_FAILED);
  madvise(block, bytes, MADV_NOHUGEPAGE);
  for (std::size_t at = 0; at < bytes; at += static_cast<std::size_t>(sysconf(_SC_PAGESIZE))) {
    static_cast<volatile char*>(block)[at] = 1;
  }
  munmap(block, bytes);
}

double countOf(const report::MetricMap& metrics, std::string_view name) {
  const report::Metric* metric = metrics.find(name);
  if (metric == nullptr) {
    ADD_FAILURE() << "no " << name;
    return 0;
  }
  const auto* count = std::get_if<report::Count>(metric);
  return count != nullptr ? static_cast<double>(count->value)
                          : std::get<report::Duration>(*metric).microseconds;
}

/// What Linux counts while `work` runs; empty where it forbids that, in words.
template <class Work>
std::optional<report::MetricMap> counted(std::string_view names, Work&& work) {
  auto collector = makePerfCollector(names);
  EXPECT_TRUE(collector);
  if (const auto ready = (*collector)->init({&kCpu, 1}); !ready) {
    std::cout << "[ not here ] " << base::formatError(ready.error()) << '\n';
    return std::nullopt;
  }
  auto started = (*collector)->start(kCpu);
  EXPECT_TRUE(started);
  work();
  auto told = (*collector)->stop(*std::move(started));
  EXPECT_TRUE(told);
  return *told;
}

TEST(LinuxCounters, AgreeWithGetrusage) {
  rusage before{};
  rusage after{};
  const auto told = counted("page-faults,task-clock,context-switches", [&] {
    getrusage(RUSAGE_SELF, &before);
    touchPages(3000);
    std::thread([] { touchPages(1000); }).join();  // threads made later are counted too
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    getrusage(RUSAGE_SELF, &after);
  });
  if (!told) return;
  const auto faults =
      static_cast<double>(after.ru_minflt + after.ru_majflt - before.ru_minflt - before.ru_majflt);
  EXPECT_GE(faults, 4000);
  EXPECT_NEAR(countOf(*told, "page-faults"), faults, 0.02 * faults);
  const auto switches =
      static_cast<double>(after.ru_nvcsw + after.ru_nivcsw - before.ru_nvcsw - before.ru_nivcsw);
  EXPECT_GE(switches, 1);
  EXPECT_NEAR(countOf(*told, "context-switches"), switches, 3 + 0.1 * switches);
  const auto us = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_usec);
  };
  const double cpu = us(after.ru_utime) + us(after.ru_stime) - us(before.ru_utime) - us(before.ru_stime);
  EXPECT_NEAR(countOf(*told, "task-clock"), cpu, 0.3 * cpu + 4000);
}

TEST(LinuxCounters, AgreeWithPerfStat) {
  if (std::system("perf --version > /dev/null 2>&1") != 0) {
    std::cout << "[ not here ] perf is not installed\n";
    return;
  }
  const std::string output = ::testing::TempDir() + "perf_stat_" + std::to_string(getpid());
  const std::string self = std::to_string(getpid());
  const pid_t perf = fork();
  if (perf == 0) {
    execlp("perf", "perf", "stat", "-x", ",", "-e", "page-faults", "-o", output.c_str(), "-p", self.c_str(),
           static_cast<char*>(nullptr));
    _exit(127);
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));  // until it is attached
  const auto told = counted("page-faults", [] { touchPages(50'000); });
  kill(perf, SIGINT);
  waitpid(perf, nullptr, 0);
  std::ifstream file(output);
  double theirs = -1;
  for (std::string line; std::getline(file, line);) {
    if (line.find("page-faults") != std::string::npos) theirs = std::atof(line.c_str());
  }
  unlink(output.c_str());
  if (!told || theirs <= 0) {
    std::cout << "[ not here ] perf stat counted nothing\n";
    return;
  }
  EXPECT_GE(theirs, 50'000);
  EXPECT_NEAR(countOf(*told, "page-faults"), theirs, 0.02 * theirs);
}

}  // namespace
}  // namespace opscope::profile
