// SPDX-License-Identifier: Apache-2.0
// What repeats of a run that goes on took.
#include "engine/report/repeat_times.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/report/sample_run.h"

namespace opscope::report {
namespace {

using ::testing::ElementsAre;

TEST(RepeatTimes, CallsOfOneNameAreSummedInEachRepeat) {
  const RepeatTimes times = repeatTimes(sampleRun(), 0, 7);
  EXPECT_EQ(times.first, 7u);
  EXPECT_THAT(times.totalNs, ElementsAre(40000, 60000));
  ASSERT_EQ(times.ops.size(), 2u);  // the allocation is not in the report
  EXPECT_EQ(times.ops[0].name, "fused_conv2d1_add");
  EXPECT_EQ(times.ops[0].calls, 2u);
  EXPECT_THAT(times.ops[0].ownNs, ElementsAre(30000, 44000));
  EXPECT_EQ(times.ops[1].name, "relu");
  EXPECT_EQ(times.ops[1].calls, 1u);
  EXPECT_THAT(times.ops[1].ownNs, ElementsAre(2000, 2000));
}

TEST(RepeatTimes, OnlyRepeatsFromTheGivenOneOn) {
  const RepeatTimes times = repeatTimes(sampleRun(), 1, 1);
  EXPECT_EQ(times.first, 1u);
  EXPECT_THAT(times.totalNs, ElementsAre(60000));
  ASSERT_EQ(times.ops.size(), 2u);
  EXPECT_THAT(times.ops[0].ownNs, ElementsAre(44000));
  EXPECT_TRUE(repeatTimes(sampleRun(), 2, 2).totalNs.empty());
}

TEST(RepeatTimes, AnOpThatSomeRepeatsHaveTakesNothingInTheOthers) {
  report::Run run = sampleRun();
  run.names.push_back("seldom");
  addCall(run, 3, 1, {500});
  run.sampleRepeat.back() = 1;
  const RepeatTimes both = repeatTimes(run, 0, 0);
  ASSERT_EQ(both.ops.size(), 3u);
  EXPECT_EQ(both.ops[2].calls, 1u);
  EXPECT_THAT(both.ops[2].ownNs, ElementsAre(0, 500));
  run.sampleRepeat.back() = 0;
  EXPECT_EQ(repeatTimes(run, 1, 1).ops.size(), 2u);  // not called in what is asked for
}

}  // namespace
}  // namespace opscope::report
