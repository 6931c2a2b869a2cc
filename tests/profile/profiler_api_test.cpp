// SPDX-License-Identifier: Apache-2.0
// The profiler of calls begun and ended by hand, on clocks that the test moves.
#include "engine/profile/profiler_api.h"

#include <gtest/gtest.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/function.h>

#include <stdexcept>

#include "engine/report/aggregate.h"
#include "tests/profile/fake_collector.h"
#include "tests/profile/fake_timer.h"

namespace opscope::profile {
namespace {

using report::Metric;
using report::MetricMap;
using testing::FakeCollector;
using testing::FakeTimers;

constexpr DLDevice kFirst{kDLHexagon, 0};
constexpr DLDevice kSecond{kDLExtDev, 1};

class ProfilerApi : public ::testing::Test {
 protected:
  std::unique_ptr<Profiler> make(std::vector<DLDevice> devices = {kFirst}) {
    MetricMap configuration;
    configuration.set("Executor", std::string("test"));
    auto profiler = Profiler::create({std::move(devices), m_collectors, configuration, nullptr});
    EXPECT_TRUE(profiler) << profiler.error().message;
    return *std::move(profiler);
  }
  static report::Report reportOf(Profiler& profiler) {
    auto report = profiler.report();
    EXPECT_TRUE(report) << report.error().message;
    return report.value_or(report::Report{});
  }
  static double us(const MetricMap& row) {
    return std::get<report::Duration>(*row.find(report::kDurationUs)).microseconds;
  }
  static std::string name(const MetricMap& row) { return std::get<std::string>(*row.find(report::kName)); }

