// SPDX-License-Identifier: Apache-2.0
// The probe, loaded as a board's server loads it, on our own virtual machine: what it records of a run is
// what our recorder does.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tvm/ffi/extra/module.h>

#include <cstdio>
#include <random>

#include "engine/profile/recorder.h"
#include "engine/runtime/elf_image.h"
#include "engine/session/captured_calls.h"
#include "engine/session/probe_records.h"
#include "tests/probe/probe_module.h"
#include "tests/vm/case_runner.h"
#include "tests/vm/module_calls.h"

namespace opscope::session {

namespace {

namespace ffi = tvm::ffi;
using test::loadProbe;
using test::Probed;
using test::probeFor;
using test::reportOf;
using vm::test::callModule;
using vm::test::failureOf;
using vm::test::machineModule;
using vm::test::scenarioArguments;

/// Runs the fixture's first step with a function of the probe, which was started, as its instrument.
void runStep(const ffi::Module& probe, const std::string& fixture, const std::string& instrument) {
  const ffi::Module machine = machineModule(fixture);
  vm::test::setScenarioInput(machine, fixture);
  callModule(machine, "set_instrument", *probe->GetFunction(instrument));
  callModule(probe, "opscope_probe_step", 0, *machine->GetFunction("invoke_stateful"),
             vm::test::scenarioFunction(fixture));
  callModule(machine, "set_instrument", nullptr);
}

Probed probeRun(const ffi::Module& probe, const std::string& fixture, std::int64_t capacity) {
  callModule(probe, "opscope_probe_start", capacity);
  runStep(probe, fixture, "opscope_probe_instrument");
  return reportOf(probe);
}

/// Runs the fixture's first step with our recorder.
void observeMain(const std::string& fixture, profile::Recorder& recorder) {
  const auto machine = vm::test::openFixture(fixture);
  ASSERT_TRUE(machine);
  std::vector<ffi::Any> arguments = scenarioArguments(fixture);
  (*machine)->setObserver(&recorder);
  ASSERT_TRUE((*machine)->invoke(vm::test::scenarioFunction(fixture), arguments));
  (*machine)->setObserver(nullptr);
}

TEST(Probe, IsThereForThisComputerAndForAarch64WhereItCanBeBuilt) {
  for (const ProbeBytes& probe : probeBytes()) {
    const auto image =
        runtime::ElfImage::parse(std::make_shared<const std::string>(probe.library), "the probe");
    ASSERT_TRUE(image) << image.error().message;
    EXPECT_EQ(image->architecture(), probe.architecture);
    EXPECT_THAT(image->neededLibraries(), testing::UnorderedElementsAre("libtvm_ffi.so", "libc.so.6"));
  }
  EXPECT_FALSE(probeFor(runtime::hostArchitecture()).library.empty());
}

/// What the probe records of a fixture against what our recorder does, call by call.
class ProbeAgainstRecorder : public testing::TestWithParam<const char*> {};

TEST_P(ProbeAgainstRecorder, TellsTheSameCalls) {
  const ffi::Module probe = loadProbe();
  const Probed probed = probeRun(probe, GetParam(), 100'000);
  EXPECT_EQ(probed.report.header.dropped, 0U);
  const auto file = vm::readExecutableFile(vm::test::fixturePath(GetParam()));
  ASSERT_TRUE(file);
  ProbeRecords records(*file->data);
  ASSERT_TRUE(records.addRepeat(probed.report,
                                {vm::findFunction(*file->data, vm::test::scenarioFunction(GetParam()))}));

  profile::Recorder recorder(file->data->instructions.size(), false);
  observeMain(GetParam(), recorder);
  ASSERT_EQ(records.records().size(), recorder.records().size());
  for (std::size_t i = 0; i < recorder.records().size(); ++i) {
    const base::CallRecord& ours = recorder.records().at(i);
    const base::CallRecord& probes = records.records().at(i);
    EXPECT_EQ(probes.function, ours.function) << i;
    EXPECT_EQ(probes.depth, ours.depth) << i;
    EXPECT_EQ(probes.instruction, ours.instruction) << i;
    EXPECT_GE(probes.endTicks, probes.beginTicks);
    ASSERT_EQ(probes.shapes == base::kNoShapes, ours.shapes == base::kNoShapes) << i;
    if (ours.shapes != base::kNoShapes) {
      EXPECT_EQ(records.shapes().text(probes.shapes), recorder.shapes().text(ours.shapes)) << i;
      EXPECT_EQ(records.shapes().device(probes.shapes), recorder.shapes().device(ours.shapes)) << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Fixtures, ProbeAgainstRecorder,
                         testing::Values("tvm027/chain", "tvm027/mlp", "tvm027/cnn", "tvm027/ifelse",
                                         "tvm027/recursion", "tvm027/closure", "tvm027/transformer",
                                         "tvm025/mlp"),
                         [](const auto& fixture) {
                           std::string name = fixture.param;
                           std::ranges::replace(name, '/', '_');
                           return name;
                         });

TEST(Probe, CountsCallsThatHaveNoRoom) {
  const Probed probed = probeRun(loadProbe(), "tvm027/chain", 5);
  EXPECT_EQ(probed.report.records.size(), 5U);
  EXPECT_GT(probed.report.header.dropped, 100U);
}

TEST(Probe, TellsMistakesInWords) {
  const ffi::Module probe = loadProbe();
  EXPECT_THAT(failureOf(probe, "opscope_probe_report"),
              testing::HasSubstr("comes after opscope_probe_start"));
  EXPECT_THAT(failureOf(probe, "opscope_probe_step", 0, "main"), testing::StartsWith("TypeError"));
  EXPECT_THAT(failureOf(probe, "opscope_probe_start", -1), testing::StartsWith("ValueError"));
  EXPECT_THAT(failureOf(probe, "opscope_probe_start", 16, 2, 0), testing::HasSubstr("Device_StreamSync"));
  callModule(probe, "opscope_probe_start", 16);
  const auto raises = ffi::Function::FromTyped([](int) { TVM_FFI_THROW(ValueError) << "no such thing"; });
  EXPECT_EQ(failureOf(probe, "opscope_probe_step", 0, raises, 1), "ValueError: no such thing");
  const Probed probed = reportOf(probe);
  ASSERT_EQ(probed.report.marks.size(), 1U);
  EXPECT_EQ(probed.report.marks[0].failed, 1U);
  callModule(probe, "opscope_probe_stop");
}

TEST(Probe, MeasuresWhatItCosts) {
  const double ns = callModule(loadProbe(), "opscope_probe_cost").cast<double>();
  EXPECT_GT(ns, 0);
  RecordProperty("ns", static_cast<int>(ns));
}

template <class... Args>
std::string bytesFrom(const ffi::Module& probe, const char* name, const Args&... arguments) {
  return callModule(probe, name, arguments...).template cast<ffi::Bytes>();
}

/// What the probe copies of a fixture's first step with a limit of so many bytes.
class CapturedRun {
 public:
  CapturedRun(const std::string& fixture, std::int64_t limitBytes, bool all)
      : m_recording(TensorSpool::create().value()), m_reader(m_recording) {
    const ffi::Module probe = loadProbe();
    callModule(probe, "opscope_probe_start", 1000);
    callModule(probe, "opscope_probe_capture_start", limitBytes, all, vm::test::scenarioFunction(fixture));
    runStep(probe, fixture, "opscope_probe_watch");
    fetch(probe);
    callModule(probe, "opscope_probe_stop");
  }

  const base::ProbeCaptureState& state() const { return m_state; }
  const CallRecording& recording() const { return m_recording; }
  std::uint64_t omitted(base::ProbeOmission why) const { return m_reader.omitted(why); }
  std::size_t count(bool outputs) const {
    std::size_t count = 0;
    for (const RecordedCall& call : m_recording.calls()) {
      count += static_cast<std::size_t>(std::ranges::count(call.outputs, outputs, &RecordedTensor::isOutput));
    }
    return count;
  }

 private:
  void fetch(const ffi::Module& probe) {
    const auto state = readCaptureState(bytesFrom(probe, "opscope_probe_capture_state"));
    ASSERT_TRUE(state) << state.error().detail;
    m_state = *state;
    for (std::uint32_t i = 0; i < m_state.blocks; ++i) {
      const auto fed = m_reader.feed(bytesFrom(probe, "opscope_probe_capture_block", i));
      ASSERT_TRUE(fed) << fed.error().detail;
    }
    ASSERT_TRUE(m_reader.finish());
  }

  CallRecording m_recording;
  CaptureReader m_reader;
  base::ProbeCaptureState m_state;
};

TEST(ProbeCapture, WhatHasNoRoomIsToldWithoutItsElements) {
  const CapturedRun whole("tvm027/chain", 1 << 20, false);
  EXPECT_EQ(whole.omitted(base::ProbeOmission::Room), 0U);
  ASSERT_GT(whole.recording().calls().size(), 100U);
  const CapturedRun cut("tvm027/chain", 2000, false);
  EXPECT_EQ(cut.state().limit, 2000U);
  EXPECT_EQ(cut.state().lostCalls, 0U);
  EXPECT_EQ(cut.recording().calls().size(), whole.recording().calls().size());
  EXPECT_GT(cut.omitted(base::ProbeOmission::Room), 100U);
  EXPECT_LE(cut.recording().keptBytes(), 2000U);
  EXPECT_GT(cut.recording().keptBytes(), 0U);
  const CapturedRun none("tvm027/chain", 0, false);
  EXPECT_EQ(none.recording().keptBytes(), 0U);
  EXPECT_EQ(none.recording().calls().size(), whole.recording().calls().size());
}

TEST(ProbeCapture, AllTensorsAreThoseOfTheOutputsAndArguments) {
  for (const char* const fixture : {"tvm027/chain", "tvm027/mlp", "tvm027/tuples"}) {
    SCOPED_TRACE(fixture);
    const CapturedRun outputs(fixture, 64 << 20, false);
    const CapturedRun all(fixture, 64 << 20, true);
    EXPECT_EQ(outputs.count(false), 0U);
    EXPECT_GT(all.count(false), 0U);
    EXPECT_GE(all.count(true), outputs.count(true));
    EXPECT_EQ(all.state().calls, outputs.state().calls);
  }
}

TEST(ProbeCapture, MembersOfTuplesHaveTheirPlaces) {
  const ffi::Module probe = loadProbe();
  callModule(probe, "opscope_probe_start", 100);
  callModule(probe, "opscope_probe_capture_start", 1 << 20, false);
  const auto tensor = [](float value) { return vm::test::floatTensor({2}, {value, value}); };
  const ffi::Array<ffi::Any> inner{tensor(2), ffi::Any(5)};
  const ffi::Array<ffi::Any> result{tensor(1), inner, tensor(3)};
  const auto function = ffi::Function::FromTyped([] {});
  callModule(probe, "opscope_probe_watch", function, "make", true, nullptr);
  callModule(probe, "opscope_probe_watch", function, "make", false, result);
  const auto state = readCaptureState(bytesFrom(probe, "opscope_probe_capture_state"));
  ASSERT_TRUE(state);
  ASSERT_EQ(state->blocks, 1U);
  CallRecording recording(TensorSpool::create().value());
  CaptureReader reader(recording);
  ASSERT_TRUE(reader.feed(bytesFrom(probe, "opscope_probe_capture_block", 0)));
  ASSERT_TRUE(reader.finish());
  ASSERT_EQ(recording.calls().size(), 1U);
  std::vector<std::string> places;
  for (const RecordedTensor& output : recording.calls()[0].outputs) {
    places.push_back(output.place);
    EXPECT_EQ(output.size, 8U);
  }
  EXPECT_THAT(places, testing::ElementsAre("ret/0", "ret/1/0", "ret/2"));
  EXPECT_THAT(failureOf(probe, "opscope_probe_capture_block", 1),
              testing::HasSubstr("a block that is there"));
  EXPECT_THAT(failureOf(probe, "opscope_probe_capture_start", 5), testing::StartsWith("ValueError"));
  EXPECT_THAT(failureOf(probe, "opscope_probe_capture_start", -1, false), testing::StartsWith("ValueError"));
  EXPECT_THAT(failureOf(probe, "opscope_probe_capture_start", 5, false, 7), testing::StartsWith("TypeError"));
  callModule(probe, "opscope_probe_stop");
}

TEST(ProbeReports, CutOrChangedAnywhereAreErrorsNotCrashes) {
  const Probed probed = probeRun(loadProbe(), "tvm027/ifelse", 1000);
  const auto file = vm::readExecutableFile(vm::test::fixturePath("tvm027/ifelse"));
  for (std::size_t size = 0; size < probed.bytes.size(); ++size) {
    EXPECT_FALSE(readProbeReport(std::string_view(probed.bytes).substr(0, size))) << size;
  }
  EXPECT_FALSE(readProbeReport(probed.bytes + "x"));
  std::mt19937 random(1);
  for (int attempt = 0; attempt < 3000; ++attempt) {
    std::string changed = probed.bytes;
    for (int i = 0; i < 3; ++i) {
      changed[random() % changed.size()] = static_cast<char>(random());
    }
    if (const auto report = readProbeReport(changed)) {
      ProbeRecords records(*file->data);
      (void)records.addRepeat(*report, {0});
    }
  }
}

TEST(ProbeReports, OfOtherStepsAreRefused) {
  const Probed probed = probeRun(loadProbe(), "tvm027/mlp", 1000);
  const auto file = vm::readExecutableFile(vm::test::fixturePath("tvm027/mlp"));
  ProbeRecords records(*file->data);
  const auto added = records.addRepeat(probed.report, {0, 0});
  ASSERT_FALSE(added);
  EXPECT_EQ(added.error().detail, "It holds 1 steps of 2.");
}

}  // namespace

}  // namespace opscope::session
