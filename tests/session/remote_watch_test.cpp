// SPDX-License-Identifier: Apache-2.0
// Runs on a board that are looked at while they go, scenarios that are timed there, threads that are set up
// there, and boards that are lost on the way.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <thread>

#include "engine/arrays/npz.h"
#include "tests/session/cutting_proxy.h"
#include "tests/session/remote_fixture.h"

namespace opscope::session {

namespace {

using testing::AnyOf;
using testing::Each;
using testing::Gt;
using testing::HasSubstr;
using testing::IsEmpty;

class RemoteWatch : public test::Remote {
 protected:
  RunRequest runOf(const std::string& name) const {
    RunRequest request;
    request.path = fixture(name);
    request.settings = settings();
    return request;
  }
  RunFinished finished(const RunRequest& request) {
    m_asked.session().run(request);
    return expect<RunFinished>(m_asked.wait());
  }
  std::string file(const char* name) const { return (m_server.folder() / name).string(); }
};

/// Everything in two files, by key.
void expectSameArrays(const std::string& fileA, const std::string& fileB) {
  auto a = arrays::NpzReader::open(fileA);
  auto b = arrays::NpzReader::open(fileB);
  ASSERT_TRUE(a && b);
  ASSERT_EQ(a->keys(), b->keys());
  for (const std::string& key : a->keys()) {
    SCOPED_TRACE(key);
    const auto one = a->read(key);
    const auto other = b->read(key);
    ASSERT_TRUE(one && other);
    EXPECT_EQ(arrays::describeArray(*one), arrays::describeArray(*other));
    ASSERT_EQ(one->byteSize(), other->byteSize());
    EXPECT_EQ(std::memcmp(one->data(), other->data(), one->byteSize()), 0);
  }
}

TEST_F(RemoteWatch, ADumpHoldsWhatALocalOneDoes) {
  for (const char* const name : {"chain.so", "cnn.so", "mlp_const.so", "tuples.so", "ifelse.so"}) {
    SCOPED_TRACE(name);
    RunRequest request = runOf(name);
    request.dumpFile = file("there.npz");
    const RunFinished there = finished(request);
    request.settings.target = "local";
    request.dumpFile = file("here.npz");
    const RunFinished here = finished(request);
    ASSERT_TRUE(there.dump && here.dump);
    EXPECT_EQ(there.dump->calls, here.dump->calls);
    EXPECT_EQ(there.dump->tensors, here.dump->tensors);
    EXPECT_EQ(there.dump->callsBeyondLimit + there.dump->callsWithoutRoom, 0U);
    EXPECT_GT(there.dump->tensors, 0U);
    expectSameArrays(file("there.npz"), file("here.npz"));
    ASSERT_EQ(there.outputs.size(), here.outputs.size());
  }
}

TEST_F(RemoteWatch, ADumpHasALimit) {
  RunRequest request = runOf("chain.so");
  request.dumpFile = file("dump.npz");
  request.dumpLimitBytes = 1000;
  const RunFinished there = finished(request);
  ASSERT_TRUE(there.dump);
  EXPECT_GT(there.dump->callsBeyondLimit, 0U);
  EXPECT_GT(there.dump->calls, 0U);
}

TEST_F(RemoteWatch, TheFirstCallWithoutFiniteValuesIsFoundAsHere) {
  RunRequest request = runOf("mlp.so");
  request.plan.inputs.values["x"] = "const:inf";
  request.checkFinite = true;
  request.outputsFile = file("out.npz");
  const RunFinished there = finished(request);
  EXPECT_FALSE(std::filesystem::exists(request.outputsFile));
  request.settings.target = "local";
  const RunFinished here = finished(request);
  ASSERT_TRUE(there.finite && here.finite);
  EXPECT_FALSE(there.finite->holds());
  EXPECT_EQ(there.finite->op, here.finite->op);
  EXPECT_EQ(there.finite->function, here.finite->function);
  EXPECT_EQ(there.finite->sequence, here.finite->sequence);
  EXPECT_EQ(there.finite->instruction, here.finite->instruction);
  EXPECT_EQ(there.finite->output.place, here.finite->output.place);
  EXPECT_EQ(there.finite->output.nans, here.finite->output.nans);
  ASSERT_EQ(there.finite->inputs.size(), here.finite->inputs.size());
  EXPECT_EQ(there.finite->inputs[0].place, here.finite->inputs[0].place);
  EXPECT_THAT(there.outputs, IsEmpty());
}

TEST_F(RemoteWatch, ARunWithFiniteValuesPassesTheCheck) {
  RunRequest request = runOf("cnn.so");
  request.checkFinite = true;
  const RunFinished there = finished(request);
  ASSERT_TRUE(there.finite);
  EXPECT_TRUE(there.finite->holds());
  EXPECT_GT(there.finite->callsChecked, 5U);
  EXPECT_FALSE(there.outputs.empty());
}

TEST_F(RemoteWatch, WhatCannotBeSeenIsToldBeforeAnythingRuns) {
  RunRequest request = runOf("mlp_compiled.so");
  request.checkFinite = true;
  m_asked.session().run(request);
  EXPECT_THAT(std::get<RequestFailed>(m_asked.wait()).error.message, HasSubstr("compiled to machine code"));
  request = runOf("chain.so");
  request.dumpFile = "/no/such/folder/dump.npz";
  request.settings.target = "rpc://127.0.0.1:1";
  m_asked.session().run(request);
  EXPECT_THAT(std::get<RequestFailed>(m_asked.wait()).error.message, HasSubstr("/no/such/folder"));
}

TEST_F(RemoteWatch, AScenarioIsTimedByTheBoard) {
  TimeRequest request;
  request.path = fixture("tiny_llama.so");
  request.plan.scenarioFile = fixture("tiny_llama.scenario.json");
  request.plan.inputs.arraysFile = fixture("tiny_llama.npz");
  request.settings = settings();
  request.timing.number = 2;
  request.timing.repeat = 3;
  m_asked.session().time(request);
  const auto timed = expect<TimeFinished>(m_asked.wait());
  ASSERT_EQ(timed.repeats.size(), 3U);
  for (const profile::RepeatTime& repeat : timed.repeats) {
    EXPECT_GT(repeat.nsPerCall, 0);
    EXPECT_EQ(repeat.calls, 2);
  }
  request.timing.cacheFlushBytes = 1000;
  m_asked.session().time(request);
  EXPECT_THAT(std::get<RequestFailed>(m_asked.wait()).error.message, HasSubstr("Caches cannot be flushed"));
}

TEST_F(RemoteWatch, ThreadsOfTheBoardAreSetUp) {
  ProfileRequest request = profileOf("cnn.so", 2);
  request.settings.runtime.threads = 3;
  request.settings.runtime.pin = false;
  request.settings.runtime.spinUs = 0;
  m_asked.session().profile(request);
  const auto profiled = expect<ProfileFinished>(m_asked.wait());
  ASSERT_TRUE(profiled.document.run);
  const report::Run& run = *profiled.document.run;
  EXPECT_THAT(run.remote->board, testing::Contains(report::Fact{"Threads", "3"}));
  EXPECT_EQ(std::ranges::count(run.environment, "Threads", &report::Fact::name), 1) << "told once";
  TimeRequest time;
  time.path = request.path;
  time.settings = request.settings;
  m_asked.session().time(time);
  EXPECT_EQ(expect<TimeFinished>(m_asked.wait()).threads, 3);
  time.settings.runtime.threads = 5000;
  m_asked.session().time(time);
  EXPECT_THAT(std::get<RequestFailed>(m_asked.wait()).error.message, HasSubstr("5000 threads"));
}

/// Before everything was told for the first time.
TEST_F(RemoteWatch, ABoardThatIsLostInItsFirstSecondLeavesItsRepeats) {
  m_asked.session().profile(profileOf("cnn.so", 1'000'000));
  m_asked.waitFor(State::Measuring);
  std::this_thread::sleep_for(std::chrono::milliseconds(700));
  m_server.end(SIGKILL);
  const EventBody body = m_asked.wait();
  const auto* const failed = std::get_if<RequestFailed>(&body);
  ASSERT_NE(failed, nullptr);
  EXPECT_EQ(failed->error.code, base::ErrorCode::ConnectionLost) << failed->error.message;
  ASSERT_TRUE(failed->partial.run);
  const report::Run& run = *failed->partial.run;
  EXPECT_GE(run.repeats, 1U);
  EXPECT_NE(run.failure, "");
  const auto only = std::ranges::find_if(
      run.warnings, [](const report::Warning& warning) { return warning.message.starts_with("Only "); });
  ASSERT_NE(only, run.warnings.end());
  EXPECT_EQ(only->message, fmt::format("Only {} of 1000000 repeats were measured.", run.repeats));
  EXPECT_EQ(only->hint, run.failure);
  ASSERT_FALSE(run.calls.empty());
  for (const report::Call& call : run.calls) {
    EXPECT_EQ(call.sampleCount, run.repeats);
  }
  EXPECT_EQ(run.ownNs.size(), run.calls.size() * run.repeats);
  EXPECT_THAT(run.ownNs, Each(Gt(0)));
  ASSERT_TRUE(run.remote);
  EXPECT_EQ(run.remote->way, "recorder");
}

TEST_F(RemoteWatch, ATimeThatIsCutOffKeepsItsRepeats) {
  test::CuttingProxy proxy(m_server.port());
  TimeRequest request;
  request.path = fixture("cnn.so");
  request.settings = settings();
  request.settings.target = "rpc://127.0.0.1:" + proxy.port();
  request.timing.number = 1;
  request.timing.repeat = 1'000'000;
  m_asked.session().time(request);
  m_asked.waitFor(State::Measuring);
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  proxy.cut();
  const EventBody body = m_asked.wait();
  const auto* const failed = std::get_if<RequestFailed>(&body);
  ASSERT_NE(failed, nullptr);
  EXPECT_EQ(failed->error.code, base::ErrorCode::ConnectionLost) << failed->error.message;
  ASSERT_TRUE(failed->partialTime);
  EXPECT_GT(failed->partialTime->repeats.size(), 0U);
}

/// A whole comparison, a dump and a profile, lost after more and more of what the board says.
TEST_F(RemoteWatch, ALossAnywhereIsAnErrorAndTheNextRunWorks) {
  const auto ask = [this](int kind, const std::string& target) {
    if (kind == 0) {
      DivergeRequest request;
      request.pathA = request.pathB = fixture("tuples.so");
      request.targetB = target;
      request.settings.timeoutSeconds = 30;
      m_asked.session().diverge(request);
    } else if (kind == 1) {
      RunRequest request = runOf("tuples.so");
      request.settings.target = target;
      request.dumpFile = file("cut.npz");
      m_asked.session().run(request);
    } else {
      ProfileRequest request = profileOf("tuples.so", 3);
      request.settings.target = target;
      m_asked.session().profile(request);
    }
    return m_asked.wait();
  };
  for (int kind = 0; kind < 3; ++kind) {
    test::CuttingProxy whole(m_server.port());
    const EventBody passed = ask(kind, "rpc://127.0.0.1:" + whole.port());
    ASSERT_FALSE(std::holds_alternative<RequestFailed>(passed))
        << std::get<RequestFailed>(passed).error.message;
    const std::uint64_t bytes = whole.passed();
    constexpr std::uint64_t kCuts = 40;
    for (std::uint64_t i = 0; i < kCuts; ++i) {
      SCOPED_TRACE(testing::Message() << "request " << kind << ", cut " << i << " of " << bytes << " bytes");
      test::CuttingProxy proxy(m_server.port(), i * (bytes - 20) / kCuts + i % 4);
      const EventBody body = ask(kind, "rpc://127.0.0.1:" + proxy.port());
      const auto* const failed = std::get_if<RequestFailed>(&body);
      if (failed != nullptr) {
        EXPECT_THAT(failed->error.code, AnyOf(base::ErrorCode::ConnectionLost, base::ErrorCode::Format))
            << failed->error.message;
        EXPECT_FALSE(failed->error.message.empty());
      } else {
        // All that counts had come: what is lost is the end. How much a run asks for depends on its speed.
        EXPECT_GT(i, kCuts / 2);
      }
    }
    const EventBody after = ask(kind, m_server.target());
    EXPECT_FALSE(std::holds_alternative<RequestFailed>(after));
  }
}

}  // namespace

}  // namespace opscope::session
