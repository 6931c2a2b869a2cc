// SPDX-License-Identifier: Apache-2.0
// A machine's module recorded through the registry's functions, as a client on another computer does it.
#include "engine/profile/remote_recorder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tvm/ffi/extra/module.h>

#include <set>

#include "engine/profile/profiler_module.h"
#include "engine/report/run_append.h"
#include "engine/report/samples_json.h"
#include "tests/vm/case_runner.h"
#include "tests/vm/module_calls.h"

namespace opscope::profile {

namespace {

namespace ffi = tvm::ffi;
using testing::HasSubstr;
using testing::StartsWith;
using vm::test::callModule;
using vm::test::failureOf;

class RemoteRecorder : public testing::Test {
 protected:
  void SetUp() override {
    registerProfilerModule();
    vm::test::setScenarioInput(m_machine, kFixture);
  }

  ffi::Module begin(const RemoteSettings& settings) const {
    const auto record = ffi::Function::GetGlobalRequired(kRecordBegin);
    return record(m_machine, toJson(settings)).cast<ffi::Module>();
  }

  /// One repeat of one step; what repeat_begin said.
  std::int64_t repeat(const ffi::Module& recorder) const {
    const auto kind = callModule(recorder, "repeat_begin").cast<std::int64_t>();
    if (kind != 0) {
      callModule(recorder, "step", 0, *m_machine->GetFunction("invoke_stateful"), m_function);
      callModule(recorder, "repeat_end", true);
    }
    return kind;
  }

  static report::Run runOf(const ffi::Any& bytes) {
    auto run = report::runFromSamplesJson(std::string(bytes.cast<ffi::Bytes>()), "the recorder's bytes");
    if (!run) {
      throw std::runtime_error(run.error().message + run.error().detail);
    }
    return **run;
  }

