// SPDX-License-Identifier: Apache-2.0
// Statistics against numpy's values, which statistics_values.py wrote.
#include "engine/report/statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "engine/base/atomic_file.h"
#include "engine/report/metrics.h"

namespace opscope::report {
namespace {

using nlohmann::json;

void expectNear(double ours, const json& theirs, const std::string& what) {
  const double expected = theirs.get<double>();
  EXPECT_NEAR(ours, expected, 1e-12 * std::max(1.0, std::fabs(expected))) << what;
}

TEST(Statistics, AreNumpys) {
  const auto text = base::readFile(OPSCOPE_TEST_DATA "/statistics/values.json");
  ASSERT_TRUE(text);
  const json values = json::parse(*text);
  ASSERT_GE(values["sets"].size(), 17u);
  for (const json& set : values["sets"]) {
    const auto samples = set["samples"].get<std::vector<double>>();
    const Statistics ours = computeStatistics(samples);
    std::vector<double> copy = samples;
    EXPECT_DOUBLE_EQ(medianInPlace(copy), ours.median);
    const std::string name = set["name"];
    EXPECT_EQ(ours.count, samples.size()) << name;
    expectNear(ours.mean, set["mean"], name + " mean");
    expectNear(ours.median, set["median"], name + " median");
    EXPECT_EQ(ours.min, set["min"].get<double>()) << name;
    EXPECT_EQ(ours.max, set["max"].get<double>()) << name;
    expectNear(ours.p5, set["p5"], name + " p5");
    expectNear(ours.p25, set["p25"], name + " p25");
    expectNear(ours.p75, set["p75"], name + " p75");
    expectNear(ours.p95, set["p95"], name + " p95");
    expectNear(ours.p99, set["p99"], name + " p99");
    expectNear(ours.medianDeviation, set["mad"], name + " mad");
    ASSERT_EQ(ours.standardDeviation.has_value(), set.contains("std")) << name;
    if (ours.standardDeviation) {
      expectNear(*ours.standardDeviation, set["std"], name + " std");
      expectNear(*ours.noise, set["noise"], name + " noise");
    }
    EXPECT_EQ(medianIntervalRank(samples.size()), set["rank"].get<std::size_t>()) << name;
    ASSERT_EQ(ours.medianLow.has_value(), !set["low"].is_null()) << name;
    if (ours.medianLow) {
      EXPECT_EQ(*ours.medianLow, set["low"].get<double>()) << name;
      EXPECT_EQ(*ours.medianHigh, set["high"].get<double>()) << name;
    }
  }
}

TEST(Statistics, RankOfTheMediansIntervalForManySamples) {
  // Exact integer arithmetic (Python's math.comb).
  EXPECT_EQ(medianIntervalRank(0), 0u);
  EXPECT_EQ(medianIntervalRank(5), 0u);
  EXPECT_EQ(medianIntervalRank(6), 1u);
  EXPECT_EQ(medianIntervalRank(1000), 469u);
  EXPECT_EQ(medianIntervalRank(10000), 4902u);
  // Far beyond exact tables: n / 2 - 0.98 * sqrt(n).
  EXPECT_NEAR(static_cast<double>(medianIntervalRank(1000000)), 499020.0, 1.0);
}

TEST(Statistics, NothingIsInventedForFewSamples) {
  const Statistics none = computeStatistics({});
  EXPECT_EQ(none.count, 0u);
  EXPECT_FALSE(none.standardDeviation || none.noise || none.medianLow || none.medianHigh);
  const std::vector<double> zeros(8, 0.0);
  const Statistics still = computeStatistics(zeros);
  EXPECT_EQ(still.standardDeviation, 0.0);
  EXPECT_FALSE(still.noise) << "0 / 0 is not a number";
}

TEST(MetricColumns, EachIsCompleteAndFinite) {
  const std::vector<double> samples = {1, 2, 3, 4, 5, 6, 7, 8};
  const Statistics many = computeStatistics(samples);
  const Statistics none;
  for (const MetricColumn& column : metricColumns()) {
    EXPECT_FALSE(column.title.empty() || column.description.empty()) << column.id;
    EXPECT_EQ(findMetricColumn(column.id), &column);
    ASSERT_TRUE(column.value(many)) << column.id;
    EXPECT_TRUE(std::isfinite(*column.value(many))) << column.id;
    EXPECT_EQ(column.value(none).has_value(), column.unit == MetricColumn::Unit::Samples) << column.id;
  }
  EXPECT_EQ(findMetricColumn("mode"), nullptr);
  EXPECT_EQ(findMetricColumn("p95")->value(many), many.p95);
}

}  // namespace
}  // namespace opscope::report
