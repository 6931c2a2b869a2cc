// SPDX-License-Identifier: Apache-2.0
// What a run on a board is told to hold once it is made: where its repeats lie among the traffic, and what
// its samples warn of.
#include "engine/session/remote_traffic.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/rpc/traffic_log.h"
#include "engine/session/remote_profile.h"

namespace opscope::session {
namespace {

class StepNames : public ::testing::TestWithParam<const char*> {};

/// One call that begins at `beginNs` and is answered `ns` later.
void addCall(rpc::TrafficLog& log, std::string_view name, std::int64_t beginNs, std::int64_t ns) {
  log.describe(name);
  log.asked(rpc::FrameCode::Call, 40);
  log.sending(beginNs);
  log.answered(20, false, beginNs + ns);
}

report::Run runOf(std::vector<double> totals) {
  report::Run run;
  run.steps = {"main"};
  run.repeats = run.repeatsWanted = static_cast<std::uint32_t>(totals.size());
  run.totals.push_back({"cpu0", std::move(totals)});
  return run;
}

TEST_P(StepNames, PlaceTheCallsOfTheirRepeats) {
  rpc::TrafficLog log;
  log.begin(1000);
  for (std::uint32_t repeat = 0; repeat < 2; ++repeat) {
    log.enter(static_cast<std::uint32_t>(report::TrafficPhase::Repeat), repeat);
    const std::int64_t beginNs = 10'000 * (repeat + 1);
    addCall(log, "opscope_probe_clear", beginNs, 100);
    addCall(log, GetParam(), beginNs + 200, 5000);
  }
  const report::TrafficTrack track = trafficTrack(log, runOf({4000, 4600}), 40'000);
  ASSERT_EQ(track.repeats.size(), 2u);
  EXPECT_EQ(track.repeats[0].startNs, 9000);
  EXPECT_EQ(track.repeats[0].zeroNs, 9200 + 500);
  EXPECT_EQ(track.repeats[0].doubtNs, 500);
  EXPECT_EQ(track.repeats[1].zeroNs, 19200 + 200);
  EXPECT_EQ(track.repeats[1].doubtNs, 200);
}

INSTANTIATE_TEST_SUITE_P(Names, StepNames,
                         ::testing::Values("step", "step main", "opscope_probe_step",
                                           "opscope_probe_step main"));

std::string messagesOf(const report::Run& run) {
  std::string text;
  for (const report::Warning& warning : run.warnings) text += warning.message + '\n';
  return text;
}

TEST(BoardWarnings, TellTheSpreadThatTheSamplesShow) {
  report::Run run = runOf({4000, 6100, 4100, 6500, 3900, 5100, 4000, 6600, 4800, 4050});
  finishRun(run);
  ASSERT_TRUE(run.noise);
  EXPECT_GE(run.noise->grade, report::Grade::D);
  EXPECT_NE(messagesOf(run).find("The total varies by "), std::string::npos) << messagesOf(run);
  // Of the board itself nothing is known, and that is said.
  EXPECT_THAT(run.noise->unknown, testing::Contains("Load by others"));
  for (const report::NoiseCheck& check : run.noise->checks) {
    EXPECT_TRUE(check.id == "noise" || check.id == "drift" || check.id == "repeats") << check.id;
  }
}

TEST(BoardWarnings, QuietRunsHaveNoneAndOneRepeatIsTold) {
  report::Run quiet = runOf({4000, 4010, 3990, 4005, 3995, 4001, 4002, 3999, 4003, 4000});
  finishRun(quiet);
  EXPECT_EQ(messagesOf(quiet), "");
  report::Run one = runOf({4000});
  finishRun(one);
  EXPECT_NE(messagesOf(one).find("One repeat only"), std::string::npos) << messagesOf(one);
  report::Run none = runOf({});
  finishRun(none);
  EXPECT_FALSE(none.noise);
}

TEST(RemoteTraffic, OtherFunctionsPlaceNothing) {
  rpc::TrafficLog log;
  log.begin(1000);
  log.enter(static_cast<std::uint32_t>(report::TrafficPhase::Repeat), 0);
  addCall(log, "step_over", 2000, 5000);
  addCall(log, "opscope_probe_steps main", 8000, 5000);
  const report::TrafficTrack track = trafficTrack(log, runOf({4000}), 40'000);
  ASSERT_EQ(track.repeats.size(), 1u);
  EXPECT_LT(track.repeats[0].zeroNs, 0);
}

}  // namespace
}  // namespace opscope::session
