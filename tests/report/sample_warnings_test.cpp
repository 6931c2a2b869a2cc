// SPDX-License-Identifier: Apache-2.0
#include "engine/report/sample_warnings.h"

#include <gtest/gtest.h>

#include "engine/report/fitted_table.h"
#include "engine/report/measuring_limit.h"
#include "tests/report/comparison_runs.h"

namespace opscope::report {
namespace {

/// All messages, one a line.
std::string said(const report::Run& run) {
  std::string text;
  for (const Warning& warning : sampleWarnings(run)) text += warning.message + "\n";
  return text;
}

/// One op, whose samples are the totals.
report::Run runOf(const std::vector<double>& samples) {
  report::Run run = *madeDocument({{"conv", 1}}, static_cast<std::uint32_t>(samples.size()), 0, 1).run;
  run.ownNs = run.inclusiveNs = samples;
  run.totals.front().totalNs = samples;
  return run;
}

TEST(SampleWarnings, SayNothingOfAQuietRun) {
  EXPECT_EQ(said(*madeDocument({{"conv", 1e4}, {"relu", 1e3}}, 30, 0.01, 1).run), "");
  EXPECT_EQ(said(*madeDocument({{"conv", 1e4}}, 1, 0, 1).run), "");
  EXPECT_EQ(said(runOf(std::vector<double>(40, 0.0))), "");
  EXPECT_EQ(said(*importReport(*madeDocument({{"conv", 1e4}}, 3, 0, 1).report).run), "");
}

TEST(SampleWarnings, SayWhatDrifts) {
  std::vector<double> samples;
  for (int i = 0; i < 41; ++i) samples.push_back(10000 + 20 * i);
  EXPECT_EQ(said(runOf(samples)),
            "The total grew over the run: 10.1 µs in the first quarter of the repeats, 10.7 µs in the last.\n"
            "conv became slower over the run: 10.1 µs in the first quarter of the repeats, 10.7 µs in the "
            "last.\n");
}

TEST(SampleWarnings, SayTrulyHowFarALargeChangeWent) {
  // The slope over the whole run is more than the median: "shrank by 105 %" would be nonsense.
  std::vector<double> samples;
  for (int i = 0; i < 40; ++i) samples.push_back(1e6 / (1 + i) + 1000);
  const std::string words = said(runOf(samples));
  EXPECT_EQ(words.find('%'), std::string::npos) << words;
  const std::string change = ": 184 µs in the first quarter of the repeats, 29.2 µs in the last.\n";
  EXPECT_NE(words.find("The total shrank over the run" + change), std::string::npos) << words;
  EXPECT_NE(words.find("conv became faster over the run" + change), std::string::npos) << words;
}

TEST(SampleWarnings, SayWhatHasTwoModes) {
  std::vector<double> samples;
  for (int i = 0; i < 40; ++i) samples.push_back((i % 5 < 2 ? 63000 : 87000) + 100 * (i * 7 % 11));
  EXPECT_EQ(said(runOf(samples)),
            "The total has two modes: 63.5 µs in 40 % of the repeats, 87.5 µs in the others.\n"
            "conv ran at two speeds.\n");
}

TEST(SampleWarnings, CountOutliers) {
  std::vector<double> samples;
  for (int i = 0; i < 40; ++i) samples.push_back(i == 17 ? 50000 : 10000 + i * 7 % 11);
  EXPECT_EQ(said(runOf(samples)), "1 of 40 repeats is far out; it counts in all numbers.\n");
}

TEST(MeasuringLimit, IsThatOfClockAndRecording) {
  report::Run run;
  EXPECT_FALSE(isTooShort(run, 0.1, 1));
  EXPECT_TRUE(isTooShort(run, 0, 1));
  run.timing = Timing{0.5, 53};
  EXPECT_EQ(leastMeasurableNs(run), 53);
  EXPECT_TRUE(isTooShort(run, 52, 1));
  EXPECT_FALSE(isTooShort(run, 54, 1));
  EXPECT_TRUE(isTooShort(run, 100, 2));
  run.timing = Timing{41.7, 100};  // a clock of 24 MHz
  EXPECT_EQ(leastMeasurableNs(run), 417);
}

TEST(FittedTable, TellsWhatIsTooShortInWordsAndSumsItAllTheSame) {
  report::Run run = *madeDocument({{"conv", 10000}, {"nothing", 20}}, 8, 0.01, 1).run;
  run.timing = Timing{0.5, 53};
  const FittedTable table = toFittedTable(makeDocument(shared(run)), {}, 120);
  const std::size_t row = table.text.find("\nnothing");
  ASSERT_NE(row, std::string::npos) << table.text;
  const std::string line = table.text.substr(row + 1, table.text.find('\n', row + 1) - row - 1);
  EXPECT_NE(line.find("too short"), std::string::npos) << line;
  EXPECT_EQ(line.find("0.0"), std::string::npos) << line;
  EXPECT_NE(table.text.find("Sum"), std::string::npos);
  EXPECT_NE(table.text.find("10.0"), std::string::npos) << table.text;
}

}  // namespace
}  // namespace opscope::report
