// SPDX-License-Identifier: Apache-2.0
// Requests on a board that our own server serves, in a process beside this one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "engine/report/traffic.h"
#include "engine/session/board_check.h"
#include "engine/session/remote_profile.h"
#include "engine/session/tracker_overview.h"
#include "tests/rpc/counting_relay.h"
#include "tests/session/remote_fixture.h"

namespace opscope::session {

namespace {

using test::Remote;
using testing::HasSubstr;

std::vector<std::string> callNames(const report::Run& run) {
  std::vector<std::string> names;
  for (const report::Call& call : run.calls) {
    names.push_back(run.names[call.name] + (call.shapes == report::kNone ? "" : run.shapes[call.shapes]));
  }
  return names;
}

TEST_F(Remote, ARunGivesWhatALocalOneDoes) {
  RunRequest request;
  request.path = fixture("cnn.so");
  request.returnsArchive = true;
  m_asked.session().run(request);
  const auto here = expect<RunFinished>(m_asked.wait());
  request.settings = settings();
  m_asked.session().run(request);
  const auto there = expect<RunFinished>(m_asked.wait());
  ASSERT_FALSE(here.outputs.empty());
  ASSERT_EQ(there.outputs.size(), here.outputs.size());
  EXPECT_EQ(there.outputs[0].preview, here.outputs[0].preview);
  EXPECT_EQ(there.archive, here.archive);
}

TEST_F(Remote, AProfileHoldsAllThatALocalOneDoes) {
  ProfileRequest request = profileOf("transformer.so", 4);
  request.plan.inputs.dimensions["seq"] = 8;
  request.recordMemory = request.recordLanes = true;
  request.collectors = {"process"};
  m_asked.session().profile(request);
  const auto there = expect<ProfileFinished>(m_asked.wait());
  request.settings.target = "local";
  m_asked.session().profile(request);
  const auto here = expect<ProfileFinished>(m_asked.wait());
  ASSERT_TRUE(there.document.run && here.document.run);
  const report::Run& run = *there.document.run;
  EXPECT_EQ(callNames(run), callNames(*here.document.run));
  EXPECT_EQ(run.calls, here.document.run->calls);
  EXPECT_EQ(run.repeats, 4U);
  EXPECT_EQ(run.inputs, here.document.run->inputs);
  EXPECT_EQ(run.executableHash, here.document.run->executableHash);
  EXPECT_TRUE(run.memory && run.lanes && run.noise && run.overhead);
  EXPECT_FALSE(run.counters.empty());
  ASSERT_TRUE(run.remote);
  EXPECT_EQ(run.remote->way, "recorder");
  EXPECT_EQ(run.target, m_server.target());
}

TEST_F(Remote, AProfileTellsWhatWentOverTheWire) {
  rpc::test::CountingRelay relay(m_server.port());
  ProfileRequest request = profileOf("mlp.so", 5);
  request.settings.target = "rpc://127.0.0.1:" + relay.port();
  m_asked.session().profile(request);
  const auto finished = expect<ProfileFinished>(m_asked.wait());
  ASSERT_TRUE(finished.document.run);
  const report::Run& run = *finished.document.run;
  const auto& traffic = run.traffic;
  ASSERT_TRUE(traffic);
  // Behind the run's end only the board is left in order.
  EXPECT_LE(traffic->bytesOut, relay.fromClient());
  EXPECT_LE(traffic->bytesIn, relay.fromServer());
  EXPECT_LT(relay.fromClient() - traffic->bytesOut, 1000u);
  EXPECT_EQ(traffic->notKept, 0u);
  EXPECT_GT(traffic->transferNs, 0);
  EXPECT_LT(traffic->transferNs, traffic->wallNs);

  std::uint64_t uploaded = 0, copied = 0, out = 0;
  std::vector<int> steps(run.repeats);
  for (const report::TrafficEvent& event : traffic->events) {
    EXPECT_FALSE(event.failed) << traffic->names[event.name];
    EXPECT_LE(event.startNs + event.durationNs, traffic->wallNs);
    out += event.bytesOut;
    uploaded += event.kind == report::TrafficKind::Upload ? event.bytesOut : 0;
    copied += event.kind == report::TrafficKind::CopyTo ? event.bytesOut : 0;
    if (event.kind == report::TrafficKind::CopyTo) {
      EXPECT_EQ(event.phase, report::TrafficPhase::Inputs);
    }
    if (traffic->names[event.name] == "step forward" && event.phase == report::TrafficPhase::Repeat) {
      ++steps.at(event.repeat);
      const report::TrafficRepeat& place = traffic->repeats.at(event.repeat);
      const double there = run.totals.front().totalNs.at(event.repeat);
      // The board's work lies within the request, wherever it is within the doubt.
      EXPECT_GE(place.zeroNs - place.doubtNs, event.startNs - 1);
      EXPECT_LE(place.zeroNs + place.doubtNs + there, event.startNs + event.durationNs + 1);
    }
  }
  EXPECT_EQ(out, traffic->bytesOut);
  EXPECT_GE(uploaded, std::filesystem::file_size(request.path));
  EXPECT_GT(copied, 0u);
  EXPECT_THAT(steps, testing::Each(1));
  EXPECT_EQ(traffic->repeats.size(), run.repeats);
  EXPECT_THAT(run.environment,
              testing::Contains(report::Fact{"RPC traffic", report::trafficWords(*traffic)}));
}

TEST_F(Remote, LocalRunsHaveNoTraffic) {
  ProfileRequest request = profileOf("mlp.so", 2);
  request.settings.target = "local";
  m_asked.session().profile(request);
  const auto finished = expect<ProfileFinished>(m_asked.wait());
  ASSERT_TRUE(finished.document.run);
  EXPECT_FALSE(finished.document.run->traffic);
}

TEST_F(Remote, AnIsolatedProfileIsAsALocalOneAndLeavesNothing) {
  const auto folders = [] {
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::temp_directory_path())) {
      count += entry.path().filename().string().starts_with("opscope-isolated-") ? 1 : 0;
    }
    return count;
  };
  const std::size_t before = folders();
  ProfileRequest request = profileOf("cnn.so", 3);
  request.settings.target = "isolated";
  m_asked.session().profile(request);
  const auto apart = expect<ProfileFinished>(m_asked.wait());
  request.settings.target = "local";
  m_asked.session().profile(request);
  const auto here = expect<ProfileFinished>(m_asked.wait());
  ASSERT_TRUE(apart.document.run && here.document.run);
  EXPECT_EQ(apart.document.run->calls, here.document.run->calls);
  EXPECT_EQ(apart.document.run->target, "isolated");
  ASSERT_TRUE(apart.document.run->remote);
  EXPECT_EQ(apart.document.run->remote->way, "recorder");
  EXPECT_LE(folders(), before);
}

