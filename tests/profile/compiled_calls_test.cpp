// SPDX-License-Identifier: Apache-2.0
// Calls inside compiled functions against the same model in bytecode, whose calls the machine itself shows.
#include "engine/profile/compiled_calls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tvm/ffi/error.h>

#include <algorithm>
#include <optional>
#include <thread>

#include "engine/profile/collecting_recorder.h"
#include "tests/profile/call_lists.h"
#include "tests/profile/fake_collector.h"
#include "tests/vm/case_runner.h"

namespace opscope::profile {
namespace {

using test::CallList;
using test::callsOf;
using test::comparable;

struct Twins {
  const char* compiled;
  const char* bytecode;
};

class CompiledTwins : public ::testing::TestWithParam<Twins> {};

TEST_P(CompiledTwins, MakeTheSameCalls) {
  const auto [compiledName, bytecodeName] = GetParam();
  auto compiled = vm::test::openFixture(compiledName);
  auto bytecode = vm::test::openFixture(bytecodeName);
  ASSERT_TRUE(compiled) << compiled.error().message;
  ASSERT_TRUE(bytecode) << bytecode.error().message;
  const CallList seen = callsOf(*compiled->machine, compiledName);
  const CallList expected = callsOf(*bytecode->machine, bytecodeName);
  EXPECT_EQ(seen.problem, "");
  EXPECT_EQ(seen.facts.unmet, "");
  EXPECT_EQ(seen.facts.way, "slots");
  EXPECT_GT(expected.calls.size(), 0u);
  EXPECT_THAT(comparable(seen), ::testing::ContainerEq(comparable(expected)));
}

INSTANTIATE_TEST_SUITE_P(Fixtures, CompiledTwins,
                         ::testing::Values(Twins{"tvm027/chain_compiled", "tvm027/chain"},
                                           Twins{"tvm027/mlp_compiled", "tvm027/mlp"},
                                           Twins{"tvm025/mlp_compiled", "tvm025/mlp"},
                                           Twins{"tvm027/mlp_dyn_compiled", "tvm027/mlp_dyn"},
                                           Twins{"tvm027/ifelse_compiled", "tvm027/ifelse_f"}));

constexpr const char* kCompiled = "tvm027/mlp_compiled";

TEST(CompiledCalls, TwoExecutablesAreKeptApart) {
  auto first = vm::test::openFixture(kCompiled);
  auto second = vm::test::openFixture(kCompiled);
  ASSERT_TRUE(first && second);
  const CallList alone = callsOf(*first->machine, kCompiled);
  class Counter final : public vm::CallObserver {
   public:
    void beginCall(const vm::CallSite&, const TVMFFIAny*, std::int32_t) override { ++begun; }
    void endCall(const vm::CallSite&, const TVMFFIAny&) override {}
    int begun = 0;
  } others;
  const CompiledCalls outer(*second->machine, others);
  const CallList within = callsOf(*first->machine, kCompiled);  // while the other one is patched too
  EXPECT_EQ(comparable(within), comparable(alone));
  EXPECT_EQ(others.begun, 0);
  first->machine.reset();  // unloaded while the other one is patched
  EXPECT_EQ(vm::test::runAndCompare(*second->machine, kCompiled), "");
  EXPECT_EQ(others.begun, static_cast<int>(alone.calls.size()));
}

TEST(CompiledCalls, ThreadsProfileAtTheSameTime) {
  const auto work = [] {
    for (int round = 0; round < 5; ++round) {
      auto open = vm::test::openFixture("tvm027/chain_compiled");
      ASSERT_TRUE(open);
      const CallList seen = callsOf(*open->machine, "tvm027/chain_compiled");
      EXPECT_EQ(seen.problem, "");
      EXPECT_EQ(seen.unended, 0u);
      EXPECT_EQ(std::ranges::count(seen.calls, "add", &test::SeenCall::name), 300);
    }
  };
  std::thread one(work);
  std::thread two(work);
  one.join();
  two.join();
}

/// Starts and stops of a collector, by the way in which kernels are met.
std::pair<std::size_t, std::size_t> collected(bool byGaps) {
  auto open = vm::test::openFixture(kCompiled);
  EXPECT_TRUE(open);
  testing::FakeCollector collector;
  Recorder recorder(0, false);
  CollectingRecorder collecting(recorder, {&collector}, {kDLCPU, 0});
  CompiledCalls::Options options;
  options.limits.slots = options.limits.callSites = !byGaps;
  {
    const CompiledCalls calls(*open->machine, collecting, nullptr, options);
    EXPECT_EQ(calls.facts().way, byGaps ? "gaps" : "slots");
    open->machine->setObserver(&collecting);
    EXPECT_EQ(vm::test::runAndCompare(*open->machine, kCompiled), "");
    open->machine->setObserver(nullptr);
  }
  EXPECT_EQ(collector.m_open, 0);
  const auto count = [&collector](const char* what) { return std::ranges::count(collector.m_log, what); };
  return {count("start"), count("stop")};
}

TEST(CompiledCalls, CollectorsSeeTheSameCallsInEveryWay) {
  const auto slots = collected(false);
  EXPECT_GE(slots.first, 9u) << "seven kernels, two checks";
  EXPECT_EQ(slots.first, slots.second);
  EXPECT_EQ(collected(true), slots);
}

/// Stops the machine at a call, or fails there.
class Interrupter final : public vm::CallObserver, public CompiledCallHook {
 public:
  explicit Interrupter(vm::VirtualMachine& machine) : m_machine(machine) {}
  void beginCall(const vm::CallSite&, const TVMFFIAny*, std::int32_t) override {
    if (++begun == stopAt) {
      m_machine.requestStop();
    }
  }
  void endCall(const vm::CallSite&, const TVMFFIAny&) override { ++ended; }
  void beforeCall(std::string_view, const TVMFFIAny*, std::int32_t) override {
    if (++before == failBefore) {
      throw tvm::ffi::Error("ValueError", "not this one", "");
    }
  }
  void afterCall(std::string_view, const TVMFFIAny&, const TVMFFIAny*, std::int32_t) override {
    if (++after == failAfter) {
      throw tvm::ffi::Error("ValueError", "not that one", "");
    }
  }
  int stopAt = -1;
  int failBefore = -1;
  int failAfter = -1;
  int begun = 0;
  int ended = 0;
  int before = 0;
  int after = 0;

