// SPDX-License-Identifier: Apache-2.0
// The time evaluator on a clock that the test moves: how often it calls, and what it makes of the times.
#include "engine/profile/time_evaluator.h"

#include <gtest/gtest.h>
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/extra/module.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/string.h>

#include <chrono>
#include <cstring>
#include <string>
#include <vector>

#include "engine/profile/time_functions.h"
#include "engine/runtime/timer.h"
#include "tests/profile/fake_module.h"
#include "tests/profile/fake_timer.h"

namespace opscope::profile {
namespace {

namespace ffi = tvm::ffi;
using testing::FakeTimers;
using testing::ModuleOfKind;

constexpr DLDevice kDevice{kDLHexagon, 0};

class TimeEvaluator : public ::testing::Test {
 protected:
  TimeEvaluator() {
    m_callbacks.call = [this]() -> base::Result<> {
      ++m_calls;
      m_timers.nowNs += m_callNs;
      return m_calls == m_failAt ? m_failure : base::Result<>();
    };
  }
  Timing evaluate() { return evaluateTime(kDevice, m_settings, m_callbacks); }

  FakeTimers m_timers{kDLHexagon};
  TimeSettings m_settings;
  TimeCallbacks m_callbacks;
  std::int64_t m_callNs = 1000;
  std::int64_t m_calls = 0;
  std::int64_t m_failAt = -1;
  base::Result<> m_failure = base::Error{base::ErrorCode::KernelFailed, "add failed.", "", ""};
};

TEST_F(TimeEvaluator, CallsOnceToWarmUpAndNumberTimesRepeat) {
  m_settings = {.number = 7, .repeat = 3};
  const Timing timing = evaluate();
  EXPECT_FALSE(timing.error);
  EXPECT_EQ(m_calls, 1 + 7 * 3);
  ASSERT_EQ(timing.repeats.size(), 3U);
  for (const RepeatTime& repeat : timing.repeats) {
    EXPECT_EQ(repeat.nsPerCall, 1000);
    EXPECT_EQ(repeat.calls, 7);
    EXPECT_EQ(repeat.totalNs, 7000);
    EXPECT_FALSE(repeat.tooShort);
  }
}

TEST_F(TimeEvaluator, GrowsTheNumberUntilARepeatIsLongEnough) {
  m_settings = {.number = 10, .repeat = 2, .minRepeatMs = 1};
  const Timing timing = evaluate();
  // 10 calls take 10 us; 1 ms / 1 us + 1 = 1001 are enough, and the next repeat begins with as many.
  EXPECT_EQ(m_calls, 1 + 10 + 1001 + 1001);
  ASSERT_EQ(timing.repeats.size(), 2U);
  EXPECT_EQ(timing.repeats[0].calls, 1001);
  EXPECT_EQ(timing.repeats[1].calls, 1001);
  EXPECT_EQ(timing.repeats[1].nsPerCall, 1000);
}

TEST_F(TimeEvaluator, EachMeasurementBeginsWithItsOwnNumber) {
  m_settings = {.number = 10, .repeat = 1, .minRepeatMs = 1};
  evaluate();
  m_calls = 0;
  evaluate();
  EXPECT_EQ(m_calls, 1 + 10 + 1001) << "TVM keeps what the measurement before has grown to";
}

TEST(GrownNumber, IsTvmsFormulaAndBounded) {
  EXPECT_EQ(grownNumber(10, 10'000, 1e6), 1001);
  EXPECT_EQ(grownNumber(100, 99e6, 100e6), 161) << "at least by the golden ratio";
  EXPECT_EQ(grownNumber(1, 0.99e6, 1e6), 2);
  EXPECT_EQ(grownNumber(5, 0, 1e6), 5) << "nothing can be estimated from no time";
  EXPECT_EQ(grownNumber(1000, 1, 1e15), kMostCalls);
}

TEST_F(TimeEvaluator, GivesUpWhenTheClockShowsNothing) {
  m_callNs = 0;
  m_settings = {.number = 3, .repeat = 2, .minRepeatMs = 5, .limitZeroTimeIterations = 4};
  const Timing timing = evaluate();
  EXPECT_FALSE(timing.error);
  EXPECT_EQ(m_calls, 1 + 2 * 4 * 3);
  ASSERT_EQ(timing.repeats.size(), 2U);
  EXPECT_TRUE(timing.repeats[0].tooShort);
  m_calls = 0;
  m_settings.limitZeroTimeIterations = 0;
  evaluate();
  EXPECT_EQ(m_calls, 1 + 2 * 3) << "each repeat is measured once at least";
}

TEST_F(TimeEvaluator, PreparesEachRepeatOutsideOfItsTime) {
  int prepared = 0;
  m_callbacks.prepare = [&]() -> base::Result<> {
    ++prepared;
    m_timers.nowNs += 1'000'000;
    return {};
  };
  m_settings = {.number = 2, .repeat = 5};
  const Timing timing = evaluate();
  EXPECT_EQ(prepared, 5);
  EXPECT_EQ(timing.repeats.back().totalNs, 2000);
  m_callbacks.prepare = [] { return base::Result<>(base::Error{base::ErrorCode::Internal, "No.", "", ""}); };
  EXPECT_EQ(evaluate().error->message, "No.");
}

TEST_F(TimeEvaluator, PausesAfterRepeatsButNotAtTheEnd) {
  const auto elapsedMs = [this] {
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_FALSE(evaluate().error);
    return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begin)
        .count();
  };
  m_settings = {.number = 1, .repeat = 5, .cooldownIntervalMs = 30, .repeatsToCooldown = 2};
  EXPECT_GE(elapsedMs(), 60) << "after repeats 0 and 2; the last, 4, is followed by nothing";
  m_settings = {.number = 1, .repeat = 1, .cooldownIntervalMs = 3'600'000};
  EXPECT_LT(elapsedMs(), 60'000);
}

TEST_F(TimeEvaluator, FlushesCachesBetweenRepeats) {
  m_settings = {.number = 1, .repeat = 3, .cacheFlushBytes = 1 << 20};
  const Timing refused = evaluate();
  ASSERT_TRUE(refused.error);
  EXPECT_EQ(refused.error->code, base::ErrorCode::Unsupported);
  runtime::registerTimers();
  const Timing timing = evaluateTime({kDLCPU, 0}, m_settings, m_callbacks);
  EXPECT_FALSE(timing.error);
  EXPECT_EQ(timing.repeats.size(), 3U);
}

TEST_F(TimeEvaluator, AStopIsSeenBetweenCallsAndInPauses) {
  m_settings = {.number = 10, .repeat = 4};
  m_callbacks.stopRequested = [this] { return m_calls >= 25; };
  Timing timing = evaluate();
  ASSERT_TRUE(timing.error);
  EXPECT_EQ(timing.error->code, base::ErrorCode::Cancelled);
  EXPECT_EQ(timing.repeats.size(), 2U);
  EXPECT_EQ(m_calls, 25);
  m_calls = 0;
  m_settings = {.number = 10, .repeat = 2, .cooldownIntervalMs = 3'600'000};
  m_callbacks.stopRequested = [this] { return m_calls >= 11; };
  timing = evaluate();
  EXPECT_EQ(timing.repeats.size(), 1U);
  EXPECT_EQ(timing.error->code, base::ErrorCode::Cancelled);
}

TEST_F(TimeEvaluator, AFailureKeepsTheRepeatsBeforeIt) {
  m_settings = {.number = 10, .repeat = 4};
  m_failAt = 25;
  const Timing timing = evaluate();
  ASSERT_TRUE(timing.error);
  EXPECT_EQ(timing.error->message, "add failed.");
  EXPECT_EQ(timing.repeats.size(), 2U);
}

TEST_F(TimeEvaluator, TellsHowFarItIs) {
  m_settings = {.number = 1, .repeat = 3};
  std::vector<std::int64_t> told;
  m_callbacks.progress = [&](std::int64_t done, double elapsedNs) {
    EXPECT_GE(elapsedNs, 0);
    told.push_back(done);
  };
  evaluate();
  EXPECT_EQ(told, (std::vector<std::int64_t>{0, 1, 2, 3}));
}

TEST_F(TimeEvaluator, SettingsOutOfRangeAreRefusedBeforeAnythingIsCalled) {
  const std::pair<TimeSettings, std::string> wrong[] = {
      {{.number = 0}, "number"},
      {{.number = kMostCalls + 1}, "number"},
      {{.repeat = 0}, "repeat"},
      {{.minRepeatMs = -1}, "min_repeat_ms"},
      {{.limitZeroTimeIterations = -1}, "limit_zero_time_iterations"},
      {{.cooldownIntervalMs = -1}, "cooldown_interval_ms"},
      {{.repeatsToCooldown = 0}, "repeats_to_cooldown"},
      {{.cacheFlushBytes = -4}, "cache_flush_bytes"},
  };
  for (const auto& [settings, name] : wrong) {
    m_settings = settings;
    const Timing timing = evaluate();
    ASSERT_TRUE(timing.error) << name;
    EXPECT_EQ(timing.error->code, base::ErrorCode::InvalidArgument);
    EXPECT_TRUE(timing.error->message.starts_with(name + " ")) << timing.error->message;
  }
  EXPECT_EQ(m_calls, 0);
}

// ---- as functions of the registry ----

class TimeFunctions : public ::testing::Test {
 protected:
  void SetUp() override {
    registerTimeFunctions();
    ffi::Function::SetGlobal("test.measured", m_measured, true);
    ffi::Function::SetGlobal("test.prepare",
                             ffi::Function::FromPacked([this](ffi::PackedArgs arguments, ffi::Any*) {
                               ++m_prepared;
                               EXPECT_EQ(arguments[0].cast<std::int64_t>(), 5);
                             }),
                             true);
  }
  void TearDown() override {
    ffi::Function::RemoveGlobal("test.measured");
    ffi::Function::RemoveGlobal("test.prepare");
  }
  ffi::Function evaluator(const ffi::Optional<ffi::Module>& module, const std::string& name,
                          std::int64_t number, std::int64_t repeat, std::int64_t minRepeatMs = 0,
                          std::int64_t limitZero = 100, std::int64_t cooldownMs = 0,
                          std::int64_t repeatsToCooldown = 1, std::int64_t flushBytes = 0,
                          const std::string& prepare = "") {
    const auto make = ffi::Function::GetGlobal("runtime.RPCTimeEvaluator");
    return (*make)(module, name, static_cast<int>(kDLHexagon), 0, number, repeat, minRepeatMs, limitZero,
                   cooldownMs, repeatsToCooldown, flushBytes, prepare)
        .cast<ffi::Function>();
  }
  static std::vector<double> secondsOf(const ffi::Any& blob) {
    const auto bytes = blob.cast<ffi::Bytes>();
    std::vector<double> seconds(bytes.size() / sizeof(double));
    std::memcpy(seconds.data(), bytes.data(), bytes.size());
    return seconds;
  }
  template <class F>
  static std::string failureOf(F&& function) {
    try {
      function();
      return "nothing was raised";
    } catch (const ffi::Error& error) {
      return error.kind() + ": " + error.message();
    }
  }

  FakeTimers m_timers{kDLHexagon};
  int m_calls = 0;
  int m_prepared = 0;
  ffi::Function m_measured = ffi::Function::FromPacked([this](ffi::PackedArgs arguments, ffi::Any* result) {
    ++m_calls;
    m_timers.nowNs += 2000;
    if (arguments.size() > 0 && arguments[0].cast<std::int64_t>() == 13) {
      throw ffi::Error("IndexError", "unlucky", "");
    }
    *result = 1;
  });
};

TEST_F(TimeFunctions, GiveSecondsOfACallAsBytes) {
  const std::vector<double> seconds = secondsOf(evaluator(std::nullopt, "test.measured", 10, 3)(5));
  EXPECT_EQ(seconds, std::vector<double>(3, 2e-6));
  EXPECT_EQ(m_calls, 31);
}

TEST_F(TimeFunctions, TakeFunctionsOfModulesAndOfTheirImports) {
  const ffi::Module inner(ffi::make_object<ModuleOfKind>("library", "kernel", m_measured));
  EXPECT_EQ(secondsOf(evaluator(inner, "kernel", 1, 2)(5)).size(), 2U);
  ffi::Module outer(ffi::make_object<ModuleOfKind>("executable", "main", m_measured));
  outer->ImportModule(inner);
  EXPECT_EQ(secondsOf(evaluator(outer, "kernel", 1, 2)(5)).size(), 2U);
}

TEST_F(TimeFunctions, PrepareWithTheSameArguments) {
  evaluator(std::nullopt, "test.measured", 1, 4, 0, 100, 0, 1, 0, "test.prepare")(5);
  EXPECT_EQ(m_prepared, 4);
}

TEST_F(TimeFunctions, WithoutPausesTheirIntervalIsNotLookedAt) {
  EXPECT_EQ(secondsOf(evaluator(std::nullopt, "test.measured", 1, 1, 0, 100, 0, 0)(5)).size(), 1U);
}

TEST_F(TimeFunctions, TellWhatIsMissingOrWrong) {
  const ffi::Module module(ffi::make_object<ModuleOfKind>("library", "kernel", m_measured));
  EXPECT_TRUE(failureOf([&] {
                evaluator(std::nullopt, "test.nosuch", 1, 1);
              }).starts_with("InternalError: Cannot find test.nosuch"));
  EXPECT_TRUE(
      failureOf([&] { evaluator(module, "nosuch", 1, 1); }).starts_with("InternalError: Cannot find nosuch"));
  EXPECT_TRUE(failureOf([&] {
                evaluator(std::nullopt, "test.measured", 1, 1, 0, 100, 0, 1, 0, "no.prepare");
              }).starts_with("InternalError: Cannot find no.prepare"));
  EXPECT_TRUE(
      failureOf([&] { evaluator(std::nullopt, "test.measured", 0, 1); }).starts_with("ValueError: number"));
  const ffi::Module remote(ffi::make_object<ModuleOfKind>("rpc", "kernel", m_measured));
  EXPECT_TRUE(failureOf([&] { evaluator(remote, "kernel", 1, 1); }).starts_with("RuntimeError"));
}

TEST_F(TimeFunctions, PassOnWhatTheFunctionRaises) {
  const ffi::Function evaluate = evaluator(std::nullopt, "test.measured", 1, 1);
  EXPECT_EQ(failureOf([&] { evaluate(13); }), "IndexError: unlucky");
  EXPECT_EQ(secondsOf(evaluate(5)).size(), 1U) << "usable after errors";
}

TEST_F(TimeFunctions, CachesAreFlushedOfAllButTheFirstArgument) {
  const auto flush = ffi::Function::GetGlobal("cache_flush_cpu_non_first_arg");
  ASSERT_TRUE(flush.has_value());
  std::vector<float> values(1000, 1.5F);
  std::int64_t shape[] = {1000};
  DLTensor tensor{};
  tensor.data = values.data();
  tensor.device = {kDLCPU, 0};
  tensor.ndim = 1;
  tensor.dtype = {kDLFloat, 32, 1};
  tensor.shape = shape;
  (*flush)(7, &tensor, &tensor);
  EXPECT_EQ(values, std::vector<float>(1000, 1.5F));
  EXPECT_TRUE(failureOf([&] { (*flush)(&tensor, 7); }).starts_with("TypeError"));
}

}  // namespace
}  // namespace opscope::profile
