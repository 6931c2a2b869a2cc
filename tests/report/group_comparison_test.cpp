// SPDX-License-Identifier: Apache-2.0
// Groups of runs held against each other: the spread between runs counts.
#include <gtest/gtest.h>

#include <cmath>

#include "engine/report/comparison.h"
#include "engine/report/comparison_formats.h"
#include "engine/report/comparison_words.h"
#include "engine/report/student.h"
#include "tests/report/comparison_runs.h"

namespace opscope::report {
namespace {

constexpr std::uint32_t kRepeats = 20;

/// Runs of `ops`, each run as a whole faster or slower by nearly normal `between` (part of the time).
std::vector<Document> group(const std::vector<MadeOp>& ops, std::size_t runs, double between,
                            std::uint64_t seed) {
  Draws draws(seed);
  std::vector<Document> documents;
  for (std::size_t i = 0; i < runs; ++i) {
    std::vector<MadeOp> moved = ops;
    for (MadeOp& op : moved) op.ns *= 1 + between * draws.nearlyNormal();
    documents.push_back(madeDocument(moved, kRepeats, 0.005, seed * 1000 + i));
  }
  return documents;
}

std::shared_ptr<const Comparison> compared(const std::vector<Document>& a, const std::vector<Document>& b) {
  return compareGroups(poolRuns(a), poolRuns(b), {});
}

const ComparedOp& opNamed(const Comparison& comparison, const std::string& name) {
  for (const ComparedOp& op : comparison.ops) {
    if (op.shown().name == name) return op;
  }
  ADD_FAILURE() << name << " is not there";
  return comparison.total;
}

bool alarms(const Comparison& comparison) {
  return comparison.count(Verdict::Faster) + comparison.count(Verdict::Slower) > 0 ||
         comparison.total.verdict == Verdict::Faster || comparison.total.verdict == Verdict::Slower;
}

const std::vector<MadeOp> kOps = {{"conv2d", 50000}, {"dense", 20000}, {"relu", 9000}, {"add", 4000}};

TEST(Student, FollowsTheClosedForms) {
  for (const double t : {0.001, 0.5, 1.0, 2.0, 8.6, 40.0, 1000.0}) {
    EXPECT_NEAR(studentP(t, 1), 1 - 2 / M_PI * std::atan(t), 1e-12) << t;
    EXPECT_NEAR(studentP(t, 2), 1 - t / std::sqrt(2 + t * t), 1e-12) << t;
    const double sine = t / std::sqrt(4 + t * t);
    EXPECT_NEAR(studentP(-t, 4), 1 - sine * (1 + (1 - sine * sine) / 2), 1e-12) << t;
  }
  EXPECT_EQ(studentP(0, 3), 1);
  EXPECT_EQ(studentP(1e200, 3), 0);
  EXPECT_NEAR(studentP(1.959964, 1e7), 0.05, 1e-6) << "the normal distribution's, for many degrees";
  EXPECT_NEAR(studentT(0.05, 4), 2.776445105197799, 1e-9);
  EXPECT_NEAR(studentT(0.05, 1), 12.706204736174698, 1e-8);
}

TEST(Pool, HoldsTheSamplesOfAllRuns) {
  const auto documents = group(kOps, 3, 0.01, 1);
  const RunPool pool = poolRuns(documents);
  const report::Run& run = *pool.document.run;
  EXPECT_EQ(run.repeats, 3 * kRepeats);
  EXPECT_EQ(run.calls.size(), kOps.size());
  EXPECT_EQ(pool.firstRepeats, (std::vector<std::uint32_t>{0, kRepeats, 2 * kRepeats, 3 * kRepeats}));
  const OpTable table = buildOpTable(pool.document, Grouping::ByOp);
  const auto samples = samplesByRun(pool, table.callsOf(table.rows.front()));
  ASSERT_EQ(samples.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    const OpTable own = buildOpTable(documents[i], Grouping::ByOp);
    EXPECT_EQ(samples[i], samplesOf(*documents[i].run, own.callsOf(own.rows.front())));
  }
  for (const DeviceTotal& total : run.totals) EXPECT_EQ(total.totalNs.size(), run.repeats);
}

TEST(Pool, AnOpThatOneRunLacksIsOfTheOthers) {
  auto documents = group(kOps, 2, 0.01, 2);
  documents.push_back(madeDocument({kOps[0], kOps[1]}, kRepeats, 0.005, 3));
  const auto comparison = compared(documents, group(kOps, 3, 0.01, 4));
  const ComparedOp& relu = opNamed(*comparison, "relu");
  EXPECT_EQ(relu.a->samples, 2 * kRepeats);
  EXPECT_NE(relu.note.find("in 2 of 3 runs of A"), std::string::npos) << relu.note;
  EXPECT_EQ(opNamed(*comparison, "conv2d").note, "");
}

TEST(Groups, OfOneRunEachAreTheRuns) {
  const Document a = madeDocument(kOps, 30, 0.01, 1);
  const Document b = madeDocument(kOps, 30, 0.01, 2);
  const auto alone = compareDocuments(a, b, {});
  const auto pooled = compared({a}, {b});
  EXPECT_FALSE(pooled->isOfGroups());
  const ComparisonContext context{"a", "b", {}};
  EXPECT_EQ(toComparisonJson(*alone, context), toComparisonJson(*pooled, context));
}

TEST(Groups, TheSpreadBetweenRunsRaisesNoAlarm) {
  int alone = 0;
  int grouped = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const auto a = group(kOps, 4, 0.04, seed);
    const auto b = group(kOps, 4, 0.04, seed + 5000);
    alone += alarms(*compareDocuments(a.front(), b.front(), {})) ? 1 : 0;
    grouped += alarms(*compared(a, b)) ? 1 : 0;
  }
  std::printf("of 200 tries %d alarms between single runs, %d between groups\n", alone, grouped);
  EXPECT_GT(alone, 100) << "single runs cannot see how much runs vary";
  EXPECT_LE(grouped, 10);
}

TEST(Groups, FindAChangeThatIsLargerThanTheSpread) {
  std::vector<MadeOp> changed = kOps;
  changed[1].ns *= 1.3;
  int found = 0;
  int others = 0;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const auto comparison = compared(group(kOps, 5, 0.01, seed), group(changed, 5, 0.01, seed + 5000));
    found += opNamed(*comparison, "dense").verdict == Verdict::Slower ? 1 : 0;
    others += opNamed(*comparison, "conv2d").verdict == Verdict::Slower ? 1 : 0;
  }
  EXPECT_EQ(found, 50);
  EXPECT_LE(others, 3);
}

