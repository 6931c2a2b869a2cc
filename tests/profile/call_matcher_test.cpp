// SPDX-License-Identifier: Apache-2.0
#include "engine/profile/call_matcher.h"

#include <gtest/gtest.h>

namespace opscope::profile {
namespace {

using Numbers = std::vector<std::uint32_t>;

std::vector<CallMatcher::Key> calls(std::initializer_list<std::uint32_t> instructions) {
  std::vector<CallMatcher::Key> keys;
  for (const std::uint32_t instruction : instructions) {
    keys.push_back({0, instruction, instruction, 0, 0, 0});
  }
  return keys;
}

TEST(CallMatcher, EqualRepeatsHaveEqualNumbers) {
  CallMatcher matcher;
  EXPECT_EQ(matcher.addRepeat(calls({1, 2, 3})), (Numbers{0, 1, 2}));
  EXPECT_EQ(matcher.addRepeat(calls({1, 2, 3})), (Numbers{0, 1, 2}));
  EXPECT_EQ(matcher.order(), (Numbers{0, 1, 2}));
}

TEST(CallMatcher, OneInstructionInALoopIsManyCalls) {
  CallMatcher matcher;
  EXPECT_EQ(matcher.addRepeat(calls({1, 1, 1})), (Numbers{0, 1, 2}));
  EXPECT_EQ(matcher.addRepeat(calls({1, 1})), (Numbers{0, 1}));
}

TEST(CallMatcher, CallsAfterABranchStayTogether) {
  CallMatcher matcher;
  EXPECT_EQ(matcher.addRepeat(calls({1, 2, 9})), (Numbers{0, 1, 2}));
  EXPECT_EQ(matcher.addRepeat(calls({1, 3, 4, 9})), (Numbers{0, 3, 4, 2}));
  // The other branch stands after 1 and before the common end.
  EXPECT_EQ(matcher.order(), (Numbers{0, 3, 4, 1, 2}));
  EXPECT_EQ(matcher.addRepeat(calls({1, 2, 9})), (Numbers{0, 1, 2}));
}

TEST(CallMatcher, ANewFirstCallComesFirst) {
  CallMatcher matcher;
  matcher.addRepeat(calls({2}));
  EXPECT_EQ(matcher.addRepeat(calls({1, 2})), (Numbers{1, 0}));
  EXPECT_EQ(matcher.order(), (Numbers{1, 0}));
}

TEST(CallMatcher, AnEmptyRepeatIsFine) {
  CallMatcher matcher;
  EXPECT_TRUE(matcher.addRepeat({}).empty());
  EXPECT_TRUE(matcher.order().empty());
  EXPECT_EQ(matcher.addRepeat(calls({1})), (Numbers{0}));
}

TEST(CallMatcher, ShapesDepthAndStepTellCallsApart) {
  CallMatcher matcher;
  const std::vector<CallMatcher::Key> keys{
      {0, 1, 1, 0, 0, 0}, {0, 1, 1, 5, 0, 0}, {0, 1, 1, 0, 1, 0}, {1, 1, 1, 0, 0, 0}};
  EXPECT_EQ(matcher.addRepeat(keys), (Numbers{0, 1, 2, 3}));
}

}  // namespace
}  // namespace opscope::profile
