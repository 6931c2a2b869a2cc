// SPDX-License-Identifier: Apache-2.0
// Sessions over real executables.
#include "engine/session/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tvm/ffi/function.h>

#include <cstring>
#include <filesystem>
#include <thread>

#include "engine/arrays/npz.h"
#include "engine/base/atomic_file.h"
#include "tests/session/session_fixture.h"

namespace opscope::session {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

std::string fixture(const std::string& name) {
  return std::string(OPSCOPE_TEST_DATA "/vm/tvm027/") + name;
}

class SessionTest : public testing::SessionFixture {
 protected:
  static RunRequest scenarioRun(const std::string& name) {
    RunRequest request;
    request.path = fixture(name + ".so");
    request.plan.scenarioFile = fixture(name + ".scenario.json");
    request.plan.inputs.arraysFile = fixture(name + ".npz");
    request.settings.runtime.threads = 2;
    return request;
  }
  static ProfileRequest profileOf(const std::string& path, std::uint32_t repeats) {
    ProfileRequest request;
    request.path = path;
    request.repeats = repeats;
    request.settings.runtime.threads = 1;
    return request;
  }
};

TEST_F(SessionTest, TheEngineRegistersWhatProgramsAskForByName) {
  for (const char* name : {"rpc.Connect", "rpc.LoadRemoteModule", "opscope.rpc.time_evaluator",
                           "runtime.NumThreads", "runtime.RPCTimeEvaluator", "profiling.start_timer"}) {
    EXPECT_TRUE(tvm::ffi::Function::GetGlobal(name).has_value()) << name;
  }
}

TEST_F(SessionTest, AnExecutableForAnotherArchitectureIsOpenedAndNotRun) {
  std::string content = base::readFile(fixture("mlp.so")).value();
  const std::uint16_t machine = 183;  // aarch64
  std::memcpy(content.data() + 18, &machine, sizeof machine);
  const std::string path = (m_folder / "board.so").string();
  ASSERT_TRUE(base::writeFileAtomically(path, content));
  const RequestId id = m_session->open({path});
  const auto opened = m_log.waitFor<ExecutableOpened>(id);
  ASSERT_TRUE(opened);
  EXPECT_FALSE(opened->info->runsHere);
  EXPECT_EQ(opened->info->architecture, "aarch64");
  EXPECT_FALSE(opened->info->functions.empty());
  const RequestId again = m_session->profile(profileOf(path, 1));
  EXPECT_THAT(failureOf(again), HasSubstr("board.so is built for aarch64, this computer is x86-64"));
  EXPECT_TRUE(m_log.waitForState(again, State::Failed));
}

TEST_F(SessionTest, OpensAndDescribesAnExecutable) {
  const RequestId id = m_session->open({fixture("mlp_dyn.so")});
  const auto opened = m_log.waitFor<ExecutableOpened>(id);
  ASSERT_TRUE(opened);
  const ExecutableInfo& info = *opened->info;
  EXPECT_EQ(info.fileName, "mlp_dyn.so");
  EXPECT_EQ(info.hash.size(), 32u);
  EXPECT_EQ(info.architecture, "x86-64");
  EXPECT_EQ(defaultFunction(info), "forward");
  ASSERT_FALSE(info.functions.empty());
  EXPECT_FALSE(info.kernels.empty());
  EXPECT_GT(info.kernels.front().callSites, 0u);
  EXPECT_TRUE(info.builtins.contains("vm.builtin.alloc_tensor"));
  EXPECT_FALSE(info.instructions.empty());
  EXPECT_TRUE(m_log.waitForState(id, State::Ready));
  EXPECT_THAT(m_log.states(id), ElementsAre(State::Opening, State::Ready));
}

TEST_F(SessionTest, LiftedFunctionsArePrivate) {
  const auto opened = m_log.waitFor<ExecutableOpened>(m_session->open({fixture("closure.so")}));
  ASSERT_TRUE(opened);
  int isPrivate = 0;
  for (const FunctionInfo& function : opened->info->functions) {
    EXPECT_FALSE(function.name == "main" && function.isPrivate);
    isPrivate += function.isPrivate ? 1 : 0;
  }
  EXPECT_GE(isPrivate, 1);
}

TEST_F(SessionTest, RunsAScenarioAndSavesItsOutputs) {
  RunRequest request = scenarioRun("tuples");
  request.outputsFile = m_folder / "out.npz";
  const RequestId id = m_session->run(request);
  const auto finished = m_log.waitFor<RunFinished>(id);
  ASSERT_TRUE(finished) << failureOf(id);
  EXPECT_GT(finished->durationNs, 0);
  ASSERT_EQ(finished->outputs.size(), 4u);
  EXPECT_EQ(finished->outputs[1].path, "out/1/0");
  EXPECT_EQ(finished->outputs[1].description, "float32 [4, 3]");
  const auto written = arrays::NpzReader::open(request.outputsFile);
  ASSERT_TRUE(written);
  EXPECT_THAT(written->keys(), ElementsAre("out/0", "out/1/0", "out/1/1", "out/2"));
  const auto expected = arrays::NpzReader::open(request.plan.inputs.arraysFile);
  ASSERT_TRUE(expected);
  for (const std::string& key : written->keys()) {
    const auto is = written->read(key);
    const auto should = expected->read(key);
    ASSERT_TRUE(is && should);
    EXPECT_EQ(is->shape(), should->shape());
    EXPECT_EQ(std::memcmp(is->data(), should->data(), should->byteSize()), 0) << key;
  }
  EXPECT_TRUE(m_log.waitForState(id, State::Ready));
  EXPECT_THAT(m_log.states(id), ElementsAre(State::Opening, State::Preparing, State::Measuring,
                                            State::Finishing, State::Ready));
}

TEST_F(SessionTest, AllMisfitsOfAScenarioAreToldBeforeItRuns) {
  const std::string file = m_folder / "wrong.scenario.json";
  const std::string rest =
      R"({"npz": "in/1"}, {"npz": "in/2"}, {"npz": "in/3"}, {"npz": "in/4"}, {"npz": "in/5"},
    {"npz": "in/6"}]})";
  const std::string call = R"({"func": "forward", "args": [)";
  ASSERT_TRUE(base::writeFileAtomically(file, R"({"steps": [)" + call + R"({"npz": "in/0"}, )" + rest + ", " +
                                                  call + R"({"ret": 0}, )" + rest + ", " + call +
                                                  R"({"npz": "in/2"}, )" + rest + "]}"));
  RunRequest request = scenarioRun("cnn");
  request.plan.scenarioFile = file;
  const std::string told = failureOf(m_session->run(request));
  EXPECT_THAT(told, HasSubstr("step forward #2: Input x does not fit.\nNeeds float32 [1, 3, 16, 16]. "
                              "The result of steps[0] has float32 [1, 10]."));
  EXPECT_THAT(told, HasSubstr("step forward #3: Input x does not fit."));
}