TEST(Groups, TooNoisyAsksForRuns) {
  const auto comparison = compared(group(kOps, 3, 0.05, 7), group(kOps, 3, 0.05, 8));
  const ComparedOp& op = opNamed(*comparison, "conv2d");
  ASSERT_EQ(op.verdict, Verdict::TooNoisy);
  ASSERT_TRUE(op.moreRuns.has_value());
  EXPECT_FALSE(op.moreRepeats.has_value());
  EXPECT_NE(verdictWords(op).find("more run"), std::string::npos);
  EXPECT_EQ(op.a->runMediansUs.size(), 3u);
  ASSERT_TRUE(op.a->betweenRuns.has_value());
  ASSERT_TRUE(op.ratioLow && op.ratioHigh);
  EXPECT_LE(*op.ratioLow, *op.ratio);
  EXPECT_GE(*op.ratioHigh, *op.ratio);
}

TEST(Groups, OneRunAgainstAGroupSaysWhatItCannotTell) {
  const auto comparison = compared(group(kOps, 1, 0, 9), group(kOps, 5, 0.03, 10));
  ASSERT_FALSE(comparison->warnings.empty());
  EXPECT_NE(comparison->warnings.back().message.find("One run in A"), std::string::npos)
      << comparison->warnings.back().message;
}

TEST(Groups, RunsThatAreNotAlikeAreTold) {
  auto documents = group(kOps, 3, 0.01, 11);
  report::Run other = *documents[1].run;
  other.inputs = "x float32 [2, 3] random:0";
  other.executableHash = "1234";
  documents[1] = makeDocument(shared(std::move(other)));
  const auto comparison = compared(documents, group(kOps, 3, 0.01, 12));
  bool told = false;
  for (const Warning& warning : comparison->warnings)
    told = told || warning.message.find("different executables, inputs") != std::string::npos;
  EXPECT_TRUE(told);
}

TEST(Groups, NewAndGoneOpsAreFound) {
  std::vector<MadeOp> changed = kOps;
  changed[3].name = "subtract";
  const auto comparison = compared(group(kOps, 3, 0.01, 13), group(changed, 2, 0.01, 14));
  EXPECT_EQ(opNamed(*comparison, "subtract").verdict, Verdict::New);
  EXPECT_EQ(opNamed(*comparison, "add").verdict, Verdict::Gone);
}

}  // namespace
}  // namespace opscope::report