TEST_F(Remote, TheServerTellsWhoHoldsItWithoutASession) {
  const auto idle = readBoardStatus("127.0.0.1", m_server.port(), {});
  ASSERT_TRUE(idle) << idle.error().message;
  EXPECT_EQ(idle->sessions, 0);
  EXPECT_GT(idle->mostSessions, 0);
  m_asked.session().profile(profileOf("mlp.so", 1'000'000));
  m_asked.waitFor(State::Measuring);
  const auto held = readBoardStatus("127.0.0.1", m_server.port(), {});
  ASSERT_TRUE(held) << held.error().message;
  ASSERT_EQ(held->holders.size(), 1U);
  EXPECT_THAT(held->holders[0].holder, HasSubstr("@"));
  EXPECT_GT(held->holders[0].sinceUnixS, 0);
  m_asked.session().stop();
  m_asked.wait();
}

TEST_F(Remote, AScenarioKeepsItsStateOnTheBoard) {
  RunRequest request;
  request.path = fixture("tiny_llama.so");
  request.plan.scenarioFile = fixture("tiny_llama.scenario.json");
  request.plan.inputs.arraysFile = fixture("tiny_llama.npz");
  m_asked.session().run(request);
  const auto here = expect<RunFinished>(m_asked.wait());
  request.settings = settings();
  m_asked.session().run(request);
  const auto there = expect<RunFinished>(m_asked.wait());
  ASSERT_EQ(there.outputs.size(), here.outputs.size());
  for (std::size_t i = 0; i < here.outputs.size(); ++i) {
    EXPECT_EQ(there.outputs[i].path, here.outputs[i].path);
    EXPECT_EQ(there.outputs[i].preview, here.outputs[i].preview);
  }
}

