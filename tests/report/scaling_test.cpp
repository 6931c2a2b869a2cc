// SPDX-License-Identifier: Apache-2.0
#include "engine/report/scaling.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "engine/base/atomic_file.h"
#include "tests/report/comparison_runs.h"

namespace opscope::report {
namespace {

using nlohmann::json;

TEST(PowerFit, IsScipysLineThroughLogarithms) {
  const auto text = base::readFile(OPSCOPE_TEST_DATA "/statistics/comparison.json");
  ASSERT_TRUE(text);
  const json fits = json::parse(*text)["powerFits"];
  ASSERT_GE(fits.size(), 4u);
  for (const json& set : fits) {
    const auto values = set["values"].get<std::vector<double>>();
    const auto times = set["times"].get<std::vector<double>>();
    const auto ours = fitPower(values, times);
    ASSERT_TRUE(ours);
    EXPECT_NEAR(ours->exponent, set["exponent"].get<double>(), 1e-10);
    EXPECT_NEAR(ours->rSquared, set["rSquared"].get<double>(), 1e-10);
  }
}

TEST(PowerFit, IsNotMadeOfWhatHasNoLogarithm) {
  const std::vector<double> values = {1, 2, 4};
  EXPECT_FALSE(fitPower(values, std::vector<double>{1, 0, 4}));
  EXPECT_FALSE(fitPower(std::vector<double>{2, 2, 2}, values));
  EXPECT_FALSE(fitPower(std::vector<double>{0, -1, 2}, values));
  EXPECT_FALSE(fitPower({}, {}));
  EXPECT_EQ(fitPower(values, std::vector<double>{3, 3, 3})->exponent, 0);
}

ScalingPoint pointOf(std::int64_t value, double noise = 0.005) {
  const auto n = static_cast<double>(value);
  Document document = madeDocument({{"linear", 1000 * n, "f[" + std::to_string(value) + "]"},
                                    {"square", 500 * n * n},
                                    {"fixed", 7000},
                                    {"tiny", 5}},
                                   20, noise, static_cast<std::uint64_t>(value));
  report::Run run = *document.run;
  run.timing = Timing{0.5, 53};
  return {value, makeDocument(shared(run))};
}

const ScalingRow& rowNamed(const Scaling& scaling, std::string_view name) {
  for (const ScalingRow& row : scaling.rows) {
    if (row.name == name) return row;
  }
  ADD_FAILURE() << name;
  return scaling.total;
}

TEST(Scaling, FindsHowEachOpGrows) {
  const std::vector<ScalingPoint> points = {pointOf(1), pointOf(2), pointOf(4), pointOf(8), pointOf(16)};
  const Scaling scaling = buildScaling(points);
  EXPECT_EQ(scaling.values, (std::vector<std::int64_t>{1, 2, 4, 8, 16}));
  EXPECT_NEAR(rowNamed(scaling, "linear").fit->exponent, 1, 0.01);
  EXPECT_NEAR(rowNamed(scaling, "square").fit->exponent, 2, 0.01);
  EXPECT_GT(rowNamed(scaling, "square").fit->rSquared, 0.999);
  EXPECT_EQ(growthWords(rowNamed(scaling, "square"), "n"), "n^2.00");
  EXPECT_EQ(growthWords(rowNamed(scaling, "fixed"), "n"), "constant");
  EXPECT_EQ(growthWords(rowNamed(scaling, "tiny"), "n"), "too short to measure");
  EXPECT_EQ(scaling.rows.front().name, "square") << "the longest at the last value";
  EXPECT_TRUE(scaling.total.fit);
}

TEST(Scaling, GoesOnWithoutValuesThatFailed) {
  const std::vector<ScalingPoint> points = {pointOf(1), {2, {}}, pointOf(4), pointOf(8)};
  const Scaling scaling = buildScaling(points);
  EXPECT_FALSE(rowNamed(scaling, "linear").us[1]);
  EXPECT_NEAR(rowNamed(scaling, "linear").fit->exponent, 1, 0.01);
  const Scaling two = buildScaling(std::span(points).first(3));
  EXPECT_EQ(growthWords(rowNamed(two, "linear"), "n"), "fewer than 3 values measured");
  EXPECT_TRUE(buildScaling({}).rows.empty());
  const std::vector<ScalingPoint> none = {{1, {}}, {2, {}}};
  EXPECT_TRUE(buildScaling(none).rows.empty());
}

TEST(Scaling, DoesNotReadGrowthIntoNoise) {
  std::vector<ScalingPoint> points;
  for (const std::int64_t value : {1, 2, 3, 4}) points.push_back(pointOf(value, 0.3));
  const Scaling scaling = buildScaling(points);
  const ScalingRow& fixed = rowNamed(scaling, "fixed");
  EXPECT_FALSE(fixed.fit && fixed.note.empty()) << growthWords(fixed, "n");
}

}  // namespace
}  // namespace opscope::report
