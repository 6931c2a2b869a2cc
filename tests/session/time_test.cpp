// SPDX-License-Identifier: Apache-2.0
// Sessions that take the time of whole calls, and profiles with metric collectors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <tvm/ffi/reflection/registry.h>

#include <fstream>
#include <stdexcept>

#include "tests/session/session_fixture.h"

namespace opscope::session {
namespace {

using ::testing::HasSubstr;

class TimeTest : public testing::SessionFixture {
 protected:
  static TimeRequest timeOf(const std::string& name) {
    TimeRequest request;
    request.path = std::string(OPSCOPE_TEST_DATA "/vm/tvm027/") + name + ".so";
    request.settings.runtime.threads = 1;
    return request;
  }
};

TEST_F(TimeTest, MeasuresAFunction) {
  TimeRequest request = timeOf("chain");
  request.timing = {.number = 5, .repeat = 8};
  const RequestId id = m_session->time(request);
  const auto finished = m_log.waitFor<TimeFinished>(id);
  ASSERT_TRUE(finished) << failureOf(id);
  EXPECT_TRUE(m_log.waitForState(id, State::Ready));
  EXPECT_EQ(finished->function, "main");
  EXPECT_THAT(finished->inputs, HasSubstr("float32 [16]"));
  EXPECT_EQ(finished->device, "cpu0");
  EXPECT_EQ(finished->threads, 1);
  ASSERT_EQ(finished->repeats.size(), 8U);
  for (const profile::RepeatTime& repeat : finished->repeats) {
    EXPECT_EQ(repeat.calls, 5);
    EXPECT_GT(repeat.nsPerCall, 0);
    EXPECT_FALSE(repeat.tooShort);
  }
}

TEST_F(TimeTest, MeasuresAScenarioAsOneCall) {
  TimeRequest request = timeOf("tuples");
  request.plan.scenarioFile = OPSCOPE_TEST_DATA "/vm/tvm027/tuples.scenario.json";
  request.plan.inputs.arraysFile = OPSCOPE_TEST_DATA "/vm/tvm027/tuples.npz";
  request.timing = {.number = 2, .repeat = 3};
  const RequestId id = m_session->time(request);
  const auto finished = m_log.waitFor<TimeFinished>(id);
  ASSERT_TRUE(finished) << failureOf(id);
  EXPECT_EQ(finished->function, "tuples.scenario.json");
  EXPECT_EQ(finished->repeats.size(), 3U);
}

TEST_F(TimeTest, GrowsTheNumber) {
  TimeRequest request = timeOf("chain");
  request.timing = {.number = 1, .repeat = 2, .minRepeatMs = 20};
  const RequestId id = m_session->time(request);
  const auto finished = m_log.waitFor<TimeFinished>(id);
  ASSERT_TRUE(finished) << failureOf(id);
  for (const profile::RepeatTime& repeat : finished->repeats) {
    EXPECT_GE(repeat.totalNs, 20'000'000);
    EXPECT_GT(repeat.calls, 1);
  }
}

TEST_F(TimeTest, StopKeepsCompleteRepeats) {
  TimeRequest request = timeOf("chain");
  request.timing = {.number = 10, .repeat = 1'000'000, .cooldownIntervalMs = 5};
  const RequestId id = m_session->time(request);
  ASSERT_TRUE(m_log.waitForRepeat(id));
  m_session->stop();
  const auto finished = m_log.waitFor<TimeFinished>(id);
  ASSERT_TRUE(finished) << failureOf(id);
  EXPECT_GE(finished->repeats.size(), 1U);
  EXPECT_LT(static_cast<std::int64_t>(finished->repeats.size()), finished->repeatsWanted);
  EXPECT_TRUE(m_log.waitForState(id, State::Ready));
}

TEST_F(TimeTest, AFailureKeepsCompleteRepeats) {
  int calls = 0;
  tvm::ffi::Function::SetGlobal("test.session.fails_at_eight", tvm::ffi::Function::FromTyped([&calls] {
                                  if (++calls == 8) throw std::runtime_error("no more");
                                  return calls;
                                }),
                                true);
  TimeRequest request = timeOf("chain");
  request.plan.scenarioFile = (m_folder / "fails.json").string();
  std::ofstream(request.plan.scenarioFile)
      << R"({"steps": [{"global": "test.session.fails_at_eight", "args": []}]})";
  request.timing = {.number = 2, .repeat = 10};  // one call to warm up, three repeats, then one call
  const RequestId id = m_session->time(request);
  const auto failed = m_log.waitFor<RequestFailed>(id);
  ASSERT_TRUE(failed);
  EXPECT_THAT(failed->error.message + failed->error.detail, HasSubstr("no more"));
  ASSERT_TRUE(failed->partialTime);
  EXPECT_EQ(failed->partialTime->repeats.size(), 3U);
  EXPECT_EQ(failed->partialTime->repeatsWanted, 10);
  EXPECT_EQ(failed->partialTime->function, "fails.json");
  EXPECT_TRUE(m_log.waitForState(id, State::Failed));
  m_session.reset();
  tvm::ffi::Function::RemoveGlobal("test.session.fails_at_eight");
}

TEST_F(TimeTest, AFailureBeforeTheFirstRepeatKeepsNothing) {
  TimeRequest request = timeOf("dpspacked");
  const RequestId id = m_session->time(request);
  const auto failed = m_log.waitFor<RequestFailed>(id);
  ASSERT_TRUE(failed);
  EXPECT_FALSE(failed->partialTime);
}

TEST_F(TimeTest, AStopBeforeTheFirstRepeatCancels) {
  TimeRequest request = timeOf("chain");
  request.timing = {.number = 1'000'000'000, .repeat = 2};
  const RequestId id = m_session->time(request);
  ASSERT_TRUE(m_log.waitForState(id, State::Measuring));
  m_session->stop();
  EXPECT_TRUE(m_log.waitFor<RequestCancelled>(id));
}

TEST_F(TimeTest, FailuresAreTold) {
  TimeRequest request = timeOf("chain");
  request.timing.number = 0;
  EXPECT_THAT(failureOf(m_session->time(request)), HasSubstr("number cannot be 0"));
  request = timeOf("chain");
  request.plan.function = "nosuch";
  EXPECT_THAT(failureOf(m_session->time(request)), HasSubstr("nosuch"));
  request = timeOf("chain");
  EXPECT_TRUE(m_log.waitFor<TimeFinished>(m_session->time(request))) << "the session goes on";
}

TEST_F(TimeTest, ProfilesTakeCollectorsByName) {
  ProfileRequest request;
  request.path = OPSCOPE_TEST_DATA "/vm/tvm027/parallel.so";
  request.settings.runtime.threads = 2;
  request.repeats = 3;
  request.collectors = {"process"};
  const RequestId id = m_session->profile(request);
  const auto finished = m_log.waitFor<ProfileFinished>(id);
  ASSERT_TRUE(finished) << failureOf(id);
  const report::Run& run = *finished->document.run;
  ASSERT_EQ(run.counters.size(), 2U);
  EXPECT_EQ(run.counters[0].name, "CPU time (us)");
  EXPECT_EQ(run.counters[0].values.size(), run.ownNs.size());
  EXPECT_EQ(run.counters[0].totals.size(), 3U);
  request.collectors = {"nosuch"};
  EXPECT_THAT(failureOf(m_session->profile(request)), HasSubstr("no metric collector \"nosuch\""));
}

}  // namespace
}  // namespace opscope::session