TEST_F(SessionTest, ProfilesWithItsOwnInputs) {
  const RequestId id = m_session->profile(profileOf(fixture("chain.so"), 5));
  const auto finished = m_log.waitFor<ProfileFinished>(id);
  ASSERT_TRUE(finished) << failureOf(id);
  const report::Run& run = *finished->document.run;
  EXPECT_EQ(run.function, "main");
  EXPECT_EQ(run.repeats, 5u);
  EXPECT_EQ(run.executablePath, fixture("chain.so"));
  EXPECT_EQ(run.executableHash.size(), 32u);
  EXPECT_THAT(run.inputs, HasSubstr("float32 [16]"));
  std::size_t kernels = 0;
  for (const report::Call& call : run.calls) {
    kernels += call.kernel ? 1 : 0;
    EXPECT_EQ(call.sampleCount, 5u);
  }
  EXPECT_EQ(kernels, 300u);
  EXPECT_EQ(finished->document.report->deviceMetrics.at(0).first, "cpu0");
  EXPECT_TRUE(run.failure.empty());
  EXPECT_TRUE(m_log.waitForState(id, State::Ready));
  EXPECT_THAT(m_log.states(id), ElementsAre(State::Opening, State::Preparing, State::WarmingUp,
                                            State::Measuring, State::Finishing, State::Ready));
}

