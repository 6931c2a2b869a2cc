// SPDX-License-Identifier: Apache-2.0
// Sessions that look into runs: dumps, checks, comparisons of two executables.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "engine/arrays/npz.h"
#include "tests/session/session_fixture.h"

namespace opscope::session {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
namespace fs = std::filesystem;

std::string fixture(const std::string& name) {
  return std::string(OPSCOPE_TEST_DATA "/vm/") + name;
}

class WatchTest : public testing::SessionFixture {
 protected:
  static RunRequest runOf(const std::string& name, const std::string& input) {
    RunRequest request;
    request.path = fixture(name);
    request.plan.inputs.values["0"] = input;
    request.settings.runtime.threads = 1;
    return request;
  }
  static DivergeRequest divergeOf(const std::string& a, const std::string& b) {
    DivergeRequest request;
    request.pathA = fixture(a);
    request.pathB = fixture(b);
    request.settings.runtime.threads = 1;
    return request;
  }
  Divergence found(const DivergeRequest& request) {
    const RequestId id = m_session->diverge(request);
    const auto finished = m_log.waitFor<DivergeFinished>(id);
    if (!finished) {
      ADD_FAILURE() << failureOf(id);
      return {};
    }
    EXPECT_TRUE(m_log.waitForState(id, State::Ready));
    return finished->divergence;
  }
};

TEST_F(WatchTest, ADumpAndItsSummary) {
  RunRequest request = runOf("tvm027/chain.so", "ones");
  request.dumpFile = m_folder / "calls.npz";
  const RequestId id = m_session->run(request);
  const auto finished = m_log.waitFor<RunFinished>(id);
  ASSERT_TRUE(finished) << failureOf(id);
  ASSERT_TRUE(finished->dump);
  EXPECT_EQ(finished->dump->calls, 300u);
  EXPECT_EQ(finished->dump->tensors, 900u);
  EXPECT_EQ(finished->dump->bytes, fs::file_size(request.dumpFile));
  EXPECT_EQ(finished->outputs.size(), 1u);
  const auto reader = arrays::NpzReader::open(request.dumpFile);
  ASSERT_TRUE(reader);
  EXPECT_EQ(reader->keys().size(), 900u);
  EXPECT_EQ(arrays::describeArray(*reader->read("4/add/arg2")), "float32 [16]");
}

TEST_F(WatchTest, AnOriginIsAnInputByName) {
  RunRequest request = runOf("tvm027/mlp.so", "const:inf");
  request.checkFinite = true;
  const RequestId id = m_session->run(request);
  const auto finished = m_log.waitFor<RunFinished>(id);
  ASSERT_TRUE(finished) << failureOf(id);
  ASSERT_TRUE(finished->finite);
  EXPECT_FALSE(finished->finite->holds());
  EXPECT_EQ(finished->finite->op, "matmul");
  ASSERT_EQ(finished->finite->inputs.size(), 1u);
  EXPECT_EQ(finished->finite->inputs[0].origin, "input x");
  EXPECT_THAT(finished->outputs, IsEmpty());
  EXPECT_TRUE(m_log.waitForState(id, State::Ready));
}

TEST_F(WatchTest, ARunAfterwardsIsAPlainOne) {
  RunRequest request = runOf("tvm027/chain.so", "ones");
  request.checkFinite = true;
  ASSERT_TRUE(m_log.waitFor<RunFinished>(m_session->run(request)));
  const auto plain = m_log.waitFor<RunFinished>(m_session->run(runOf("tvm027/chain.so", "const:1e38")));
  ASSERT_TRUE(plain);
  EXPECT_FALSE(plain->finite);
  EXPECT_GT(plain->durationNs, 0);
}

TEST_F(WatchTest, AnExecutableAgreesWithItself) {
  for (const std::string name :
       {"tvm027/mlp.so", "tvm027/cnn.so", "tvm021/chain21.so", "tvm027/mlp_compiled.so"}) {
    SCOPED_TRACE(name);
    const Divergence same = found(divergeOf(name, name));
    EXPECT_FALSE(same.differs());
    EXPECT_EQ(same.matching, CallMatching::ByOrder);
    EXPECT_THAT(same.onlyA, IsEmpty());
    EXPECT_THAT(same.onlyB, IsEmpty());
    EXPECT_FALSE(same.results.empty());
    for (const ComparedCall& call : same.calls) {
      for (const TensorDifference& output : call.outputs) {
        EXPECT_EQ(output.maxAbsolute, 0);
      }
    }
  }
}

TEST_F(WatchTest, TheSameModelByTwoVersionsAgrees) {
  const Divergence same = found(divergeOf("tvm025/mlp.so", "tvm027/mlp.so"));
  EXPECT_FALSE(same.differs());
  EXPECT_GT(same.calls.size(), 3u);
}

TEST_F(WatchTest, CompiledFunctionsAreComparedCallByCall) {
  const Divergence same = found(divergeOf("tvm027/mlp.so", "tvm027/mlp_compiled.so"));
  EXPECT_FALSE(same.differs());
  EXPECT_GT(same.calls.size(), 3u);
  EXPECT_THAT(same.onlyA, IsEmpty());
  EXPECT_EQ(same.results.size(), 1u);
}

TEST_F(WatchTest, TheStatesOfAComparison) {
  const RequestId id = m_session->diverge(divergeOf("tvm025/mlp.so", "tvm027/mlp.so"));
  ASSERT_TRUE(m_log.waitFor<DivergeFinished>(id));
  ASSERT_TRUE(m_log.waitForState(id, State::Ready));
  EXPECT_THAT(m_log.states(id),
              ElementsAre(State::Opening, State::Preparing, State::Measuring, State::Opening,
                          State::Preparing, State::Measuring, State::Finishing, State::Ready));
}

TEST_F(WatchTest, ParametersMustAgree) {
  EXPECT_THAT(failureOf(m_session->diverge(divergeOf("tvm027/mlp.so", "tvm027/mlp_const.so"))),
              HasSubstr("parameters in A and"));
  EXPECT_THAT(failureOf(m_session->diverge(divergeOf("tvm027/mlp.so", "tvm027/nowhere.so"))),
              HasSubstr("nowhere.so"));
}

TEST_F(WatchTest, AStopEndsAComparisonThatWaits) {
  ProfileRequest busy;
  busy.path = fixture("tvm027/chain.so");
  busy.repeats = 1'000'000;
  m_session->profile(busy);
  const RequestId id = m_session->diverge(divergeOf("tvm027/mlp.so", "tvm027/mlp.so"));
  m_session->stop();
  EXPECT_TRUE(m_log.waitFor<RequestCancelled>(id));
}

}  // namespace
}  // namespace opscope::session
