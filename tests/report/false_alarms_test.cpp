// SPDX-License-Identifier: Apache-2.0
// How often comparisons are wrong: false alarms between halves of one recorded run, and changes that are
// missed.
#include <gtest/gtest.h>

#include "engine/report/comparison.h"
#include "tests/report/comparison_runs.h"

namespace opscope::report {
namespace {

constexpr int kTries = 200;

bool alarms(const Comparison& comparison) {
  const auto changed = [](const ComparedOp& op) {
    return op.verdict == Verdict::Faster || op.verdict == Verdict::Slower;
  };
  return changed(comparison.total) || std::any_of(comparison.ops.begin(), comparison.ops.end(), changed);
}

int alarmsOf(Matching matching, double minimumEffect, std::uint64_t seed) {
  const Document recorded = recordedDocument();
  Draws draws(seed);
  int count = 0;
  for (int round = 0; round < kTries; ++round) {
    const auto [a, b] = randomHalves(*recorded.run, draws);
    CompareOptions options;
    options.matching = matching;
    options.minimumEffect = minimumEffect;
    options.seed = static_cast<std::uint64_t>(round);
    count += alarms(*compareDocuments(makeDocument(shared(a)), makeDocument(shared(b)), options)) ? 1 : 0;
  }
  std::printf("seed %d, by %s, minimum effect %g: %d of %d tries had a false alarm\n", static_cast<int>(seed),
              std::string(matchingName(matching)).c_str(), minimumEffect, count, kTries);
  return count;
}

TEST(FalseAlarms, AreAtMostFivePercentOfTries) {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    EXPECT_LE(alarmsOf(Matching::ByName, 0.02, seed), kTries * 5 / 100);
  }
  EXPECT_LE(alarmsOf(Matching::ByPosition, 0.02, 1), kTries * 5 / 100);
}

TEST(FalseAlarms, AreRareWithoutTheMinimumEffectToo) {
  EXPECT_LE(alarmsOf(Matching::ByName, 0, 4), kTries * 5 / 100);
}

TEST(Power, FivePercentInOneOpOfARecordedRunAreFound) {
  const Document recorded = recordedDocument();
  std::size_t matmul = 0;
  while (recorded.run->names[recorded.run->calls[matmul].name] != "matmul") ++matmul;
  Draws draws(5);
  int found = 0;
  for (int round = 0; round < 50; ++round) {
    auto [a, b] = randomHalves(*recorded.run, draws);
    slowDown(b, matmul, 1.05);
    const auto comparison = compareDocuments(makeDocument(shared(a)), makeDocument(shared(b)), {});
    const auto op = std::find_if(comparison->ops.begin(), comparison->ops.end(),
                                 [](const ComparedOp& each) { return each.shown().name == "matmul"; });
    ASSERT_NE(op, comparison->ops.end());
    found += op->verdict == Verdict::Slower ? 1 : 0;
  }
  std::printf("seed 5: found in %d of 50 tries\n", found);
  EXPECT_GE(found, 48);
}

TEST(Power, FivePercentInOneOpOfAQuietRunAreFoundAndNothingElse) {
  for (std::uint64_t seed = 10; seed < 30; ++seed) {
    std::vector<MadeOp> ops;
    for (int i = 0; i < 40; ++i)
      ops.push_back({"op" + std::string(1, static_cast<char>('A' + i)), 1000.0 + 50 * i});
    const Document a = madeDocument(ops, 20, 0.01, seed);
    ops[7].ns *= 1.05;
    const Document b = madeDocument(ops, 20, 0.01, seed + 1000);
    const auto comparison = compareDocuments(a, b, {});
    EXPECT_EQ(comparison->count(Verdict::Slower), 1u) << seed;
    EXPECT_EQ(comparison->count(Verdict::Faster), 0u) << seed;
    EXPECT_EQ(comparison->ops.front().shown().name, ops[7].name) << "the largest change comes first";
    EXPECT_EQ(comparison->ops.front().verdict, Verdict::Slower);
  }
}

}  // namespace
}  // namespace opscope::report