  static constexpr const char* kFixture = "tvm027/transformer";
  const std::string m_function = vm::test::scenarioFunction(kFixture);
  const ffi::Module m_machine = vm::test::machineModule(kFixture);
};

TEST_F(RemoteRecorder, RecordsAllThatALocalProfileDoes) {
  RemoteSettings settings;
  settings.warmup = 2;
  settings.repeats = 5;
  settings.steps = {m_function};
  settings.overhead = OverheadCheck::Full;
  settings.recordMemory = true;
  settings.recordLanes = true;
  settings.collectors = {"process"};
  settings.kernels = {"fused_matmul_add", "layer_norm"};
  settings.tvmVersion = "0.27.0";
  const ffi::Module recorder = begin(settings);
  std::map<std::int64_t, int> kinds;
  while (const std::int64_t kind = repeat(recorder)) {
    ++kinds[kind];
  }
  EXPECT_EQ(kinds, (std::map<std::int64_t, int>{{1, 2}, {2, 5}, {3, 5}}));
  const report::Run run = runOf(callModule(recorder, "end", ""));
  EXPECT_EQ(run.repeats, 5U);
  EXPECT_EQ(run.failure, "");
  EXPECT_EQ(run.steps, std::vector<std::string>{m_function});
  EXPECT_TRUE(run.memory && run.lanes && run.noise && run.overhead && run.timing);
  EXPECT_FALSE(run.counters.empty());
  EXPECT_FALSE(run.calls.empty());
  EXPECT_EQ(run.ownNs.size(), run.calls.size() * 5);
  for (const report::Call& call : run.calls) {
    EXPECT_EQ(call.kernel, testing::Value(settings.kernels, testing::Contains(run.names[call.name])));
  }
  EXPECT_THAT(run.environment, testing::Contains(report::Fact{"Compiled by TVM", "0.27.0"}));
  EXPECT_THAT(failureOf(recorder, "end", ""), HasSubstr("the recorder has ended"));
}

TEST_F(RemoteRecorder, KeepsWhatWasMeasuredBeforeAnEarlyEnd) {
  RemoteSettings settings;
  settings.repeats = 10;
  settings.overhead = OverheadCheck::Off;
  const ffi::Module recorder = begin(settings);
  for (int i = 0; i < 4; ++i) {
    repeat(recorder);
  }
  callModule(recorder, "repeat_begin");
  const report::Run run = runOf(callModule(recorder, "end", "stopped"));
  EXPECT_EQ(run.repeats, 3U);
  EXPECT_EQ(run.repeatsWanted, 10U);
  EXPECT_EQ(run.failure, "Stopped on request.");
}

TEST_F(RemoteRecorder, TellsRepeatsPieceByPiece) {
  RemoteSettings settings;
  settings.repeats = 10;
  settings.warmup = 1;
  settings.overhead = OverheadCheck::Off;
  const ffi::Module recorder = begin(settings);
  EXPECT_EQ(callModule(recorder, "since", 0), nullptr);
  std::vector<report::Run> pieces;
  repeat(recorder);
  for (const int count : {1, 2, 3}) {
    for (int i = 0; i < count; ++i) {
      repeat(recorder);
    }
    std::uint32_t before = 0;
    for (const report::Run& piece : pieces) {
      before += piece.repeats;
    }
    pieces.push_back(runOf(callModule(recorder, "since", before)));
    EXPECT_EQ(pieces.back().repeats, static_cast<std::uint32_t>(count));
  }
  EXPECT_EQ(callModule(recorder, "since", 6), nullptr);
  EXPECT_THAT(failureOf(recorder, "since", -1), StartsWith("TypeError"));
  EXPECT_THAT(failureOf(recorder, "since"), StartsWith("TypeError"));
  callModule(recorder, "repeat_begin");
  EXPECT_THAT(failureOf(recorder, "since", 0), HasSubstr("between repeats"));
  callModule(recorder, "repeat_end", false);
  const report::Run whole = runOf(callModule(recorder, "end", "stopped"));
  report::Run joined = pieces[0];
  ASSERT_TRUE(report::appendRepeats(joined, pieces[1]));
  ASSERT_TRUE(report::appendRepeats(joined, pieces[2]));
  EXPECT_EQ(joined.repeats, whole.repeats);
  EXPECT_EQ(joined.calls, whole.calls);
  EXPECT_EQ(joined.sampleRepeat, whole.sampleRepeat);
  ASSERT_EQ(joined.ownNs.size(), whole.ownNs.size());
  for (std::size_t i = 0; i < whole.ownNs.size(); ++i) {  // the clock's rate is known better at the end
    EXPECT_NEAR(joined.ownNs[i], whole.ownNs[i], 2 + 0.01 * whole.ownNs[i]);
  }
}

TEST_F(RemoteRecorder, GivesNothingWhereNothingWasMeasured) {
  const ffi::Module recorder = begin({});
  EXPECT_EQ(callModule(recorder, "end", "stopped"), nullptr);
}

TEST_F(RemoteRecorder, AFailedStepLeavesTheRepeatsBefore) {
  RemoteSettings settings;
  settings.repeats = 3;
  settings.overhead = OverheadCheck::Off;
  const ffi::Module recorder = begin(settings);
  repeat(recorder);
  repeat(recorder);
  callModule(recorder, "repeat_begin");
  const auto raises = ffi::Function::FromTyped([] { TVM_FFI_THROW(ValueError) << "no such thing"; });
  EXPECT_EQ(failureOf(recorder, "step", 0, raises), "ValueError: no such thing");
  callModule(recorder, "repeat_end", false);
  EXPECT_THAT(failureOf(recorder, "repeat_begin"), StartsWith("RuntimeError"));
  const report::Run run = runOf(callModule(recorder, "end", "no such thing"));
  EXPECT_EQ(run.repeats, 1U);
  EXPECT_EQ(run.failure, "no such thing");
}

TEST_F(RemoteRecorder, FunctionsOutOfOrderAreErrors) {
  const ffi::Module recorder = begin({});
  EXPECT_THAT(failureOf(recorder, "step", 0, *m_machine->GetFunction("invoke_stateful"), m_function),
              HasSubstr("between repeat_begin and repeat_end"));
  EXPECT_THAT(failureOf(recorder, "repeat_end", true), HasSubstr("after repeat_begin"));
  callModule(recorder, "repeat_begin");
  EXPECT_THAT(failureOf(recorder, "repeat_begin"), HasSubstr("once before each repeat"));
  EXPECT_THAT(failureOf(recorder, "step", 1, *m_machine->GetFunction("invoke_stateful"), m_function),
              StartsWith("ValueError"));
  EXPECT_THAT(failureOf(recorder, "step", 0, "main"), StartsWith("TypeError"));
}

TEST_F(RemoteRecorder, TheMachineStaysAsItIsWhileItIsRecorded) {
  {
    const ffi::Module recorder = begin({});
    EXPECT_THAT(failureOf(m_machine, "vm_initialization", 1, 0, 2), StartsWith("RuntimeError"));
  }
  EXPECT_EQ(failureOf(m_machine, "vm_initialization", 1, 0, 2), "");
}

TEST_F(RemoteRecorder, WrongModulesAndSettingsAreErrors) {
  const auto record = ffi::Function::GetGlobalRequired(kRecordBegin);
  EXPECT_THROW(record(vm::test::executableModule(kFixture), "{}"), ffi::Error);
  EXPECT_THROW(record(m_machine, "{\"steps\": []}"), ffi::Error);
  EXPECT_THROW(record(m_machine, "{\"collectors\": [\"nonsense\"]}"), ffi::Error);
  EXPECT_FALSE(remoteSettingsFromJson("[1]"));
  EXPECT_FALSE(remoteSettingsFromJson("{\"repeats\": -1}"));
  EXPECT_FALSE(remoteSettingsFromJson("{\"memory\": 1}"));
  EXPECT_FALSE(remoteSettingsFromJson("{\"overhead\": \"much\"}"));
  EXPECT_TRUE(remoteSettingsFromJson("{\"ofAnotherVersion\": 1}"));
}

}  // namespace

}  // namespace opscope::profile
