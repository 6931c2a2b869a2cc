// SPDX-License-Identifier: Apache-2.0
// Metric collectors: the list, and how the profiler makes columns of what they tell.
#include "engine/profile/collectors.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <chrono>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <set>

#include "engine/base/clock.h"
#include "engine/profile/collecting_recorder.h"
#include "engine/profile/profiler.h"
#include "engine/report/run_report.h"
#include "tests/profile/fake_collector.h"
#include "tests/profile/fake_tensors.h"

namespace opscope::profile {
namespace {

using report::CounterColumn;
using testing::FakeCollector;
using testing::FakeTensors;

/// Calls are begun and ended by the test, through the observer that the profiler sets.
class ScriptedMachine final : public vm::VirtualMachine {
 public:
  base::Result<tvm::ffi::Any> invoke(std::string_view, std::span<const tvm::ffi::Any>) override { return {}; }
  base::Result<tvm::ffi::Any> invokeGlobal(std::string_view, std::span<const tvm::ffi::Any>) override {
    return {};
  }
  void setObserver(vm::CallObserver* observer) override { m_observer = observer; }
  void setLogs(const runtime::RuntimeLogs&) override {}
  void requestStop() override {}
  void clearStop() override {}
  const vm::ExecutableData& executable() const override { return m_data; }
  runtime::AllocatorCounters allocatorCounters() const override { return {}; }

  void begin(std::uint32_t function, std::uint32_t depth = 0, bool withTensor = true,
             DLDevice device = {kDLCPU, 0}) {
    const TVMFFIAny argument =
        withTensor ? m_make.tensor({8}, {kDLFloat, 32, 1}, device) : FakeTensors::integer(3);
    m_observer->beginCall({function, function, depth}, &argument, 1);
  }
  void end(std::uint32_t function, std::uint32_t depth = 0) {
    m_observer->endCall({function, function, depth}, TVMFFIAny{});
  }

 private:
  vm::ExecutableData m_data;
  vm::CallObserver* m_observer = nullptr;
  FakeTensors m_make;
};

class Collectors : public ::testing::Test {
 protected:
  Collectors() {
    auto data = std::make_shared<vm::ExecutableData>();
    data->functions.resize(3);
    data->functions[0].name = "outer";
    data->functions[1].name = "conv";
    data->functions[2].name = "alloc";
    data->instructions.resize(3);
    m_file.data = data;
    m_settings.collectors = {&m_collector};
    m_settings.warmup = 1;
    m_settings.repeats = 2;
    m_settings.overhead = OverheadCheck::Off;
    m_callbacks.runRepeat = [this](StepMarks& marks) {
      marks.beginStep(0);
      auto done = m_body();
      if (done) {
        marks.endStep();
      }
      return done;
    };
  }
  Measurement measure() { return profile(m_machine, m_file, m_settings, m_callbacks); }
  report::Run measured() {
    Measurement result = measure();
    EXPECT_FALSE(result.error) << result.error->message;
    EXPECT_EQ(m_collector.m_open, 0) << "each start has its stop";
    return std::move(result.run).value_or(report::Run{});
  }
  static const CounterColumn& column(const report::Run& run, const std::string& name) {
    for (const CounterColumn& counter : run.counters) {
      if (counter.name == name) {
        return counter;
      }
    }
    ADD_FAILURE() << "no column " << name;
    static const CounterColumn none;
    return none;
  }

