// SPDX-License-Identifier: Apache-2.0
#include "engine/base/near_match.h"

#include <gtest/gtest.h>

#include <vector>

namespace opscope::base {
namespace {

TEST(NearMatch, FindsTheNearestName) {
  const std::vector<std::string> known = {"input_ids", "attention_mask", "x", "main"};
  EXPECT_EQ(nearMatch("input_id", known), "input_ids");
  EXPECT_EQ(nearMatch("Attention-mask", known), "attention_mask");
  EXPECT_EQ(nearMatch("mian", known), "");
  EXPECT_EQ(nearMatch("maim", known), "main");
  EXPECT_EQ(nearMatch("X", known), "x");
  EXPECT_EQ(nearMatch("y", known), "");
  EXPECT_EQ(nearMatch("", known), "");
  EXPECT_EQ(nearMatch(std::string(100000, 'a'), known), "");
}

TEST(NearMatch, JoinsNames) {
  const std::vector<std::string> names = {"a", "b", "c", "d"};
  EXPECT_EQ(joinNames({}), "none");
  EXPECT_EQ(joinNames(std::span(names).first(1)), "a");
  EXPECT_EQ(joinNames(std::span(names).first(2)), "a and b");
  EXPECT_EQ(joinNames(names), "a, b, c and d");
  EXPECT_EQ(joinNames(names, 2), "a, b and 2 more");
}

}  // namespace
}  // namespace opscope::base