TEST_F(Remote, TimeIsTakenByTheBoard) {
  TimeRequest request;
  request.path = fixture("cnn.so");
  request.settings = settings();
  request.timing.number = 3;
  request.timing.repeat = 4;
  m_asked.session().time(request);
  const auto timed = expect<TimeFinished>(m_asked.wait());
  ASSERT_EQ(timed.repeats.size(), 4U);
  EXPECT_GT(timed.repeats[0].nsPerCall, 0);
  EXPECT_EQ(timed.repeats[0].calls, 3);
}

TEST_F(Remote, NothingIsLeftBehind) {
  m_asked.session().profile(profileOf("cnn.so", 2));
  expect<ProfileFinished>(m_asked.wait());
  const auto isEmpty = [&] {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(m_server.folder() / "work")) {
      if (entry.path().extension() == ".so") {
        return false;
      }
    }
    return true;
  };
  for (int i = 0; i < 100 && !isEmpty(); ++i) {  // the server clears up behind the session
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  EXPECT_TRUE(isEmpty());
}

TEST_F(Remote, StopKeepsWhatWasMeasured) {
  m_asked.session().profile(profileOf("cnn.so", 1'000'000));
  m_asked.waitFor(State::Measuring);
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  m_asked.session().stop();
  const auto finished = expect<ProfileFinished>(m_asked.wait());
  ASSERT_TRUE(finished.document.run);
  EXPECT_GT(finished.document.run->repeats, 0U);
  EXPECT_EQ(finished.document.run->failure, "Stopped on request.");
}

