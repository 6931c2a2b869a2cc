// SPDX-License-Identifier: Apache-2.0
// Sessions that profile once for each value.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