  ScriptedMachine m_machine;
  vm::ExecutableFile m_file;
  FakeCollector m_collector;
  ProfileSettings m_settings;
  ProfileCallbacks m_callbacks;
  std::function<base::Result<>()> m_body;
};

TEST_F(Collectors, GiveColumnsOfOwnValues) {
  m_body = [this]() -> base::Result<> {
    m_machine.begin(0);
    m_collector.m_now += 3;
    m_machine.begin(1, 1);
    m_collector.m_now += 40;
    m_machine.end(1, 1);
    m_collector.m_now += 2;
    m_machine.end(0);
    m_collector.m_now += 100;  // after the calls, still in the step
    return {};
  };
  const report::Run run = measured();
  ASSERT_EQ(run.calls.size(), 2U);
  EXPECT_EQ(column(run, "Events").values, std::vector<double>({5, 5, 40, 40})) << "outer without conv, conv";
  EXPECT_EQ(column(run, "Events").kind, CounterColumn::Kind::Count);
  EXPECT_EQ(column(run, "Events").totals, std::vector<double>({145, 145}));
  EXPECT_EQ(column(run, "Wait (us)").values, std::vector<double>({2.5, 2.5, 20, 20}));
  EXPECT_EQ(column(run, "IPC").values, std::vector<double>({4.5, 4.5, 4, 4})) << "ratios stay as told";
  EXPECT_EQ(column(run, "IPC").unit, "a cycle");
  const auto document = report::makeDocument(std::make_shared<const report::Run>(run));
  EXPECT_EQ(*document.report->calls[1].find("Events"), report::Metric(report::Count{40}));
  EXPECT_EQ(*document.report->deviceMetrics[0].second.find("Events"), report::Metric(report::Count{145}));
}

TEST_F(Collectors, SeeCallsWithATensorOnTheirDevice) {
  m_body = [this]() -> base::Result<> {
    m_machine.begin(2, 0, false);
    m_collector.m_now += 1;
    m_machine.end(2);
    m_machine.begin(1, 0, true, {kDLCUDA, 0});
    m_collector.m_now += 1;
    m_machine.end(1);
    return {};
  };
  const report::Run run = measured();
  ASSERT_EQ(run.calls.size(), 2U);
  for (const double value : column(run, "Events").values) {
    EXPECT_TRUE(std::isnan(value));
  }
  EXPECT_EQ(column(run, "Events").totals, std::vector<double>({2, 2}));
}

TEST_F(Collectors, FramesOfCallsThatFailedAreClosed) {
  m_body = [this]() -> base::Result<> {
    m_machine.begin(0);
    m_machine.begin(1, 1);  // raises, and outer catches it
    m_collector.m_now += 7;
    m_machine.end(0);
    return {};
  };
  const report::Run run = measured();
  EXPECT_EQ(run.calls.size(), 1U);
  EXPECT_EQ(column(run, "Events").values, std::vector<double>({7, 7}));
}

TEST_F(Collectors, ARepeatThatFailsLeavesTheOthersWhole) {
  int made = 0;
  m_body = [this, &made]() -> base::Result<> {
    m_machine.begin(1);
    m_collector.m_now += 9;
    if (++made == 3) {
      return base::Error{base::ErrorCode::KernelFailed, "conv failed.", "", ""};
    }
    m_machine.end(1);
    return {};
  };
  const Measurement result = measure();
  ASSERT_TRUE(result.error && result.run);
  EXPECT_EQ(m_collector.m_open, 0);
  EXPECT_EQ(column(*result.run, "Events").values, std::vector<double>({9}));
  EXPECT_EQ(column(*result.run, "Events").totals, std::vector<double>({9}));
}

TEST_F(Collectors, AreInitialisedOnceAndStartBeforeTheClock) {
  m_body = [this]() -> base::Result<> {
    m_machine.begin(1);
    m_machine.end(1);
    return {};
  };
  measured();
  EXPECT_EQ(m_collector.m_log.front(), "init 1");
  EXPECT_EQ(std::count(m_collector.m_log.begin(), m_collector.m_log.end(), "init 1"), 1);
}

TEST_F(Collectors, WhatCannotStartFailsTheProfile) {
  m_collector.m_initFails = true;
  m_body = [] { return base::Result<>(); };
  const Measurement result = measure();
  ASSERT_TRUE(result.error);
  EXPECT_FALSE(result.run);
  EXPECT_EQ(result.error->message, "No counters here.");
}

TEST_F(Collectors, WhatCannotBeAColumnIsTold) {
  m_collector.m_more.append("Note", std::string(5000, 'x'));
  m_collector.m_more.append("Duration (us)", report::Duration{1});
  m_collector.m_more.append("Load", report::Ratio{std::numeric_limits<double>::infinity()});
  m_body = [this]() -> base::Result<> {
    m_machine.begin(1);
    m_machine.end(1);
    return {};
  };
  const report::Run run = measured();
  EXPECT_EQ(column(run, "Duration (us) (collector)").values.size(), 2U);
  std::set<std::string> warnings;
  for (const report::Warning& warning : run.warnings) {
    EXPECT_TRUE(warnings.insert(warning.message).second) << "said once: " << warning.message;
  }
  EXPECT_TRUE(warnings.contains("A text of \"Note\" is too long and left out."));
}

TEST_F(Collectors, TextsAreColumnsToo) {
  m_settings.repeats = 3;
  int repeat = 0;
  m_body = [this, &repeat]() -> base::Result<> {
    m_machine.begin(0);
    m_collector.m_more.set("Algorithm", repeat % 2 == 0 ? std::string("direct") : std::string("winograd"));
    m_machine.end(0);
    m_machine.begin(1);
    m_collector.m_more.set("Algorithm", std::string("direct"));
    m_machine.end(1);
    ++repeat;
    return {};
  };
  const report::Run run = measured();
  const CounterColumn& algorithm = column(run, "Algorithm");
  EXPECT_EQ(algorithm.kind, CounterColumn::Kind::Text);
  std::vector<std::string> told;
  for (const double value : algorithm.values) {
    told.push_back(algorithm.texts.at(static_cast<std::size_t>(value)));
  }
  EXPECT_EQ(told, std::vector<std::string>({"winograd", "direct", "winograd", "direct", "direct", "direct"}))
      << "the warm-up is not among them";
  const auto document = report::makeDocument(std::make_shared<const report::Run>(run));
  EXPECT_EQ(*document.report->calls[0].find("Algorithm"), report::Metric("(2 different)"));
  EXPECT_EQ(*document.report->calls[1].find("Algorithm"), report::Metric("direct"));
  EXPECT_EQ(*document.report->deviceMetrics[0].second.find("Algorithm"), report::Metric("direct"));
}

TEST_F(Collectors, TextsWithoutEndDoNotFillTheMemory) {
  m_settings.warmup = 0;
  m_settings.repeats = 1;
  m_body = [this]() -> base::Result<> {
    for (int call = 0; call < 70'000; ++call) {
      m_machine.begin(0);
      m_collector.m_more.set("Number", std::to_string(call));
      m_machine.end(0);
    }
    m_collector.m_more.set("Number", std::string(5000, 'x'));
    m_machine.begin(0);
    m_machine.end(0);
    return {};
  };
  const report::Run run = measured();
  EXPECT_EQ(column(run, "Number").texts.size(), 65'536U);
  std::set<std::string> warnings;
  for (const report::Warning& warning : run.warnings) {
    warnings.insert(warning.message);
  }
  EXPECT_TRUE(
      warnings.contains("\"Number\" told more than 65536 different texts; those after them are left out."));
  EXPECT_TRUE(warnings.contains("A text of \"Number\" is too long and left out."));
}

TEST_F(Collectors, AFailureOfOneIsAWarning) {
  m_collector.m_stopFails = true;
  m_body = [this]() -> base::Result<> {
    m_machine.begin(1);
    m_machine.end(1);
    return {};
  };
  const report::Run run = measured();
  EXPECT_TRUE(run.counters.empty());
  ASSERT_FALSE(run.warnings.empty());
  EXPECT_EQ(run.warnings.front().message, "The collector \"fake\" told nothing: The counter is gone.");
}

TEST(CollectorList, IsWellFormedAndEachKindCanBeMade) {
  std::set<std::string_view> ids;
  for (const CollectorKind& kind : collectorKinds()) {
    EXPECT_TRUE(ids.insert(kind.id).second);
    EXPECT_FALSE(kind.title.empty());
    EXPECT_TRUE(kind.description.ends_with('.'));
    ASSERT_NE(kind.make, nullptr);
  }
  const auto unknown = makeCollector("proces");
  ASSERT_FALSE(unknown);
  EXPECT_NE(unknown.error().hint.find("process"), std::string::npos);
  EXPECT_FALSE(makeCollector("process:cycles"));
}

TEST(ProcessCollector, TellsCpuTimeAndFaults) {
  const auto collector = makeCollector("process");
  ASSERT_TRUE(collector);
  const DLDevice cpu{kDLCPU, 0};
  ASSERT_TRUE((*collector)->init({&cpu, 1}));
  EXPECT_EQ(*(*collector)->start({kDLCUDA, 0}), nullptr);
  auto started = (*collector)->start(cpu);
  ASSERT_TRUE(started && *started);
  constexpr std::size_t kBytes = std::size_t{8} << 20;  // new from the system, whatever was freed before
  void* const touched = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(touched, MAP_FAILED);
  std::memset(touched, 1, kBytes);
  volatile std::uint64_t sink = 0;
  const auto begin = std::clock();
  while (std::clock() - begin < CLOCKS_PER_SEC / 50) {
    sink = sink + 1;
  }
  const auto metrics = (*collector)->stop(*std::move(started));
  munmap(touched, kBytes);
  ASSERT_TRUE(metrics);
  EXPECT_GE(std::get<report::Duration>(*metrics->find("CPU time (us)")).microseconds, 20'000);
  EXPECT_GT(std::get<report::Count>(*metrics->find("Page faults")).value, 0);
}

}  // namespace
}  // namespace opscope::profile
