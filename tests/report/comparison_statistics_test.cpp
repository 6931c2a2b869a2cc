// SPDX-License-Identifier: Apache-2.0
// Tests of hypotheses against scipy's, statsmodels' and diptest's values, which comparison_values.py wrote.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <random>

#include "engine/base/atomic_file.h"
#include "engine/report/draws.h"
#include "engine/report/mann_whitney.h"
#include "engine/report/median_ratio.h"
#include "engine/report/modes.h"
#include "engine/report/trend.h"

namespace opscope::report {
namespace {

using nlohmann::json;

const json& values() {
  static const json kValues = [] {
    const auto text = base::readFile(OPSCOPE_TEST_DATA "/statistics/comparison.json");
    return text ? json::parse(*text) : json();
  }();
  return kValues;
}

std::vector<double> numbers(const json& list) {
  return list.get<std::vector<double>>();
}

void expectClose(double ours, const json& theirs, const std::string& what) {
  const double expected = theirs.get<double>();
  EXPECT_NEAR(ours, expected, 1e-11 * std::max(1e-3, std::fabs(expected))) << what;
}

TEST(MannWhitney, IsScipys) {
  ASSERT_GE(values()["mannWhitney"].size(), 40u);
  MannWhitney test;
  for (const json& set : values()["mannWhitney"]) {
    const RankTest ours = test.test(numbers(set["a"]), numbers(set["b"]));
    EXPECT_EQ(ours.u, set["u"].get<double>()) << set["name"];
    EXPECT_EQ(ours.exact, set["exact"].get<bool>()) << set["name"];
    expectClose(ours.p, set["p"], set["name"]);
  }
}

TEST(MannWhitney, OfDegenerateSamplesIsNoDifference) {
  MannWhitney test;
  const std::vector<double> none;
  const std::vector<double> one = {3};
  const std::vector<double> equal(12, 7.0);
  EXPECT_EQ(test.test(none, one).p, 1);
  EXPECT_EQ(test.test(one, one).p, 1);
  EXPECT_EQ(test.test(equal, equal).p, 1);
  EXPECT_EQ(test.test(equal, one).p, test.test(one, equal).p);
}

TEST(Holm, IsStatsmodels) {
  for (const json& set : values()["holm"]) {
    const std::vector<double> ours = holm(numbers(set["p"]));
    ASSERT_EQ(ours.size(), set["adjusted"].size());
    for (std::size_t i = 0; i < ours.size(); ++i) expectClose(ours[i], set["adjusted"][i], "holm");
  }
  EXPECT_TRUE(holm({}).empty());
}

TEST(SmallestP, IsThatOfSetsThatDoNotOverlap) {
  EXPECT_NEAR(smallestP(5, 5), 2.0 / 252, 1e-15);
  EXPECT_NEAR(smallestP(3, 2), 2.0 / 10, 1e-15);
  EXPECT_EQ(smallestP(1, 1), 1);
  EXPECT_GE(smallestP(3000, 3000), 0);
}

TEST(Trend, IsScipysThroughKendallAndTheilSen) {
  for (const json& set : values()["trends"]) {
    const auto ours = trendOf(numbers(set["samples"]));
    ASSERT_TRUE(ours) << set["name"];
    expectClose(ours->probability, set["p"], set["name"]);
    expectClose(ours->change, set["part"], set["name"]);
  }
}

TEST(Trend, OfNoiseIsDriftAsRarelyAsItsLevelSays) {
  Draws draws(5);
  int found = 0;
  for (int round = 0; round < 2000; ++round) {
    std::vector<double> samples;
    for (int i = 0; i < 30; ++i) samples.push_back(100 + 20 * draws.nearlyNormal());
    found += trendOf(samples)->isDrift() ? 1 : 0;
  }
  EXPECT_LE(found, 32) << "1 % of 2000, and three standard deviations";
}

TEST(Dip, IsThatOfThePackageDiptest) {
  ASSERT_GE(values()["dips"].size(), 30u);
  for (const json& set : values()["dips"]) {
    EXPECT_NEAR(dipOf(numbers(set["samples"])), set["dip"].get<double>(), 1e-12) << set["name"];
  }
}

TEST(Dip, CriticalValuesAreThoseOfUniformSamples) {
  for (const json& row : values()["criticalDips"]) {
    const double theirs = row["dip"];
    EXPECT_NEAR(criticalDip(row["count"]), theirs, 0.03 * theirs) << row["count"];
  }
}

struct Shape {
  const char* name;
  double (*draw)(Draws&);
};

int foundModes(const Shape& shape, std::size_t count, std::uint64_t seed) {
  Draws draws(seed);
  int found = 0;
  for (int round = 0; round < 500; ++round) {
    std::vector<double> samples;
    for (std::size_t i = 0; i < count; ++i) samples.push_back(shape.draw(draws));
    std::sort(samples.begin(), samples.end());
    found += findTwoModes(samples) ? 1 : 0;
  }
  return found;
}

TEST(TwoModes, OfOneModeAreFoundInAtMostTwoPercent) {
  const Shape shapes[] = {
      {"uniform", [](Draws& d) { return 1 + d.uniform(); }},
      {"normal", [](Draws& d) { return 100 + 10 * d.nearlyNormal(); }},
      {"skewed", [](Draws& d) { return 100 * std::exp(0.4 * d.nearlyNormal()); }},
      {"spikes", [](Draws& d) { return d.below(20) == 0 ? 300.0 : 100 + d.nearlyNormal(); }},
  };
  for (const Shape& shape : shapes) {
    for (const std::size_t count : {20u, 30u, 100u}) {
      EXPECT_LE(foundModes(shape, count, 7), 10) << shape.name << " " << count << " of 500";
    }
  }
}

TEST(TwoModes, AreFoundWhereTheyAre) {
  const Shape shape = {"two", [](Draws& d) { return (d.below(5) < 2 ? 63 : 87) + 2 * d.nearlyNormal(); }};
  EXPECT_GE(foundModes(shape, 30, 8), 425) << "of 500, with 12 and 18 samples on average";
  EXPECT_GE(foundModes(shape, 100, 8), 499);
  Draws draws(9);
  std::vector<double> samples;
  for (int i = 0; i < 200; ++i) samples.push_back(shape.draw(draws));
  std::sort(samples.begin(), samples.end());
  const auto modes = findTwoModes(samples);
  ASSERT_TRUE(modes);
  EXPECT_NEAR(modes->low, 63, 1);
  EXPECT_NEAR(modes->high, 87, 1);
  EXPECT_NEAR(modes->lowPart, 0.4, 0.1);
}

TEST(Outliers, AreFarOutAndFar) {
  std::vector<double> samples = {1, 98, 99, 99, 100, 100, 100, 101, 101, 102, 180, 400};
  EXPECT_EQ(countOutliers(samples), 3u);
  const std::vector<double> close = {100, 100, 100, 100, 100, 100, 100, 100, 103};
  EXPECT_EQ(countOutliers(close), 0u) << "out of the quartiles, which are one, but close";
  EXPECT_EQ(countOutliers(std::vector<double>{1, 1, 1, 1, 1, 1, 900}), 0u) << "too few samples";
  EXPECT_EQ(countOutliers({}), 0u);
}

TEST(MedianRatio, IsTheSameEverywhere) {
  std::vector<double> a;
  std::vector<double> b;
  for (int i = 0; i < 30; ++i) {
    a.push_back(100 + i);
    b.push_back(110 + i * 1.25);
  }
  const MedianRatio ratio = medianRatio(a, b, 1);
  EXPECT_EQ(*ratio.ratio, 128.125 / 114.5);
  EXPECT_EQ(*ratio.low, medianRatio(a, b, 1).low);
  EXPECT_LT(*ratio.low, *ratio.ratio);
  EXPECT_GT(*ratio.high, *ratio.ratio);
  // Fixed digits: another platform, or a change of the draws, would be seen here.
  EXPECT_NEAR(*ratio.low, 1.0367892976588629, 0.02);
  EXPECT_NEAR(*ratio.high, 1.2093023255813953, 0.02);
}

/// How often the interval holds the true ratio.
TEST(MedianRatio, IntervalHoldsTheTruthAboutAsOftenAsItSays) {
  for (const std::size_t count : {10u, 40u, 1500u}) {
    Draws draws(11);
    int held = 0;
    const int rounds = count > 1000 ? 200 : 400;
    for (int round = 0; round < rounds; ++round) {
      std::vector<double> a;
      std::vector<double> b;
      for (std::size_t i = 0; i < count; ++i) {
        a.push_back(100 + 5 * draws.nearlyNormal());
        b.push_back(105 + 5 * draws.nearlyNormal());
      }
      std::sort(a.begin(), a.end());
      std::sort(b.begin(), b.end());
      const MedianRatio ratio = medianRatio(a, b, static_cast<std::uint64_t>(round));
      held += *ratio.low <= 1.05 && 1.05 <= *ratio.high ? 1 : 0;
    }
    EXPECT_GE(held, rounds * 91 / 100) << count;
    EXPECT_LE(held, rounds * 995 / 1000) << count;
  }
}

TEST(MedianRatio, OfNothingIsNothing) {
  const std::vector<double> zeros(6, 0.0);
  const std::vector<double> ones(6, 1.0);
  EXPECT_FALSE(medianRatio({}, ones, 1).ratio);
  EXPECT_FALSE(medianRatio(zeros, ones, 1).ratio);
  EXPECT_EQ(medianRatio(ones, zeros, 1).ratio, 0.0);
  EXPECT_EQ(medianRatio(ones, ones, 1).low, 1.0);
  const std::vector<double> tiny(6, 5e-324);
  const std::vector<double> huge(6, 1e308);
  EXPECT_FALSE(medianRatio(tiny, huge, 1).ratio) << "not finite";
}

}  // namespace
}  // namespace opscope::report
