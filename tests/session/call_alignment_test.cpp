// SPDX-License-Identifier: Apache-2.0
#include "engine/session/call_alignment.h"

#include <gtest/gtest.h>

namespace opscope::session {
namespace {

using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;

std::vector<CallKey> keys(const std::vector<std::string>& names, const std::string& shapes = "[4]") {
  std::vector<CallKey> made;
  for (const std::string& name : names) {
    made.push_back({name, shapes});
  }
  return made;
}

TEST(AlignCalls, EqualNamesGoByOrderWhateverTheirShapes) {
  const Alignment found =
      alignCalls(keys({"add", "relu", "add"}, "[4]"), keys({"add", "relu", "add"}, "[8]"));
  EXPECT_EQ(found.matching, CallMatching::ByOrder);
  EXPECT_EQ(found.pairs, (Pairs{{0, 0}, {1, 1}, {2, 2}}));
}

TEST(AlignCalls, NothingWithNothing) {
  EXPECT_TRUE(alignCalls({}, {}).pairs.empty());
  EXPECT_TRUE(alignCalls(keys({"add"}), {}).pairs.empty());
}

TEST(AlignCalls, CallsThatOneSideHasAreLeftOut) {
  const Alignment found = alignCalls(keys({"conv", "bias", "relu", "pool", "dense"}),
                                     keys({"conv", "relu", "copy", "pool", "dense"}));
  EXPECT_EQ(found.matching, CallMatching::ByNames);
  EXPECT_EQ(found.pairs, (Pairs{{0, 0}, {2, 1}, {3, 3}, {4, 4}}));
}

TEST(AlignCalls, CountersOfNamesDoNotMatterShapesDo) {
  const std::vector<CallKey> a = {{"matmul1", "[4]"}, {"add", "[4]"}, {"add", "[8]"}};
  const std::vector<CallKey> b = {{"matmul3", "[4]"}, {"add2", "[8]"}};
  EXPECT_EQ(alignCalls(a, b).pairs, (Pairs{{0, 0}, {2, 1}}));
}

TEST(AlignCalls, TheLongestIsFoundNotTheFirst) {
  const Alignment found =
      alignCalls(keys({"x", "a", "b", "c", "y"}), keys({"x", "c", "a", "b", "c", "z", "y"}));
  EXPECT_EQ(found.pairs, (Pairs{{0, 0}, {1, 2}, {2, 3}, {3, 4}, {4, 6}}));
}

TEST(AlignCalls, LongRunsThatDifferMuchTakeNoTable) {
  std::vector<std::string> a(20'000, "add");
  std::vector<std::string> b;
  for (int i = 0; i < 10'000; ++i) {
    b.insert(b.end(), {"copy", "add"});
  }
  a.front() = "first";
  a.back() = "last";
  const Alignment found = alignCalls(keys(a), keys(b));
  EXPECT_GE(found.pairs.size(), 9'000u);
  for (std::size_t i = 1; i < found.pairs.size(); ++i) {
    ASSERT_LT(found.pairs[i - 1].first, found.pairs[i].first);
    ASSERT_LT(found.pairs[i - 1].second, found.pairs[i].second);
  }
}

TEST(WithoutCounters, KeepsDigitsThatAreNoCounters) {
  EXPECT_EQ(withoutCounters("fused_matmul3_add12"), "fused_matmul_add");
  EXPECT_EQ(withoutCounters("conv2d"), "conv2d");
  EXPECT_EQ(withoutCounters("conv2d1_relu"), "conv2d_relu");
  EXPECT_EQ(withoutCounters("layer_norm"), "layer_norm");
  EXPECT_EQ(withoutCounters(""), "");
}

}  // namespace
}  // namespace opscope::session
