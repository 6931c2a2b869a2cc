// SPDX-License-Identifier: Apache-2.0
// The profiler over a machine that makes its calls by hand.
#include "engine/profile/profiler.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <new>
#include <numeric>

#include "engine/profile/memory_need.h"
#include "tests/profile/fake_tensors.h"
#include "tests/profile/machine_tree.h"

namespace opscope::profile {
namespace {

using testing::FakeTensors;

class FakeMachine final : public vm::VirtualMachine {
 public:
  base::Result<tvm::ffi::Any> invoke(std::string_view, std::span<const tvm::ffi::Any>) override { return {}; }
  base::Result<tvm::ffi::Any> invokeGlobal(std::string_view, std::span<const tvm::ffi::Any>) override {
    return {};
  }
  void setObserver(vm::CallObserver* observer) override { m_observer = observer; }
  void setLogs(const runtime::RuntimeLogs& logs) override { m_logs = logs; }
  void requestStop() override {}
  void clearStop() override {}
  const vm::ExecutableData& executable() const override { return m_data; }
  runtime::AllocatorCounters allocatorCounters() const override { return {}; }

  bool hasObserver() const { return m_observer != nullptr; }
  int unseenCalls() const { return m_unseen; }
  void call(std::uint32_t function) {
    if (m_observer == nullptr) {
      ++m_unseen;
      return;
    }
    const TVMFFIAny tensor = m_make.tensor({8});
    m_observer->beginCall({function, function, 0}, &tensor, 1);
    m_observer->endCall({function, function, 0}, TVMFFIAny{});
  }

 private:
  vm::ExecutableData m_data;
  vm::CallObserver* m_observer = nullptr;
  int m_unseen = 0;
  runtime::RuntimeLogs m_logs;
  FakeTensors m_make;
};

class ProfilerTest : public ::testing::Test {
 protected:
  ProfilerTest() {
    auto data = std::make_shared<vm::ExecutableData>();
    data->functions.resize(2);
    data->functions[0].name = "conv";
    data->functions[1].name = "add";
    data->instructions.resize(2);
    m_file.data = data;
    m_settings.warmup = 2;
    m_settings.repeats = 5;
    m_settings.overhead = OverheadCheck::Off;
    m_callbacks.runRepeat = [this](StepMarks& marks) { return repeat(marks); };
    m_callbacks.progress = [this](Stage stage, std::uint32_t done, double elapsedNs) {
      EXPECT_GE(elapsedNs, 0);
      m_told.push_back((stage == Stage::WarmUp ? "w" : "m") + std::to_string(done));
    };
  }

  base::Result<> repeat(StepMarks& marks) {
    ++m_made;
    for (std::uint32_t step = 0; step < m_settings.steps.size(); ++step) {
      marks.beginStep(step);
      m_machine.call(0);
      if (m_made == m_failAt) {
        return m_failure;
      }
      m_machine.call(1);
      marks.endStep();
    }
    return {};
  }
  Measurement measure() { return profile(m_machine, m_file, m_settings, m_callbacks); }

