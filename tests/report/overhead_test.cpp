// SPDX-License-Identifier: Apache-2.0
#include "engine/report/overhead.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "engine/report/run_report.h"
#include "engine/report/samples_json.h"
#include "tests/report/sample_run.h"

namespace opscope::report {
namespace {

/// Totals and, where they are not nan, their partners.
Run runOf(const std::vector<double>& totals, const std::vector<double>& unhooked, double calls = 10) {
  Run run;
  run.repeats = run.repeatsWanted = static_cast<std::uint32_t>(totals.size());
  run.totals = {{"cpu0", totals}};
  run.timing = Timing{1, 40};
  Overhead overhead{{}, unhooked, calls};
  for (std::uint32_t i = 0; i < unhooked.size(); ++i) overhead.repeats.push_back(i);
  run.overhead = overhead;
  return run;
}

TEST(Overhead, IsTheMedianOfThePairsWithItsInterval) {
  const report::Run run =
      runOf({10500, 10600, 10400, 10700, 10500, 10500}, {10000, 10000, 10000, 10000, 9000, 10100});
  const auto figures = overheadFigures(run);
  ASSERT_TRUE(figures);
  EXPECT_EQ(figures->outcome, OverheadOutcome::Measured);
  EXPECT_EQ(figures->pairs, 6u);
  EXPECT_DOUBLE_EQ(figures->addedNs, 550);
  EXPECT_DOUBLE_EQ(figures->lowNs, 400);
  EXPECT_DOUBLE_EQ(figures->highNs, 1500);
  EXPECT_DOUBLE_EQ(figures->perCallNs, 55);
  EXPECT_NEAR(figures->percent, 550 / 10500.0 * 100, 1e-9);
  EXPECT_EQ(overheadWords(run),
            "adds 550 ns to a repeat (400 ns to 1.5 µs, 5.2 %), 55 ns to a call; 6 pairs of repeats with and "
            "without");
}

TEST(Overhead, AnIntervalThatHoldsNothingIsNotMeasurable) {
  const report::Run run = runOf({100, 90, 120, 80, 95, 130}, {95, 100, 100, 100, 100, 100});
  EXPECT_EQ(overheadFigures(run)->outcome, OverheadOutcome::NotMeasurable);
  EXPECT_EQ(overheadFigures(run)->addedNs, 0);
  EXPECT_EQ(overheadWords(run),
            "what it adds is not measurable, at most 30 ns a repeat; 6 pairs of repeats with and without; by "
            "the recorder's own cost about 400 ns (10 calls of 40 ns)");
}

TEST(Overhead, RecordedRepeatsThatWereFasterAreNoGain) {
  const report::Run run = runOf({90, 90, 90, 90, 90, 90}, {100, 100, 100, 100, 100, 100}, 0);
  const auto figures = overheadFigures(run);
  EXPECT_EQ(figures->outcome, OverheadOutcome::NotMeasurable);
  EXPECT_FALSE(figures->atMostNs);
  EXPECT_EQ(overheadWords(run), "what it adds is not measurable; 6 pairs of repeats with and without");
}

TEST(Overhead, FewPairsTellNothing) {
  EXPECT_EQ(overheadWords(runOf({100, 100}, {50})),
            "what it adds is not known: 1 pair of repeats with and without, 6 are needed; by the recorder's "
            "own cost about 400 ns (10 calls of 40 ns)");
  EXPECT_EQ(overheadWords(runOf({100, 100}, {})),
            "what it adds was not measured; by the recorder's own cost about 400 ns (10 calls of 40 ns)");
  EXPECT_EQ(overheadWords(sampleRun()), "") << "no statement";
}

TEST(Overhead, NothingIsNanNegativeOrOverAHundredPercent) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> time(0, 1000);
  for (int turn = 0; turn < 2000; ++turn) {
    std::vector<double> totals(random() % 40);
    for (double& total : totals) total = random() % 4 == 0 ? 0 : time(random);
    std::vector<double> unhooked(totals.empty() ? 0 : random() % totals.size());
    for (double& ns : unhooked) ns = random() % 3 == 0 ? 0 : time(random);
    const report::Run run = runOf(totals, unhooked, random() % 2 == 0 ? 0 : 3);
    const auto figures = overheadFigures(run);
    ASSERT_TRUE(figures);
    for (const double value : {figures->addedNs, figures->lowNs, figures->highNs, figures->percent,
                               figures->perCallNs, figures->calculatedNs, figures->atMostNs.value_or(0)}) {
      EXPECT_TRUE(std::isfinite(value) && value >= 0) << value;
    }
    EXPECT_LE(figures->percent, 100);
    const std::string words = overheadWords(run);
    for (const char* bad : {"nan", "inf", "-0", " -"}) EXPECT_EQ(words.find(bad), std::string::npos) << words;
  }
}

TEST(VmShare, IsWhatKernelsDoNotTake) {
  const report::Run run = sampleRun();  // kernels 32 of 40 µs and 46 of 60 µs
  const auto share = vmShareOf(run);
  ASSERT_TRUE(share);
  EXPECT_DOUBLE_EQ(share->ns, 11000);
  EXPECT_DOUBLE_EQ(share->percent, 22);
  EXPECT_EQ(vmShareWords(run), "11.0 µs, 22.0 % of the total");
  EXPECT_FALSE(vmShareOf(report::Run()));
  report::Run none = sampleRun();
  for (Call& call : none.calls) call.kernel = false;
  EXPECT_EQ(vmShareWords(none), "");
}

std::string refused(Overhead overhead) {
  Run run = sampleRun();
  run.overhead = std::move(overhead);
  const auto again = documentFromSamplesJson(toSamplesJson(makeDocument(shared(run))), "a.json");
  return again ? "accepted" : again.error().message + " " + again.error().detail;
}

TEST(Overhead, WrongFilesAreRefused) {
  EXPECT_EQ(refused({{0, 1}, {1, 2}, 3}), "accepted");
  EXPECT_NE(refused({{0, 2}, {1, 2}, 3}).find("overhead.repeats[1]"), std::string::npos);
  EXPECT_NE(refused({{1, 0}, {1, 2}, 3}).find("0 after 1"), std::string::npos);
  EXPECT_NE(refused({{0, 1}, {1}, 3}).find("overhead.unhookedNs"), std::string::npos);
  EXPECT_NE(refused({{0}, {-1}, 3}).find("overhead.unhookedNs[0]"), std::string::npos);
  EXPECT_NE(refused({{0}, {1}, -3}).find("overhead.calls"), std::string::npos);
}

}  // namespace
}  // namespace opscope::report