TEST_F(SessionTest, OneExecutableIsOpenedOnce) {
  const RequestId first = m_session->profile(profileOf(fixture("chain.so"), 1));
  const RequestId second = m_session->profile(profileOf(fixture("chain.so"), 1));
  ASSERT_TRUE(m_log.waitFor<ProfileFinished>(second));
  EXPECT_GT(second, first);
  EXPECT_EQ(m_log.count<ExecutableOpened>(first), 1u);
  EXPECT_EQ(m_log.count<ExecutableOpened>(second), 0u);
}

TEST_F(SessionTest, StopKeepsCompleteRepeats) {
  const RequestId id = m_session->profile(profileOf(fixture("chain.so"), 100'000));
  ASSERT_TRUE(m_log.waitForRepeat(id));
  m_session->stop();
  const auto finished = m_log.waitFor<ProfileFinished>(id);
  ASSERT_TRUE(finished);
  const report::Run& run = *finished->document.run;
  EXPECT_GT(run.repeats, 0u);
  EXPECT_LT(run.repeats, 100'000u);
  EXPECT_EQ(run.failure, "Stopped on request.");
  EXPECT_EQ(run.totals.at(0).totalNs.size(), run.repeats);
  EXPECT_TRUE(m_log.waitForState(id, State::Ready));
  const RequestId next = m_session->profile(profileOf(fixture("chain.so"), 2));
  ASSERT_TRUE(m_log.waitFor<ProfileFinished>(next));
}

TEST_F(SessionTest, RepeatsAreToldWhileTheyAreMeasured) {
  ProfileRequest request = profileOf(fixture("chain.so"), 100'000);
  request.tellsRepeats = true;
  const RequestId id = m_session->profile(request);
  ASSERT_GE(m_log.waitForMany<RepeatsMeasured>(id, 2).size(), 2u);
  m_session->stop();
  const auto finished = m_log.waitFor<ProfileFinished>(id);
  ASSERT_TRUE(finished);
  const report::Run& run = *finished->document.run;
  const report::RepeatTimes whole = report::repeatTimes(run, 0, 0);
  std::uint32_t told = 0;
  for (const RepeatsMeasured& piece : m_log.waitForMany<RepeatsMeasured>(id, 2)) {
    const report::RepeatTimes& times = piece.times;
    ASSERT_EQ(times.first, told);  // each repeat once, in order
    ASSERT_LE(told + times.totalNs.size(), run.repeats);
    ASSERT_GE(times.opsFirst, times.first);
    ASSERT_EQ(times.ops.size(), whole.ops.size());
    for (std::size_t i = 0; i < times.totalNs.size(); ++i) {
      EXPECT_NEAR(times.totalNs[i], whole.totalNs[told + i], 1e-3 * whole.totalNs[told + i]);
    }
    for (std::size_t op = 0; op < times.ops.size(); ++op) {
      EXPECT_EQ(times.ops[op].name, whole.ops[op].name);
      EXPECT_EQ(times.ops[op].calls, whole.ops[op].calls);
      ASSERT_EQ(times.opsFirst + times.ops[op].ownNs.size(), told + times.totalNs.size());
      for (std::size_t i = 0; i < times.ops[op].ownNs.size(); ++i) {
        const double should = whole.ops[op].ownNs[times.opsFirst + i];
        EXPECT_NEAR(times.ops[op].ownNs[i], should, 1e-3 * should + 1);
      }
    }
    told += static_cast<std::uint32_t>(times.totalNs.size());
  }
}

TEST_F(SessionTest, RepeatsAreNotToldUnlessAskedFor) {
  const RequestId id = m_session->profile(profileOf(fixture("chain.so"), 100'000));
  ASSERT_TRUE(m_log.waitForRepeat(id));
  std::this_thread::sleep_for(std::chrono::milliseconds(600));
  m_session->stop();
  ASSERT_TRUE(m_log.waitFor<ProfileFinished>(id));
  EXPECT_EQ(m_log.count<RepeatsMeasured>(id), 0u);
}

TEST_F(SessionTest, StopCancelsRequestsThatWait) {
  const RequestId first = m_session->profile(profileOf(fixture("chain.so"), 100'000));
  const RequestId second = m_session->profile(profileOf(fixture("chain.so"), 100'000));
  ASSERT_TRUE(m_log.waitForState(first, State::Measuring));
  m_session->stop();
  EXPECT_TRUE(m_log.waitFor<RequestCancelled>(second));
  EXPECT_EQ(m_log.count<StateChanged>(second), 0u);
}

TEST_F(SessionTest, ASessionThatEndsStopsWhatRuns) {
  const RequestId id = m_session->profile(profileOf(fixture("chain.so"), 100'000));
  m_session->profile(profileOf(fixture("chain.so"), 100'000));
  ASSERT_TRUE(m_log.waitForState(id, State::Measuring));
  m_session.reset();
  EXPECT_EQ(m_log.count<ProfileFinished>(id) + m_log.count<RequestCancelled>(id), 1u);
}

TEST_F(SessionTest, AFailureIsToldAndTheSessionGoesOn) {
  RunRequest request;
  request.path = fixture("printassert.so");
  request.plan.inputs.values = {{"1", "const:0"}};  // the condition that is asserted
  const RequestId id = m_session->run(request);
  const auto failed = m_log.waitFor<RequestFailed>(id);
  ASSERT_TRUE(failed);
  EXPECT_EQ(failed->error.code, base::ErrorCode::KernelFailed);
  EXPECT_TRUE(m_log.waitForState(id, State::Failed));
  const RequestId next = m_session->run(scenarioRun("printassert"));
  EXPECT_TRUE(m_log.waitFor<RunFinished>(next)) << failureOf(next);
}

TEST_F(SessionTest, FilesThatAreNoExecutablesAreNamed) {
  EXPECT_THAT(failureOf(m_session->open({"/nowhere/model.so"})), HasSubstr("/nowhere/model.so"));
  EXPECT_THAT(failureOf(m_session->open({fixture("mlp.scenario.json")})), HasSubstr("mlp.scenario.json"));
  EXPECT_TRUE(m_log.waitForState(2, State::Failed));
  EXPECT_TRUE(m_log.waitFor<ExecutableOpened>(m_session->open({fixture("mlp.so")})));
}

TEST_F(SessionTest, MissingFunctionsAreNamed) {
  RunRequest request = scenarioRun("dpspacked");
  EXPECT_THAT(failureOf(m_session->run(request)), HasSubstr("proto.dps_add"));
}

TEST_F(SessionTest, WrongInputsAreToldBeforeAnythingRuns) {
  RunRequest request;
  request.path = fixture("mlp.so");
  request.plan.inputs.values = {{"0", "2x784:float32:zeros"}};
  const RequestId id = m_session->run(request);
  EXPECT_THAT(failureOf(id), HasSubstr("784"));
  EXPECT_TRUE(m_log.waitForState(id, State::Failed));
  EXPECT_THAT(m_log.states(id), ElementsAre(State::Opening, State::Preparing, State::Failed));
  EXPECT_EQ(m_log.waitFor<RequestFailed>(id)->input, "x");

  request.plan = {};
  request.plan.function = "froward";
  EXPECT_THAT(failureOf(m_session->run(request)), HasSubstr("Did you mean \"forward\"?"));
  request.plan = {};
  request.plan.scenarioFile = fixture("mlp.scenario.json");
  EXPECT_THAT(failureOf(m_session->run(request)), HasSubstr("--inputs"));
  request.settings.device = "cuda:7";
  const RequestId device = m_session->run(request);
  EXPECT_THAT(failureOf(device), HasSubstr("cuda:7"));
  EXPECT_EQ(m_log.waitFor<RequestFailed>(device)->input, "");
}

TEST_F(SessionTest, OutputsThatCannotBeWrittenAreToldBeforeTheRun) {
  RunRequest request = scenarioRun("mlp_const");
  request.outputsFile = m_folder / "missing" / "out.npz";
  const RequestId id = m_session->run(request);
  EXPECT_THAT(failureOf(id), HasSubstr("missing/out.npz"));
  EXPECT_TRUE(m_log.waitForState(id, State::Failed));
  EXPECT_THAT(m_log.states(id), ElementsAre(State::Opening, State::Preparing, State::Failed));
}

TEST_F(SessionTest, AReplacedFileIsOpenedAnew) {
  const std::string path = m_folder / "model.so";
  fs::copy_file(fixture("chain.so"), path);
  const RequestId first = m_session->profile(profileOf(path, 1));
  ASSERT_TRUE(m_log.waitFor<ProfileFinished>(first)) << failureOf(first);
  fs::copy_file(fixture("cnn.so"), m_folder / "new.so");
  fs::rename(m_folder / "new.so", path);
  const RequestId second = m_session->profile(profileOf(path, 1));
  const auto finished = m_log.waitFor<ProfileFinished>(second);
  ASSERT_TRUE(finished) << failureOf(second);
  EXPECT_EQ(m_log.count<ExecutableOpened>(second), 1u);
  const auto before = m_log.waitFor<ProfileFinished>(first);
  EXPECT_NE(finished->document.run->executableHash, before->document.run->executableHash);
}

TEST_F(SessionTest, AnOverwrittenFileHarmsNothing) {
  const std::string path = m_folder / "model.so";
  fs::copy_file(fixture("chain.so"), path);
  ASSERT_TRUE(m_log.waitFor<ProfileFinished>(m_session->profile(profileOf(path, 1))));
  fs::copy_file(fixture("mlp.scenario.json"), path, fs::copy_options::overwrite_existing);
  EXPECT_THAT(failureOf(m_session->profile(profileOf(path, 1))), HasSubstr("model.so"));
  fs::copy_file(fixture("chain.so"), path, fs::copy_options::overwrite_existing);
  const RequestId id = m_session->profile(profileOf(path, 1));
  EXPECT_TRUE(m_log.waitFor<ProfileFinished>(id)) << failureOf(id);
}

TEST_F(SessionTest, AFileThatIsGoneIsMeasuredFromItsCopy) {
  const std::string path = m_folder / "model.so";
  fs::copy_file(fixture("chain.so"), path);
  ASSERT_TRUE(m_log.waitFor<ExecutableOpened>(m_session->open({path})));
  fs::remove(path);
  const RequestId id = m_session->profile(profileOf(path, 1));
  const auto finished = m_log.waitFor<ProfileFinished>(id);
  ASSERT_TRUE(finished) << failureOf(id);
  bool said = false;
  for (const report::Warning& warning : finished->document.run->warnings) {
    said = said || warning.message.find("no longer there") != std::string::npos;
  }
  EXPECT_TRUE(said);
}

TEST_F(SessionTest, CompiledFunctionsShowTheirCalls) {
  const RequestId id = m_session->profile(profileOf(fixture("mlp_compiled.so"), 2));
  const auto finished = m_log.waitFor<ProfileFinished>(id);
  ASSERT_TRUE(finished) << failureOf(id);
  const report::Run& run = *finished->document.run;
  EXPECT_EQ(run.totals.at(0).totalNs.size(), 2u);
  const auto kernels = std::ranges::count_if(run.calls, [](const report::Call& call) { return call.kernel; });
  EXPECT_GT(kernels, 3);
  ASSERT_NE(run.configuration.find("Compiled functions"), nullptr);
  for (const report::Warning& warning : run.warnings) {
    EXPECT_EQ(warning.message.find("not all recorded"), std::string::npos) << warning.message;
  }
}

}  // namespace
}  // namespace opscope::session
