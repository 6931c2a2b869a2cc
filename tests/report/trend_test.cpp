// SPDX-License-Identifier: Apache-2.0
// Drift, against numbers worked out by hand from the definitions of Mann-Kendall and of Theil and Sen.
#include "engine/report/trend.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace opscope::report {
namespace {

TEST(Trend, OfRisingSamplesIsClear) {
  std::vector<double> samples;
  for (int i = 0; i < 10; ++i) samples.push_back(100 + i);
  const auto trend = trendOf(samples);
  ASSERT_TRUE(trend);
  // S = 45, its variance 10 * 9 * 25 / 18 = 125, z = 44 / sqrt(125) = 3.93548: 8.3029e-5 two-sided.
  EXPECT_NEAR(trend->probability, 8.3029e-5, 1e-8);
  EXPECT_DOUBLE_EQ(trend->change, 9 / 104.5);
  EXPECT_TRUE(trend->isDrift());
}

TEST(Trend, TiesMakeTheVarianceSmaller) {
  // 4 times 10 and 6 times 20 in order: S = 24; variance (10*9*25 - 4*3*13 - 6*5*17) / 18 = 88.
  const std::vector<double> samples = {10, 10, 10, 10, 20, 20, 20, 20, 20, 20};
  const auto trend = trendOf(samples);
  ASSERT_TRUE(trend);
  EXPECT_NEAR(trend->probability, std::erfc(23 / std::sqrt(88.0) / std::sqrt(2.0)), 1e-12);
}

TEST(Trend, OfEqualSamplesIsNone) {
  const auto trend = trendOf(std::vector<double>(20, 5.0));
  ASSERT_TRUE(trend);
  EXPECT_EQ(trend->change, 0);
  EXPECT_EQ(trend->probability, 1);
  EXPECT_FALSE(trend->isDrift());
}

TEST(Trend, IsNotToldFromFewSamplesOrNothing) {
  EXPECT_FALSE(trendOf(std::vector<double>{1, 2, 3, 4, 5, 6, 7}));
  EXPECT_FALSE(trendOf(std::vector<double>(10, 0.0)));
  EXPECT_FALSE(trendOf({}));
}

TEST(Trend, OfLongSeriesIsFound) {
  std::mt19937 random(7);
  std::normal_distribution<double> noise(1000, 20);
  std::vector<double> level;
  std::vector<double> slower;
  for (int i = 0; i < 20'000; ++i) {
    level.push_back(noise(random));
    slower.push_back(noise(random) * (1 + 0.1 * i / 20'000));
  }
  ASSERT_TRUE(trendOf(level) && trendOf(slower));
  EXPECT_FALSE(trendOf(level)->isDrift());
  EXPECT_TRUE(trendOf(slower)->isDrift());
  EXPECT_NEAR(trendOf(slower)->change, 0.1 / 1.05, 0.01);
}

TEST(Trend, RaisesFewFalseAlarms) {
  std::mt19937 random(11);
  std::normal_distribution<double> noise(1000, 100);
  int alarms = 0;
  for (int attempt = 0; attempt < 500; ++attempt) {
    std::vector<double> samples;
    for (int i = 0; i < 30; ++i) samples.push_back(noise(random));
    alarms += trendOf(samples)->isDrift() ? 1 : 0;
  }
  EXPECT_LE(alarms, 15) << "1 % are expected";
}

}  // namespace
}  // namespace opscope::report