  FakeTimers m_timers{kDLHexagon};
  FakeTimers m_otherTimers{kDLExtDev};
  FakeCollector m_collector;
  std::vector<MetricCollector*> m_collectors;
};

TEST_F(ProfilerApi, MakesTvmsReport) {
  const auto profiler = make();
  ASSERT_TRUE(profiler->start());
  EXPECT_TRUE(profiler->isRunning());
  MetricMap shapes;
  shapes.set(report::kArgumentShapes, std::string("float32[2]"));
  ASSERT_TRUE(profiler->startCall("conv", kFirst, shapes));
  m_timers.nowNs += 30'000;
  MetricMap flops;
  flops.set("Flops", report::Count{12});
  ASSERT_TRUE(profiler->stopCall(flops));
  m_timers.nowNs += 10'000;
  ASSERT_TRUE(profiler->stop());
  const report::Report report = reportOf(*profiler);
  ASSERT_EQ(report.calls.size(), 1U);
  MetricMap row;
  row.set(report::kName, std::string("conv"));
  row.set(report::kDurationUs, report::Duration{30});
  row.set(report::kDevice, std::string("hexagon0"));
  row.set(report::kCount, report::Count{1});
  row.set(report::kArgumentShapes, std::string("float32[2]"));
  row.set("Flops", report::Count{12});
  row.set(report::kPercent, report::Percent{75});
  EXPECT_EQ(report.calls[0], row);
  ASSERT_EQ(report.deviceMetrics.size(), 1U);
  EXPECT_EQ(report.deviceMetrics[0].first, "hexagon0");
  EXPECT_EQ(name(report.deviceMetrics[0].second), "Total");
  EXPECT_EQ(us(report.deviceMetrics[0].second), 40);
  EXPECT_EQ(*report.configuration.find("Executor"), Metric(std::string("test")));
  EXPECT_EQ(*report.configuration.find("Number of threads"), Metric(report::Count{1}));
}

TEST_F(ProfilerApi, NestedCallsAreOwnTimes) {
  const auto profiler = make();
  ASSERT_TRUE(profiler->start());
  ASSERT_TRUE(profiler->startCall("outer", kFirst));
  m_timers.nowNs += 5'000;
  ASSERT_TRUE(profiler->startCall("inner", kFirst));
  m_timers.nowNs += 20'000;
  ASSERT_TRUE(profiler->stopCall());
  m_timers.nowNs += 3'000;
  ASSERT_TRUE(profiler->stopCall());
  ASSERT_TRUE(profiler->stop());
  const report::Report report = reportOf(*profiler);
  ASSERT_EQ(report.calls.size(), 2U);
  EXPECT_EQ(name(report.calls[0]), "outer");
  EXPECT_EQ(us(report.calls[0]), 8);
  EXPECT_EQ(us(report.calls[1]), 20);
}

TEST_F(ProfilerApi, CallsLeftOpenAreClosedAndSayIt) {
  m_collectors = {&m_collector};
  m_collector.m_seen = kDLHexagon;
  const auto profiler = make();
  ASSERT_TRUE(profiler->start());
  ASSERT_TRUE(profiler->startCall("outer", kFirst));
  ASSERT_TRUE(profiler->startCall("inner", kFirst));
  m_timers.nowNs += 7'000;
  ASSERT_TRUE(profiler->stop());
  EXPECT_EQ(m_collector.m_open, 0);
  const report::Report report = reportOf(*profiler);
  ASSERT_EQ(report.calls.size(), 2U);
  ASSERT_EQ(report.deviceMetrics.size(), 1U) << "the totals stay totals";
  EXPECT_EQ(us(report.deviceMetrics[0].second), 7);
  EXPECT_EQ(*report.calls[1].find("Unfinished"), Metric(report::Count{1}));
  EXPECT_EQ(us(report.calls[0]), 0);
  EXPECT_EQ(us(report.calls[1]), 7);
}

TEST_F(ProfilerApi, AnOpThatThrowsLeavesTheReportWhole) {
  const auto profiler = make();
  ASSERT_TRUE(profiler->start());
  try {
    ASSERT_TRUE(profiler->startCall("throws", kFirst));
    const Profiler::CallScope scope(*profiler);
    ASSERT_TRUE(profiler->startCall("left open", kFirst));
    m_timers.nowNs += 4'000;
    throw std::runtime_error("no");
  } catch (const std::runtime_error&) {
    m_timers.nowNs += 1'000;
  }
  ASSERT_TRUE(profiler->startCall("next", kFirst));
  {
    const Profiler::CallScope scope(*profiler);
    m_timers.nowNs += 2'000;
  }
  ASSERT_TRUE(profiler->stop());
  const report::Report report = reportOf(*profiler);
  ASSERT_EQ(report.calls.size(), 3U);
  EXPECT_EQ(us(report.calls[0]), 0);
  EXPECT_EQ(report.calls[0].find("Unfinished"), nullptr);
  EXPECT_EQ(us(report.calls[1]), 4);
  EXPECT_EQ(us(report.calls[2]), 2);
  EXPECT_EQ(report.calls[2].find("Unfinished"), nullptr);
}

TEST_F(ProfilerApi, SeveralDevicesHaveTotalsOfTheirOwn) {
  const auto profiler = make({kFirst, kSecond, kFirst});
  ASSERT_TRUE(profiler->start());
  ASSERT_TRUE(profiler->startCall("a", kFirst));
  ASSERT_TRUE(profiler->startCall("b", kSecond));
  m_timers.nowNs += 50'000;
  m_otherTimers.nowNs += 30'000;
  ASSERT_TRUE(profiler->stopCall());
  ASSERT_TRUE(profiler->stopCall());
  ASSERT_TRUE(profiler->stop());
  const report::Report report = reportOf(*profiler);
  ASSERT_EQ(report.deviceMetrics.size(), 2U) << "a device that is named twice counts once";
  EXPECT_EQ(report.deviceMetrics[0].first, "hexagon0");
  EXPECT_EQ(report.deviceMetrics[1].first, "ext_dev1");
  EXPECT_EQ(us(report.deviceMetrics[1].second), 30);
  EXPECT_EQ(us(report.calls[0]), 50) << "a call on another device takes nothing from this one's time";
  EXPECT_EQ(*report.calls[1].find(report::kPercent), Metric(report::Percent{60})) << "of the largest total";
  const Metric* overlap = report.configuration.find("Devices overlap");
  ASSERT_NE(overlap, nullptr);
  EXPECT_EQ(std::get<std::string>(*overlap),
            "hexagon0 and ext_dev1 worked at the same time: their ops take 80.0 us within 50.0 us");
}

TEST_F(ProfilerApi, DevicesThatTakeTurnsDoNotOverlap) {
  const auto profiler = make({kFirst, kSecond});
  ASSERT_TRUE(profiler->start());
  for (const DLDevice device : {kFirst, kSecond}) {
    ASSERT_TRUE(profiler->startCall("op", device));
    m_timers.nowNs += 10'000;
    m_otherTimers.nowNs += 10'000;
    ASSERT_TRUE(profiler->stopCall());
  }
  ASSERT_TRUE(profiler->stop());
  EXPECT_EQ(reportOf(*profiler).configuration.find("Devices overlap"), nullptr);
}

TEST_F(ProfilerApi, CollectorsGiveColumnsOfCallsAndTotals) {
  m_collectors = {&m_collector};
  m_collector.m_seen = kDLHexagon;
  const auto profiler = make({kFirst, kSecond});
  EXPECT_EQ(m_collector.m_log, std::vector<std::string>{"init 2"});
  ASSERT_TRUE(profiler->start());
  ASSERT_TRUE(profiler->startCall("seen", kFirst));
  m_collector.m_now += 6;
  ASSERT_TRUE(profiler->stopCall());
  ASSERT_TRUE(profiler->startCall("unseen", kSecond));
  m_collector.m_now += 1;
  ASSERT_TRUE(profiler->stopCall());
  ASSERT_TRUE(profiler->stop());
  const report::Report report = reportOf(*profiler);
  EXPECT_EQ(*report.calls[0].find("Events"), Metric(report::Count{6}));
  EXPECT_EQ(*report.calls[0].find("IPC"), Metric(report::Ratio{0.6}));
  EXPECT_EQ(report.calls[1].find("Events"), nullptr);
  EXPECT_EQ(*report.deviceMetrics[0].second.find("Events"), Metric(report::Count{7}));
  EXPECT_EQ(report.deviceMetrics[1].second.find("Events"), nullptr);
}

TEST_F(ProfilerApi, FailuresOfCollectorsLeaveNothingOpen) {
  m_collectors = {&m_collector};
  m_collector.m_seen = kDLHexagon;
  const auto profiler = make();
  ASSERT_TRUE(profiler->start());
  ASSERT_TRUE(profiler->startCall("op", kFirst));
  m_collector.m_stopFails = true;
  EXPECT_EQ(profiler->stopCall().error().message, "The counter is gone.");
  EXPECT_FALSE(profiler->stop());
  EXPECT_FALSE(profiler->isRunning());
  EXPECT_EQ(m_collector.m_open, 0);
  EXPECT_EQ(reportOf(*profiler).calls.size(), 1U);
  m_collector.m_initFails = true;
  EXPECT_FALSE(Profiler::create({{kFirst}, m_collectors, {}, nullptr}));
}

TEST_F(ProfilerApi, ADeviceThatCannotBeTimedIsAnError) {
  const auto profiler = make();
  ASSERT_TRUE(profiler->start());
  tvm::ffi::Function::SetGlobal("runtime.timer.vpi",
                                tvm::ffi::Function::FromTyped([](DLDevice) { return 1; }), true);
  const auto failed = profiler->startCall("op", {kDLVPI, 0});
  tvm::ffi::Function::RemoveGlobal("runtime.timer.vpi");
  ASSERT_FALSE(failed);
  EXPECT_NE(failed.error().message.find("vpi0"), std::string::npos);
  ASSERT_TRUE(profiler->stop());
  EXPECT_TRUE(reportOf(*profiler).calls.empty());
}

TEST_F(ProfilerApi, MisuseIsAnErrorInWords) {
  const auto profiler = make();
  EXPECT_FALSE(profiler->report());
  EXPECT_FALSE(profiler->stop());
  EXPECT_FALSE(profiler->stopCall());
  EXPECT_FALSE(profiler->startCall("op", kFirst));
  ASSERT_TRUE(profiler->start());
  EXPECT_FALSE(profiler->start());
  EXPECT_FALSE(profiler->report());
  EXPECT_FALSE(profiler->stopCall());
  ASSERT_TRUE(profiler->stop());
  EXPECT_TRUE(profiler->report());
}

TEST_F(ProfilerApi, WithoutATotalThereIsNoPercent) {
  const auto profiler = make({});
  ASSERT_TRUE(profiler->start());
  ASSERT_TRUE(profiler->startCall("op", kFirst));
  m_timers.nowNs += 1'000;
  ASSERT_TRUE(profiler->stopCall());
  ASSERT_TRUE(profiler->stop());
  EXPECT_EQ(reportOf(*profiler).calls[0].find(report::kPercent), nullptr);
}

TEST_F(ProfilerApi, ASecondMeasurementBeginsAnew) {
  const auto profiler = make();
  for (int measurement = 0; measurement < 2; ++measurement) {
    ASSERT_TRUE(profiler->start());
    ASSERT_TRUE(profiler->startCall("op", kFirst));
    m_timers.nowNs += 1'000;
    ASSERT_TRUE(profiler->stopCall());
    ASSERT_TRUE(profiler->stop());
    EXPECT_EQ(reportOf(*profiler).calls.size(), 1U);
  }
}

}  // namespace
}  // namespace opscope::profile