 private:
  vm::VirtualMachine& m_machine;
};

class Interrupted : public ::testing::TestWithParam<bool> {
 protected:
  /// A chain in which the interrupter acts; by gaps when the parameter says so.
  base::Result<tvm::ffi::Any> run(void (*prepare)(Interrupter&)) {
    auto open = vm::test::openFixture("tvm027/chain_compiled");
    EXPECT_TRUE(open);
    m_interrupter.emplace(*open->machine);
    prepare(*m_interrupter);
    CompiledCalls::Options options;
    options.limits.slots = options.limits.callSites = !GetParam();
    const auto arguments = vm::test::scenarioArguments("tvm027/chain_compiled");
    base::Result<tvm::ffi::Any> result = tvm::ffi::Any();
    {
      const CompiledCalls calls(*open->machine, *m_interrupter, &*m_interrupter, options);
      result = open->machine->invoke("main", arguments);
    }
    open->machine->clearStop();
    EXPECT_EQ(vm::test::runAndCompare(*open->machine, "tvm027/chain_compiled"), "");
    return result;
  }
  std::optional<Interrupter> m_interrupter;
};

TEST_P(Interrupted, StopTakesEffectBeforeTheNextCall) {
  const auto result = run([](Interrupter& at) { at.stopAt = 40; });
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, base::ErrorCode::Cancelled);
  EXPECT_EQ(m_interrupter->begun, 40);
}

TEST_P(Interrupted, AHookFailsACallBeforeIt) {
  const auto result = run([](Interrupter& at) { at.failBefore = 50; });
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message, ::testing::HasSubstr("not this one"));
  EXPECT_EQ(m_interrupter->begun, 49);
}

TEST_P(Interrupted, AHookFailsACallAfterIt) {
  const auto result = run([](Interrupter& at) { at.failAfter = 50; });
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message, ::testing::HasSubstr("not that one"));
  EXPECT_EQ(m_interrupter->ended, 50);
}

INSTANTIATE_TEST_SUITE_P(Ways, Interrupted, ::testing::Bool());

}  // namespace
}  // namespace opscope::profile
