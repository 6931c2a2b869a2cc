// SPDX-License-Identifier: Apache-2.0
// Sessions that profile once for each value.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/function.h>

#include <fstream>

#include "tests/session/session_fixture.h"

namespace opscope::session {
namespace {

using ::testing::HasSubstr;

class SweepTest : public testing::SessionFixture {
 protected:
  static SweepRequest sweepOf(const std::string& name, const std::string& over,
                              std::vector<std::int64_t> values) {
    SweepRequest request;
    request.profile.path = std::string(OPSCOPE_TEST_DATA "/vm/tvm027/") + name + ".so";
    request.profile.settings.runtime.threads = 1;
    request.profile.repeats = 3;
    request.over = over;
    request.values = std::move(values);
    return request;
  }
};

TEST_F(SweepTest, MeasuresEachValueOfADimension) {
  const RequestId id = m_session->sweep(sweepOf("mlp_dyn", "n", {1, 4, 2}));
  const auto finished = m_log.waitFor<SweepFinished>(id);
  ASSERT_TRUE(finished) << failureOf(id);
  EXPECT_TRUE(m_log.waitForState(id, State::Ready));
  ASSERT_EQ(finished->points.size(), 3U);
  EXPECT_EQ(finished->points[1].value, 4);
  for (const SweepPoint& point : finished->points) {
    EXPECT_FALSE(point.error);
    ASSERT_NE(point.document.run, nullptr);
    EXPECT_EQ(point.document.run->repeats, 3U);
    EXPECT_THAT(point.document.run->inputs, HasSubstr("[" + std::to_string(point.value) + ", 784]"));
  }
}

TEST_F(SweepTest, ValuesTakeTurns) {
  std::vector<const void*> seen;  // whose argument it was: each value has its own
  tvm::ffi::Function::SetGlobal("test.session.sweep_turns",
                                tvm::ffi::Function::FromTyped([&seen](const tvm::ffi::Tensor& tensor) {
                                  seen.push_back(tensor.data_ptr());
                                  return 0;
                                }),
                                true);
  SweepRequest request = sweepOf("chain", kSweepThreads.data(), {1, 2, 3});
  request.profile.repeats = 8;
  request.profile.overhead = profile::OverheadCheck::Off;
  request.profile.plan.scenarioFile = (m_folder / "turns.json").string();
  request.profile.plan.inputs.arraysFile = OPSCOPE_TEST_DATA "/vm/tvm027/chain.npz";
  std::ofstream(request.profile.plan.scenarioFile)
      << R"({"steps": [{"global": "test.session.sweep_turns", "args": [{"npz": "in/0"}]}]})";
  const RequestId id = m_session->sweep(request);
  const auto finished = m_log.waitFor<SweepFinished>(id);
  m_session.reset();
  tvm::ffi::Function::RemoveGlobal("test.session.sweep_turns");
  ASSERT_TRUE(finished);
  for (const SweepPoint& point : finished->points) {
    ASSERT_NE(point.document.run, nullptr) << (point.error ? point.error->message + point.error->detail : "");
    EXPECT_EQ(point.document.run->repeats, 8U);
  }
  std::vector<std::pair<const void*, int>> blocks;
  for (const void* data : seen) {
    if (blocks.empty() || blocks.back().first != data) blocks.emplace_back(data, 0);
    ++blocks.back().second;
  }
  ASSERT_GE(blocks.size(), 3U);
  const void* a = blocks[0].first;
  const void* b = blocks[1].first;
  const void* c = blocks[2].first;
  // Warm-ups; then four turns of two repeats, there and back; a turn after another value's begins with one
  // more.
  const std::vector<std::pair<const void*, int>> expected = {{a, 1}, {b, 1}, {c, 1}, {a, 2}, {b, 2}, {c, 4},
                                                             {b, 3}, {a, 5}, {b, 3}, {c, 5}, {b, 3}, {a, 3}};
  EXPECT_EQ(blocks, expected);
}

TEST_F(SweepTest, GoesOnAfterAValueThatFails) {
  const RequestId id = m_session->sweep(sweepOf("mlp", kSweepThreads.data(), {1, 0, 2, 99999}));
  const auto finished = m_log.waitFor<SweepFinished>(id);
  ASSERT_TRUE(finished) << failureOf(id);
  EXPECT_TRUE(m_log.waitForState(id, State::Ready));
  ASSERT_EQ(finished->points.size(), 4U);
  EXPECT_FALSE(finished->points[0].error);
  EXPECT_THAT(finished->points[1].error->message, HasSubstr("There cannot be 0 threads"));
  EXPECT_EQ(finished->points[1].document.run, nullptr);
  EXPECT_FALSE(finished->points[2].error);
  EXPECT_TRUE(finished->points[3].error);
  EXPECT_TRUE(m_log.waitFor<SweepFinished>(m_session->sweep(sweepOf("mlp", "threads", {1}))))
      << "the session goes on";
}

TEST_F(SweepTest, FailsWithoutAFileOrValues) {
  EXPECT_THAT(failureOf(m_session->sweep(sweepOf("nosuch", "n", {1}))), HasSubstr("nosuch"));
  EXPECT_THAT(failureOf(m_session->sweep(sweepOf("mlp", "n", {}))), HasSubstr("needs values"));
}

TEST_F(SweepTest, KeepsWhatWasMeasuredWhenItIsStopped) {
  SweepRequest request = sweepOf("mlp", "threads", {1, 2});
  request.profile.repeats = 1'000'000;
  const RequestId id = m_session->sweep(request);
  ASSERT_TRUE(m_log.waitForRepeat(id));
  m_session->stop();
  const auto finished = m_log.waitFor<SweepFinished>(id);
  ASSERT_TRUE(finished);
  EXPECT_TRUE(m_log.waitForState(id, State::Ready));
  ASSERT_EQ(finished->points.size(), 1U);
  EXPECT_EQ(finished->points[0].error->code, base::ErrorCode::Cancelled);
  EXPECT_GT(finished->points[0].document.run->repeats, 0U);
}

}  // namespace
}  // namespace opscope::session