TEST_F(Remote, RepeatsAreToldWhileTheBoardMeasures) {
  ProfileRequest request = profileOf("cnn.so", 1'000'000);
  request.tellsRepeats = true;
  m_asked.session().profile(request);
  m_asked.waitFor(State::Measuring);
  for (int i = 0; i < 300 && m_asked.times().size() < 3; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  m_asked.session().stop();
  const auto finished = expect<ProfileFinished>(m_asked.wait());
  ASSERT_TRUE(finished.document.run);
  const report::RepeatTimes whole = report::repeatTimes(*finished.document.run, 0, 0);
  const std::vector<report::RepeatTimes> pieces = m_asked.times();
  ASSERT_GE(pieces.size(), 3U);
  std::size_t told = 0;
  for (const report::RepeatTimes& piece : pieces) {
    ASSERT_EQ(piece.first, told);
    ASSERT_LE(told + piece.totalNs.size(), whole.totalNs.size());
    for (std::size_t i = 0; i < piece.totalNs.size(); ++i) {
      EXPECT_NEAR(piece.totalNs[i], whole.totalNs[told + i], 1e-3 * whole.totalNs[told + i]);
    }
    EXPECT_EQ(piece.ops.size(), whole.ops.size());
    told += piece.totalNs.size();
  }
}

TEST_F(Remote, ALostBoardLeavesWhatCameOver) {
  m_asked.session().profile(profileOf("cnn.so", 1'000'000));
  m_asked.waitFor(State::Measuring);
  std::this_thread::sleep_for(std::chrono::seconds(3));
  m_server.end(SIGKILL);
  const EventBody body = m_asked.wait();
  const auto* const failed = std::get_if<RequestFailed>(&body);
  ASSERT_NE(failed, nullptr);
  ASSERT_TRUE(failed->partial.run) << failed->error.message;
  EXPECT_GT(failed->partial.run->repeats, 0U);
  // What was promised while it ran is kept.
  const Progress told = m_asked.lastProgress();
  ASSERT_TRUE(told.kept);
  EXPECT_GT(*told.kept, 0U);
  EXPECT_LE(*told.kept, told.done);
  EXPECT_LE(*told.kept, failed->partial.run->repeats);
  EXPECT_NE(failed->partial.run->failure, "");
}

TEST_F(Remote, AStopOfABoardThatHangsKeepsWhatWasPromised) {
  m_asked.session().profile(profileOf("cnn.so", 1'000'000));
  m_asked.waitFor(State::Measuring);
  std::this_thread::sleep_for(std::chrono::seconds(2));
  m_server.tell(SIGSTOP);
  const Progress told = m_asked.lastProgress();
  m_asked.session().stop();
  const EventBody body = m_asked.wait();
  m_server.tell(SIGCONT);
  const auto* const finished = std::get_if<ProfileFinished>(&body);
  const auto* const failed = std::get_if<RequestFailed>(&body);
  ASSERT_TRUE(finished != nullptr || failed != nullptr);
  const report::Document& document = finished != nullptr ? finished->document : failed->partial;
  ASSERT_TRUE(document.run);
  ASSERT_TRUE(told.kept);
  EXPECT_GT(*told.kept, 0U);
  EXPECT_GE(document.run->repeats, *told.kept);
  EXPECT_NE(document.run->failure, "");
}

TEST_F(Remote, WhatCannotBeIsToldInWords) {
  RunRequest request;
  request.path = fixture("cnn.so");
  request.settings = settings();
  request.settings.plugins = {"some.so"};
  m_asked.session().run(request);
  EXPECT_THAT(std::get<RequestFailed>(m_asked.wait()).error.message, HasSubstr("Plugins"));
  request.settings.plugins.clear();
  request.settings.target = "rpc://127.0.0.1:1";
  m_asked.session().run(request);
  EXPECT_THAT(std::get<RequestFailed>(m_asked.wait()).error.message, HasSubstr("127.0.0.1:1"));
  request.settings.target = "nonsense";
  m_asked.session().run(request);
  EXPECT_THAT(std::get<RequestFailed>(m_asked.wait()).error.message, HasSubstr("is no target"));
}

TEST_F(Remote, KernelsAreTimedOneByOneWhereNothingElseCan) {
  const auto board = RemoteBoard::open(*parseTarget(m_server.target()), {});
  ASSERT_TRUE(board) << board.error().message;
  const auto opened = openExecutable(fixture("cnn.so"));
  ASSERT_TRUE(opened);
  const auto sequence = CallSequence::prepare({}, *(*opened)->info);
  ASSERT_TRUE(sequence);
  const ProfileRequest request = profileOf("cnn.so", 3);
  const RemoteProfile profile{**board, **opened, *sequence, request, {}, {}, {}};
  const auto program = RemoteProgram::load(**board, **opened, request.settings, RemoteMachine::kPlain, {});
  ASSERT_TRUE(program) << program.error().message;
  const profile::Measurement measured = recordByKernels(profile, **program);
  ASSERT_FALSE(measured.error) << measured.error->message << measured.error->detail;
  ASSERT_TRUE(measured.run);
  EXPECT_EQ(measured.run->calls.size(), 10U);
  EXPECT_EQ(measured.run->ownNs.size(), 30U);
  EXPECT_THAT(measured.run->ownNs, testing::Each(testing::Gt(0)));
  EXPECT_THAT(measured.run->warnings.front().message, HasSubstr("each timed on its own"));
}

TEST_F(Remote, CallsAreComparedWithThoseOfALocalRun) {
  for (const char* const name : {"chain.so", "cnn.so", "mlp_const.so"}) {
    SCOPED_TRACE(name);
    DivergeRequest request;
    request.pathA = request.pathB = fixture(name);
    m_asked.session().diverge(request);
    const Divergence here = expect<DivergeFinished>(m_asked.wait()).divergence;
    request.targetB = m_server.target();
    request.settings.timeoutSeconds = 30;
    m_asked.session().diverge(request);
    const Divergence there = expect<DivergeFinished>(m_asked.wait()).divergence;
    EXPECT_FALSE(there.differs());
    EXPECT_EQ(there.targetB, m_server.target());
    EXPECT_THAT(there.notes, testing::IsEmpty());
    EXPECT_THAT(there.onlyA, testing::IsEmpty());
    EXPECT_THAT(there.onlyB, testing::IsEmpty());
    ASSERT_EQ(there.calls.size(), here.calls.size());
    EXPECT_FALSE(there.calls.empty());
    EXPECT_EQ(there.keptBytes, here.keptBytes);
    for (std::size_t i = 0; i < here.calls.size(); ++i) {
      EXPECT_EQ(there.calls[i].b.sequence, here.calls[i].b.sequence);
      EXPECT_EQ(there.calls[i].b.instruction, here.calls[i].b.instruction);
      EXPECT_EQ(there.calls[i].b.function, here.calls[i].b.function);
      ASSERT_EQ(there.calls[i].outputs.size(), here.calls[i].outputs.size());
    }
  }
}

TEST_F(Remote, AComparisonThatCannotBeNamesItsSide) {
  DivergeRequest request;
  request.pathA = request.pathB = fixture("mlp_compiled.so");
  request.targetB = m_server.target();
  m_asked.session().diverge(request);
  EXPECT_THAT(std::get<RequestFailed>(m_asked.wait()).error.message,
              testing::AllOf(testing::StartsWith("B, on "), HasSubstr("compiled to machine code")));
  request.pathA = request.pathB = fixture("mlp.so");
  request.targetA = "rpc://127.0.0.1:1";
  m_asked.session().diverge(request);
  EXPECT_THAT(std::get<RequestFailed>(m_asked.wait()).error.message,
              testing::StartsWith("A, on rpc://127.0.0.1:1"));
  request.targetA = m_server.target();
  request.settings.device = "cuda:0";
  m_asked.session().diverge(request);
  EXPECT_THAT(std::get<RequestFailed>(m_asked.wait()).error.message, HasSubstr("CPU only"));
}

TEST_F(Remote, CheckTellsWhoHoldsABoardThatServesOthers) {
  const test::Server one({"--max-sessions", "1"});
  rpc::ConnectSettings settings{.host = "127.0.0.1", .port = one.port()};
  settings.clientName = "ada@laptop";
  const auto holder = rpc::Client::open(settings);
  ASSERT_TRUE(holder) << holder.error().message;
  CheckOptions options;
  options.timeoutSeconds = 2;
  const BoardCheck check = checkBoard(*parseTarget(one.target()), options);
  ASSERT_FALSE(check.passed());
  EXPECT_EQ(check.failure->code, base::ErrorCode::Timeout);
  EXPECT_THAT(check.failure->detail, HasSubstr("ada@laptop"));
  EXPECT_EQ(check.steps.back().outcome, CheckStep::Outcome::Failed);
}

TEST_F(Remote, ACopyThatStandsStillEndsAfterItsTime) {
  constexpr std::int64_t kRows = 4000;
  RunRequest request;
  request.path = fixture("mlp_dyn.so");
  request.plan.inputs.dimensions["n"] = kRows;
  request.settings.timeoutSeconds = 2;
  // The board's network stands still when the executable and some of the input are over.
  rpc::test::CountingRelay relay(m_server.port(), std::filesystem::file_size(request.path) + (3 << 20));
  request.settings.target = "rpc://127.0.0.1:" + relay.port();
  m_asked.session().run(request);
  const EventBody body = m_asked.wait();
  const auto* const failed = std::get_if<RequestFailed>(&body);
  ASSERT_NE(failed, nullptr);
  EXPECT_EQ(failed->error.code, base::ErrorCode::Timeout) << failed->error.message;
  EXPECT_GT(relay.fromClient(), std::filesystem::file_size(request.path) + (3 << 20));
  // The next client is served.
  EXPECT_TRUE(checkBoard(*parseTarget(m_server.target()), {}).passed());
}

TEST_F(Remote, CheckGoesAllTheWay) {
  const BoardCheck check = checkBoard(*parseTarget(m_server.target()), {});
  EXPECT_TRUE(check.passed()) << check.failure->message;
  EXPECT_EQ(check.steps.size(), 10U);
  EXPECT_THAT(check.way, HasSubstr("opscope-server"));
}

}  // namespace

}  // namespace opscope::session