  FakeMachine m_machine;
  vm::ExecutableFile m_file;
  ProfileSettings m_settings;
  ProfileCallbacks m_callbacks;
  std::uint32_t m_made = 0;
  std::uint32_t m_failAt = 0;
  base::Error m_failure{base::ErrorCode::KernelFailed, "add raised: no", "", ""};
  std::vector<std::string> m_told;
};

TEST_F(ProfilerTest, MeasuresEachRepeatAfterTheWarmUp) {
  const Measurement result = measure();
  ASSERT_TRUE(result.run);
  EXPECT_FALSE(result.error);
  EXPECT_EQ(m_made, 7u);
  const report::Run& run = *result.run;
  EXPECT_EQ(run.repeats, 5u);
  EXPECT_EQ(run.repeatsWanted, 5u);
  EXPECT_EQ(run.warmup, 2u);
  ASSERT_EQ(run.calls.size(), 2u);
  EXPECT_EQ(run.calls[0].sampleCount, 5u);
  EXPECT_EQ(run.spans.size(), 10u);
  EXPECT_TRUE(run.failure.empty());
  EXPECT_FALSE(m_machine.hasObserver());
  EXPECT_EQ(m_told, (std::vector<std::string>{"w0", "w1", "m0", "m1", "m2", "m3", "m4", "m5"}));
}

TEST_F(ProfilerTest, FactAndGradeReadTheGovernorsOfTheSameCores) {
  const testing::MachineTree tree;
  for (int cpu = 0; cpu < 256; ++cpu) {  // whichever this test may use
    tree.write(fmt::format("sys/devices/system/cpu/cpu{}/cpufreq/scaling_governor", cpu), "schedutil\n");
  }
  m_settings.systemRoot = tree.root();
  const Measurement result = measure();
  ASSERT_TRUE(result.run && result.run->noise);
  const auto fact = std::ranges::find(result.run->environment, "Governor", &report::Fact::name);
  ASSERT_NE(fact, result.run->environment.end());
  EXPECT_EQ(fact->value, "schedutil");
  const auto check = std::ranges::find(result.run->noise->checks, "governor", &report::NoiseCheck::id);
  ASSERT_NE(check, result.run->noise->checks.end());
  EXPECT_NE(check->found.find("schedutil"), std::string::npos);
}

TEST_F(ProfilerTest, MoreRepeatsThanMemoryHoldsAreToldBeforeTheyAreMeasured) {
  m_settings.warmup = 10;
  m_settings.repeats = 4'000'000'000;
  const Measurement result = measure();
  EXPECT_FALSE(result.run);
  ASSERT_TRUE(result.error);
  EXPECT_EQ(result.error->code, base::ErrorCode::InvalidArgument);
  EXPECT_EQ(result.error->message, "4000000000 repeats do not fit into memory.");
  EXPECT_EQ(m_made, 1u) << "the first of the warm-up tells what a repeat takes";
}

TEST_F(ProfilerTest, WithoutWarmUpTheFirstRepeatTells) {
  m_settings.repeats = 4'000'000'000;
  m_settings.warmup = 0;
  const Measurement result = measure();
  ASSERT_TRUE(result.error);
  EXPECT_EQ(result.error->code, base::ErrorCode::InvalidArgument);
  ASSERT_TRUE(result.run);
  EXPECT_EQ(result.run->repeats, 1u);
}

TEST_F(ProfilerTest, WhatWasMeasuredIsKeptWhenMemoryRunsOut) {
  m_callbacks.runRepeat = [this](StepMarks& marks) {
    if (m_made == 5) throw std::bad_alloc();
    return repeat(marks);
  };
  const Measurement result = measure();
  ASSERT_TRUE(result.error);
  EXPECT_EQ(result.error->code, base::ErrorCode::OutOfMemory);
  EXPECT_EQ(result.error->detail, "3 repeats with 6 records were measured.");
  ASSERT_TRUE(result.run);
  EXPECT_EQ(result.run->repeats, 3u);
  EXPECT_FALSE(result.run->failure.empty());
}

TEST(MemoryNeed, IsHeldAgainstWhatIsAvailable) {
  EXPECT_TRUE(checkMemoryNeed(1'000'000, 300, std::nullopt));
  EXPECT_TRUE(checkMemoryNeed(1000, 300, std::uint64_t{1} << 30));
  const auto refused = checkMemoryNeed(1'000'000, 300, std::uint64_t{1} << 30);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "1000000 repeats do not fit into memory.");
  EXPECT_NE(refused.error().detail.find(
                "Each makes 300 records; together they need 21.4 GiB. Of the 1.0 GiB that are free "
                "90 % may be used: 0.9 GiB."),
            std::string::npos)
      << refused.error().detail;
  const auto most = std::stoull(refused.error().hint.substr(6));
  EXPECT_TRUE(checkMemoryNeed(static_cast<std::uint32_t>(most), 300, std::uint64_t{1} << 30));
  EXPECT_FALSE(checkMemoryNeed(static_cast<std::uint32_t>(most) + 1, 300, std::uint64_t{1} << 30));
  EXPECT_GT(availableBytes().value_or(1), 0u);
}

TEST_F(ProfilerTest, SumOfRowsDoesNotExceedTheTotal) {
  const Measurement result = measure();
  ASSERT_TRUE(result.run);
  const auto& totals = result.run->totals.at(0).totalNs;
  EXPECT_LE(std::accumulate(result.run->ownNs.begin(), result.run->ownNs.end(), 0.0),
            std::accumulate(totals.begin(), totals.end(), 0.0));
  for (const double own : result.run->ownNs) {
    EXPECT_GT(own, 0);
  }
}

TEST_F(ProfilerTest, ConfigurationIsTvmsAndOurs) {
  m_settings.threads = 3;
  const Measurement result = measure();
  ASSERT_TRUE(result.run);
  const report::MetricMap& configuration = result.run->configuration;
  EXPECT_EQ(*configuration.find("Executor"), report::Metric(std::string("VM")));
  EXPECT_EQ(*configuration.find("Number of threads"), report::Metric(report::Count{3}));
  EXPECT_EQ(*configuration.find("Repeats"), report::Metric(report::Count{5}));
  EXPECT_EQ(*configuration.find("Warm-up"), report::Metric(report::Count{2}));
}

TEST_F(ProfilerTest, AFailureKeepsTheRepeatsBeforeIt) {
  m_failAt = 5;  // two of warm-up, two measured
  const Measurement result = measure();
  ASSERT_TRUE(result.error);
  EXPECT_EQ(result.error->code, base::ErrorCode::KernelFailed);
  ASSERT_TRUE(result.run);
  EXPECT_EQ(result.run->repeats, 2u);
  EXPECT_EQ(result.run->calls.at(0).sampleCount, 2u);
  EXPECT_EQ(result.run->spans.size(), 4u);
  EXPECT_EQ(result.run->failure, "add raised: no");
  EXPECT_FALSE(m_machine.hasObserver());
}

TEST_F(ProfilerTest, AFailureInTheWarmUpLeavesNoRun) {
  m_failAt = 1;
  const Measurement result = measure();
  EXPECT_FALSE(result.run);
  ASSERT_TRUE(result.error);
  EXPECT_FALSE(m_machine.hasObserver());
}

TEST_F(ProfilerTest, StopBetweenRepeatsKeepsTheCompleteOnes) {
  m_callbacks.stopRequested = [this] { return m_made == 6; };
  const Measurement result = measure();
  ASSERT_TRUE(result.error);
  EXPECT_EQ(result.error->code, base::ErrorCode::Cancelled);
  ASSERT_TRUE(result.run);
  EXPECT_EQ(result.run->repeats, 4u);
  EXPECT_EQ(result.run->failure, "Stopped on request.");
}

TEST_F(ProfilerTest, StopBeforeTheFirstRepeatLeavesNoRun) {
  m_callbacks.stopRequested = [this] { return m_made == 2; };
  const Measurement result = measure();
  EXPECT_FALSE(result.run);
  EXPECT_EQ(result.error->code, base::ErrorCode::Cancelled);
}

TEST_F(ProfilerTest, RepeatsWithAndWithoutTheRecorderAlternate) {
  m_settings.overhead = OverheadCheck::Full;
  std::string order;
  m_callbacks.runRepeat = [&](StepMarks& marks) {
    order += m_machine.hasObserver() ? 'r' : '-';
    return repeat(marks);
  };
  const Measurement result = measure();
  ASSERT_TRUE(result.run);
  EXPECT_FALSE(result.error);
  EXPECT_EQ(order, "rrr--rr--rr-") << "two of warm-up, then pairs that change their order";
  const report::Run& run = *result.run;
  EXPECT_EQ(run.repeats, 5u);
  EXPECT_EQ(run.calls[0].sampleCount, 5u);
  EXPECT_EQ(m_machine.unseenCalls(), 10);
  ASSERT_TRUE(run.overhead);
  EXPECT_EQ(run.overhead->repeats, (std::vector<std::uint32_t>{0, 1, 2, 3, 4}));
  EXPECT_DOUBLE_EQ(run.overhead->calls, 2);
  EXPECT_GT(run.timing.value_or(report::Timing()).recordingNs, 0);
  for (const double ns : run.overhead->unhookedNs) {
    EXPECT_GT(ns, 0);
  }
  EXPECT_FALSE(m_machine.hasObserver());
  EXPECT_EQ(m_told.back(), "m5");
}

TEST_F(ProfilerTest, WithoutTheCheckNothingRunsUnseen) {
  const Measurement result = measure();
  EXPECT_EQ(m_machine.unseenCalls(), 0);
  ASSERT_TRUE(result.run && result.run->overhead);
  EXPECT_TRUE(result.run->overhead->repeats.empty());
}

TEST_F(ProfilerTest, APartnerThatFailsEndsTheRun) {
  m_settings.overhead = OverheadCheck::Full;
  m_failAt = 4;  // two of warm-up, one measured, its partner
  const Measurement result = measure();
  ASSERT_TRUE(result.error);
  EXPECT_EQ(result.error->code, base::ErrorCode::KernelFailed);
  ASSERT_TRUE(result.run && result.run->overhead);
  EXPECT_EQ(result.run->repeats, 1u);
  EXPECT_TRUE(result.run->overhead->repeats.empty());
  EXPECT_FALSE(m_machine.hasObserver());
}

TEST_F(ProfilerTest, APartnerOfARepeatThatFailedDoesNotCount) {
  m_settings.overhead = OverheadCheck::Full;
  m_failAt = 6;  // warm-up twice, recorded, partner, partner, and the second recorded one
  const Measurement result = measure();
  ASSERT_TRUE(result.run && result.run->overhead);
  EXPECT_EQ(result.run->overhead->repeats, (std::vector<std::uint32_t>{0}));
}

TEST_F(ProfilerTest, StepsAreTimedEach) {
  m_settings.steps = {"prefill", "decode"};
  const Measurement result = measure();
  ASSERT_TRUE(result.run);
  ASSERT_EQ(result.run->stepNs.size(), 2u);
  EXPECT_EQ(result.run->stepNs[1].size(), 5u);
  EXPECT_EQ(result.run->calls.size(), 4u);
  EXPECT_EQ(result.run->calls[3].step, 1u);
  EXPECT_DOUBLE_EQ(result.run->stepNs[0][0] + result.run->stepNs[1][0], result.run->totals[0].totalNs[0]);
}

}  // namespace
}  // namespace opscope::profile
