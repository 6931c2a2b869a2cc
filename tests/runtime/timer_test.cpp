// SPDX-License-Identifier: Apache-2.0
// Timers: which one a device gets, what happens in which order, what is said where there is none.
#include "engine/runtime/timer.h"

#include <gtest/gtest.h>
#include <tvm/ffi/device.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/memory.h>

#include <chrono>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "engine/base/log.h"
#include "engine/runtime/device_providers.h"

namespace opscope::runtime {
namespace {

namespace ffi = tvm::ffi;

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wnon-virtual-dtor"

/// Notes what is asked of it.
class LoggingTimerObj final : public TimerObj {
 public:
  explicit LoggingTimerObj(std::vector<std::string>* log) : m_log(log) {}
  void start() override { m_log->push_back("start"); }
  void stop() override { m_log->push_back("stop"); }
  std::int64_t syncAndGetElapsedNs() override {
    m_log->push_back("sync");
    return 4321;
  }
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("test.LoggingTimer", LoggingTimerObj, TimerObj);

 private:
  std::vector<std::string>* m_log;
};

#pragma GCC diagnostic pop

class TimerTest : public ::testing::Test {
 protected:
  void SetUp() override { registerTimers(); }
  void TearDown() override {
    for (const std::string& name : m_registered) {
      ffi::Function::RemoveGlobal(name);
    }
  }
  void registerTimer(const std::string& name, std::vector<std::string>& log) {
    ffi::Function::SetGlobal(name, ffi::Function::FromTyped([&log, name](DLDevice device) {
                               log.push_back(name + " " + std::to_string(device.device_id));
                               return Timer(ffi::make_object<LoggingTimerObj>(&log));
                             }),
                             true);
    m_registered.push_back(name);
  }
  void registerSync(std::vector<std::string>& log) {
    ffi::Function::SetGlobal(
        "runtime.Device_StreamSync", ffi::Function::FromTyped([&log](DLDevice device, std::int64_t stream) {
          log.push_back("wait " + std::to_string(device.device_id) + " " + std::to_string(stream));
        }),
        true);
    m_registered.push_back("runtime.Device_StreamSync");
  }
  std::vector<std::string> m_registered;
};

TEST_F(TimerTest, TheCpusIsOursAndMeasures) {
  const Timer timer = Timer::start({kDLCPU, 0});
  EXPECT_EQ(timer->GetTypeKey(), "runtime.CPUTimerNode");
  const auto begin = std::chrono::steady_clock::now();
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  timer->stop();
  const auto around = std::chrono::steady_clock::now() - begin;
  EXPECT_GE(timer->syncAndGetElapsedNs(), 5'000'000);
  EXPECT_LE(timer->syncAndGetElapsedNs() - 1'000'000, std::chrono::nanoseconds(around).count());
}

TEST_F(TimerTest, ARegisteredOneIsStartedOnceAndAskedLast) {
  std::vector<std::string> log;
  registerTimer("runtime.timer.ext_dev", log);
  const Timer timer = Timer::start({kDLExtDev, 3});
  timer->stop();
  EXPECT_EQ(timer->syncAndGetElapsedNs(), 4321);
  EXPECT_EQ(log, (std::vector<std::string>{"runtime.timer.ext_dev 3", "start", "stop", "sync"}));
}

TEST_F(TimerTest, TheNewNameGoesBeforeTheOld) {
  std::vector<std::string> log;
  registerTimer("profiling.timer.ext_dev", log);
  Timer::start({kDLExtDev, 0});
  registerTimer("runtime.timer.ext_dev", log);
  Timer::start({kDLExtDev, 1});
  EXPECT_EQ(log, (std::vector<std::string>{"profiling.timer.ext_dev 0", "start", "runtime.timer.ext_dev 1",
                                           "start"}));
}

TEST_F(TimerTest, WithoutOneTheDeviceIsWaitedForAndItIsSaidOnce) {
  std::vector<std::string> log;
  registerSync(log);
  ::testing::internal::CaptureStderr();
  base::configureLog(false);
  const Timer timer = Timer::start({kDLHexagon, 2});
  timer->stop();
  EXPECT_GE(timer->syncAndGetElapsedNs(), 0);
  Timer::start({kDLHexagon, 5});
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(timer->GetTypeKey(), "runtime.DefaultTimerNode");
  EXPECT_EQ(log, (std::vector<std::string>{"wait 2 0", "wait 2 0", "wait 5 0"}))
      << "before start, after stop";
  const std::size_t first = said.find("There is no timer for hexagon");
  ASSERT_NE(first, std::string::npos) << said;
  EXPECT_EQ(said.find("There is no timer for hexagon", first + 1), std::string::npos) << said;
}

TEST_F(TimerTest, ADeviceThatNothingWaitsForIsAnError) {
  try {
    Timer::start({kDLVPI, 0});
    FAIL() << "nothing was raised";
  } catch (const ffi::Error& error) {
    EXPECT_EQ(error.kind(), "RuntimeError");
    EXPECT_NE(error.message().find("vpi"), std::string::npos);
  }
}

TEST_F(TimerTest, WhatIsNoTimerIsAnError) {
  ffi::Function::SetGlobal("runtime.timer.ext_dev", ffi::Function::FromTyped([](DLDevice) { return 5; }),
                           true);
  m_registered.emplace_back("runtime.timer.ext_dev");
  try {
    Timer::start({kDLExtDev, 0});
    FAIL() << "nothing was raised";
  } catch (const ffi::Error& error) {
    EXPECT_EQ(error.kind(), "TypeError");
    EXPECT_NE(error.message().find("runtime.timer.ext_dev"), std::string::npos);
  }
}

TEST_F(TimerTest, ClientsReachThemThroughTheRegistry) {
  for (const char* name : {"profiling.timer.cpu", "runtime.timer.cpu"}) {
    const auto make = ffi::Function::GetGlobal(name);
    ASSERT_TRUE(make.has_value()) << name;
    Timer timer = (*make)(DLDevice{kDLCPU, 0}).cast<Timer>();
    timer->start();
    timer->stop();
    EXPECT_GE(timer->syncAndGetElapsedNs(), 0);
  }
  const auto start = ffi::Function::GetGlobal("profiling.start_timer");
  ASSERT_TRUE(start.has_value());
  Timer timer = (*start)(DLDevice{kDLCPU, 0}).cast<Timer>();
  timer->stop();
  EXPECT_GE(timer->syncAndGetElapsedNs(), 0);
}

TEST(DeviceTypeNames, AreTvms) {
  // From TVM 0.27's DLDeviceType2Str.
  const std::pair<int, std::string_view> names[] = {
      {1, "cpu"},           {2, "cuda"},    {3, "cuda_host"}, {4, "opencl"},     {7, "vulkan"},
      {8, "metal"},         {9, "vpi"},     {10, "rocm"},     {11, "rocm_host"}, {12, "ext_dev"},
      {13, "cuda_managed"}, {14, "oneapi"}, {15, "webgpu"},   {16, "hexagon"},   {99, "unknown"}};
  std::set<std::string_view> seen;
  for (const auto& [type, name] : names) {
    EXPECT_EQ(deviceTypeName(type), name);
    EXPECT_TRUE(seen.insert(name).second);
  }
}

}  // namespace
}  // namespace opscope::runtime
