// SPDX-License-Identifier: Apache-2.0
#include "engine/report/comparison.h"

#include <gtest/gtest.h>

#include <cmath>

#include "engine/report/comparison_words.h"
#include "engine/report/sequence_alignment.h"
#include "tests/report/comparison_runs.h"

namespace opscope::report {
namespace {

std::shared_ptr<const Comparison> compared(const Document& a, const Document& b,
                                           Matching matching = Matching::ByName) {
  CompareOptions options;
  options.matching = matching;
  return compareDocuments(a, b, options);
}

const ComparedOp& opOf(const Comparison& comparison, std::string_view name) {
  for (const ComparedOp& op : comparison.ops) {
    if (op.shown().name == name) return op;
  }
  ADD_FAILURE() << "no op " << name;
  return comparison.total;
}

/// "a=a b=- -=c": names on both sides.
std::string pairsOf(const Comparison& comparison) {
  std::string text;
  for (const ComparedOp& op : comparison.ops) {
    if (!text.empty()) text += ' ';
    text += (op.a ? op.a->name : "-") + "=" + (op.b ? op.b->name : "-");
  }
  return text;
}

TEST(Comparison, HasAVerdictForEachOp) {
  const Document a =
      madeDocument({{"conv", 10000}, {"relu", 2000}, {"softmax", 3000}, {"old", 500}}, 30, 0.005, 1);
  const Document b =
      madeDocument({{"conv", 12000}, {"relu", 1500}, {"softmax", 3000}, {"fresh", 700}}, 30, 0.005, 2);
  const auto comparison = compared(a, b);
  EXPECT_EQ(opOf(*comparison, "conv").verdict, Verdict::Slower);
  EXPECT_NEAR(*opOf(*comparison, "conv").ratio, 1.2, 0.01);
  EXPECT_LT(*opOf(*comparison, "conv").ratioLow, 1.2);
  EXPECT_GT(*opOf(*comparison, "conv").ratioHigh, 1.19);
  EXPECT_EQ(opOf(*comparison, "relu").verdict, Verdict::Faster);
  EXPECT_EQ(opOf(*comparison, "softmax").verdict, Verdict::Same);
  EXPECT_EQ(opOf(*comparison, "old").verdict, Verdict::Gone);
  EXPECT_EQ(opOf(*comparison, "fresh").verdict, Verdict::New);
  EXPECT_EQ(comparison->total.verdict, Verdict::Slower);
  EXPECT_EQ(countWords(*comparison), "1 slower, 1 faster, 1 same, 1 new, 1 gone");
  EXPECT_TRUE(comparison->differences.empty());
}

TEST(Comparison, OfFewOrNoisyRepeatsSaysHowManyMore) {
  const auto few =
      compared(madeDocument({{"conv", 10000}}, 4, 0.001, 1), madeDocument({{"conv", 20000}}, 4, 0.001, 2));
  EXPECT_EQ(few->ops.front().verdict, Verdict::TooNoisy);
  EXPECT_EQ(verdictWords(few->ops.front()), "too noisy: about 1 more repeat");
  EXPECT_FALSE(few->warnings.empty());
  const auto noisy =
      compared(madeDocument({{"conv", 10000}}, 20, 0.2, 1), madeDocument({{"conv", 10100}}, 20, 0.2, 2));
  const ComparedOp& op = noisy->ops.front();
  EXPECT_EQ(op.verdict, Verdict::TooNoisy);
  ASSERT_TRUE(op.moreRepeats);
  EXPECT_GT(*op.moreRepeats, 30u);
  EXPECT_LT(*op.moreRepeats, 20000u);
  EXPECT_EQ(verdictWords(op).rfind("too noisy: about ", 0), 0u);
}

TEST(Comparison, SaysWhyAnOpIsTooNoisy) {
  const auto few =
      compared(madeDocument({{"conv", 10000}}, 4, 0.001, 1), madeDocument({{"conv", 20000}}, 4, 0.001, 2));
  EXPECT_EQ(few->ops.front().reason, VerdictReason::FewRepeats);
  EXPECT_EQ(few->ops.front().why, "4 repeats are too few: 5 are needed at least");
  EXPECT_EQ(noisyWords(few->ops.front()),
            "4 repeats are too few: 5 are needed at least; about 1 more repeat");
  const auto wide =
      compared(madeDocument({{"conv", 10000}}, 20, 0.2, 1), madeDocument({{"conv", 10100}}, 20, 0.2, 2));
  EXPECT_EQ(wide->ops.front().reason, VerdictReason::IntervalHoldsOne);
  EXPECT_EQ(wide->ops.front().why, "the interval holds 1");
}

TEST(Comparison, ManyTestsOfFewRepeatsAreToldAsTheReason) {
  // Far apart, and yet 5 repeats of each cannot become significant among as many ops.
  std::vector<MadeOp> a;
  for (int i = 0; i < 45; ++i) a.push_back({"op_" + std::to_string(i), 10000});
  std::vector<MadeOp> b = a;
  b[7].ns = 8500;
  const auto comparison = compared(madeDocument(a, 5, 0.01, 1), madeDocument(b, 5, 0.01, 2));
  const ComparedOp& op = opOf(*comparison, "op_7");
  ASSERT_TRUE(op.ratioHigh);
  EXPECT_LT(*op.ratioHigh, 0.95);
  EXPECT_EQ(op.verdict, Verdict::TooNoisy);
  EXPECT_EQ(op.reason, VerdictReason::ManyTests);
  EXPECT_EQ(op.why, "5 repeats are too few for 46 tests: p 0.37 after correction");
  EXPECT_EQ(op.moreRepeats, 2u);
  const auto enough = compared(madeDocument(a, 7, 0.01, 1), madeDocument(b, 7, 0.01, 2));
  EXPECT_EQ(opOf(*enough, "op_7").reason, VerdictReason::Significant);
}

TEST(Comparison, EachVerdictHasTheReasonThatItRestsOn) {
  const auto comparison = compared(madeDocument({{"conv", 10000}, {"soft", 3000}, {"old"}}, 50, 0.005, 1),
                                   madeDocument({{"conv", 12000}, {"soft", 3000}, {"new"}}, 50, 0.005, 2));
  EXPECT_EQ(opOf(*comparison, "conv").reason, VerdictReason::Significant);
  EXPECT_EQ(opOf(*comparison, "conv").why, "p below 0.001 after correction");
  EXPECT_EQ(opOf(*comparison, "soft").reason, VerdictReason::IntervalWithin);
  EXPECT_EQ(opOf(*comparison, "soft").why, "the interval lies within the minimum effect of 2 %");
  EXPECT_EQ(opOf(*comparison, "old").reason, VerdictReason::None);
  EXPECT_EQ(opOf(*comparison, "new").reason, VerdictReason::None);
  for (const ComparedOp& op : comparison->ops) EXPECT_EQ(noisyWords(op), "");
}

TEST(Comparison, MoreRepeatsAsSaidDoHelp) {
  int helped = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto first = compared(madeDocument({{"conv", 1e4}}, 10, 0.03, seed),
                                madeDocument({{"conv", 1e4}}, 10, 0.03, seed + 50));
    const auto more = first->ops.front().moreRepeats;
    if (!more) continue;
    const auto repeats = static_cast<std::uint32_t>(10 + *more);
    const auto second = compared(madeDocument({{"conv", 1e4}}, repeats, 0.03, seed + 100),
                                 madeDocument({{"conv", 1e4}}, repeats, 0.03, seed + 150));
    helped += second->ops.front().verdict == Verdict::Same ? 1 : 0;
  }
  EXPECT_GE(helped, 10);
}

TEST(Comparison, MinimumEffectIsASetting) {
  const Document a = madeDocument({{"conv", 10000}}, 50, 0.002, 1);
  const Document b = madeDocument({{"conv", 10300}}, 50, 0.002, 2);
  CompareOptions options;
  EXPECT_EQ(compareDocuments(a, b, options)->ops.front().verdict, Verdict::Slower);
  options.minimumEffect = 0.05;
  EXPECT_EQ(compareDocuments(a, b, options)->ops.front().verdict, Verdict::Same);
}

TEST(Comparison, ByPositionSurvivesInsertedAndRemovedCalls) {
  const Document a =
      madeDocument({{"pad"}, {"conv"}, {"relu"}, {"conv"}, {"relu"}, {"pool"}, {"dense"}}, 10, 0.01, 1);
  const Document b =
      madeDocument({{"conv"}, {"relu"}, {"cast"}, {"conv"}, {"relu"}, {"dense"}, {"softmax"}}, 10, 0.01, 2);
  EXPECT_EQ(pairsOf(*compared(a, b, Matching::ByPosition)),
            "pad=- conv=conv relu=relu -=cast conv=conv relu=relu pool=- dense=dense -=softmax");
}

TEST(Comparison, KnowsKernelsThatWereNumberedAnew) {
  const Document a = madeDocument(
      {{"fused_conv2d18_add11", 1000, "f[1]"}, {"fused_conv2d17_add12", 1000, "f[2]"}}, 8, 0.01, 1);
  const Document b =
      madeDocument({{"fused_conv2d2_add3", 1000, "f[1]"}, {"fused_conv2d_add2", 1000, "f[2]"}}, 8, 0.01, 2);
  for (const Matching matching : {Matching::ByPosition, Matching::ByName}) {
    const auto comparison = compared(a, b, matching);
    EXPECT_EQ(comparison->ops.size(), 2u);
    EXPECT_EQ(opOf(*comparison, "fused_conv2d_add2").a->name, "fused_conv2d17_add12");
    EXPECT_EQ(opOf(*comparison, "fused_conv2d_add2").note, "was fused_conv2d17_add12");
  }
  EXPECT_EQ(nameStem("fused_conv2d18_add11_relu"), "fused_conv2d_add_relu");
  EXPECT_EQ(nameStem("_7__a_12"), "_7__a_12");
}

TEST(Comparison, OfOtherShapesSaysSo) {
  const Document a = madeDocument({{"dense", 1000, "f[4, 8]"}, {"relu", 10, "f[4, 8]"}}, 8, 0.01, 1);
  const Document b = madeDocument({{"dense", 4000, "f[16, 8]"}, {"relu", 10, "f[4, 8]"}}, 8, 0.01, 2);
  const auto comparison = compared(a, b);
  EXPECT_EQ(pairsOf(*comparison), "dense=dense relu=relu");
  EXPECT_EQ(comparison->ops.front().note, "shapes were f[4, 8]");
}

TEST(Comparison, ByNamePutsCallsOfOneOpTogether) {
  const Document a = madeDocument({{"conv", 1000}, {"relu", 10}, {"conv", 3000}}, 10, 0.001, 1);
  const auto comparison = compared(a, a);
  ASSERT_EQ(comparison->ops.size(), 2u);
  EXPECT_NEAR(opOf(*comparison, "conv").a->valueUs, 4, 0.01);
  EXPECT_EQ(opOf(*comparison, "conv").a->calls, 2);
  EXPECT_EQ(comparison->total.verdict, Verdict::Same);
}

TEST(Comparison, WithoutSamplesComparesValues) {
  const Document a = importReport(*madeDocument({{"conv", 10000}, {"relu", 2000}}, 10, 0.01, 1).report);
  const Document b = importReport(*madeDocument({{"conv", 12000}, {"relu", 2000}}, 10, 0.01, 2).report);
  const auto comparison = compared(a, b);
  EXPECT_FALSE(comparison->hasSamples);
  const ComparedOp& conv = opOf(*comparison, "conv");
  EXPECT_EQ(conv.verdict, Verdict::NoSamples);
  EXPECT_NEAR(*conv.ratio, 1.2, 0.02);
  EXPECT_FALSE(conv.p || conv.ratioLow || conv.moreRepeats);
  EXPECT_EQ(comparison->total.verdict, Verdict::NoSamples);
  ASSERT_EQ(comparison->warnings.size(), 1u);
  EXPECT_TRUE(failsAbove(conv, 10));
  EXPECT_FALSE(failsAbove(conv, 30));
}

TEST(Comparison, FailsAboveAPercentageOnlyWhenSlower) {
  const Document a = madeDocument({{"conv", 10000}, {"relu", 2000}}, 30, 0.005, 1);
  const Document b = madeDocument({{"conv", 11000}, {"relu", 1000}}, 30, 0.005, 2);
  const auto comparison = compared(a, b);
  EXPECT_EQ(failuresAbove(*comparison, 5).size(), 1u) << "conv; the total is about the same";
  EXPECT_EQ(failuresAbove(*comparison, 5).front()->shown().name, "conv");
  EXPECT_TRUE(failuresAbove(*comparison, 15).empty());
  EXPECT_TRUE(failuresAbove(*compared(b, a), 5000).empty());
  const auto noisy =
      compared(madeDocument({{"conv", 1e4}}, 4, 0.01, 1), madeDocument({{"conv", 3e4}}, 4, 0.01, 2));
  EXPECT_TRUE(failuresAbove(*noisy, 5).empty()) << "too noisy is no failure";
}

TEST(Comparison, ADriftHidesChangesSmallerThanItself) {
  report::Run drifting = *madeDocument({{"conv", 10000}}, 40, 0.002, 1).run;
  for (std::size_t i = 0; i < 40; ++i) {
    drifting.ownNs[i] *= 1 + 0.002 * static_cast<double>(i);
    drifting.totals.front().totalNs[i] = drifting.ownNs[i];
  }
  const Document b = makeDocument(shared(drifting));
  const auto comparison = compared(madeDocument({{"conv", 10000}}, 40, 0.002, 2), b);
  const ComparedOp& conv = opOf(*comparison, "conv");
  EXPECT_EQ(conv.verdict, Verdict::TooNoisy);
  EXPECT_EQ(conv.reason, VerdictReason::Drift);
  EXPECT_EQ(conv.note.rfind("drifts over the run by 7.", 0), 0u) << conv.note;
  ASSERT_FALSE(comparison->warnings.empty());
  EXPECT_EQ(comparison->warnings.front().message.rfind("The total drifts in B: it grows by 7.", 0), 0u)
      << comparison->warnings.front().message;
}

TEST(Comparison, SaysWhatElseDiffers) {
  report::Run a = *madeDocument({{"conv"}}, 6, 0.01, 1).run;
  report::Run b = a;
  a.executableHash = "11";
  b.executableHash = "22";
  b.function = "decode";
  a.inputs = "x float32 [1]";
  b.inputs = "x float32 [4]";
  b.totals.front().device = "cuda0";
  b.configuration.set("Number of threads", Count{4});
  a.configuration.set("Number of threads", Count{2});
  const auto comparison = compared(makeDocument(shared(a)), makeDocument(shared(b)));
  const std::vector<std::string> expected = {
      "net.so has changed between A and B.", "Function: main in A, decode in B.",
      "Inputs: x float32 [1] in A, x float32 [4] in B.", "Device: cpu0 in A, cuda0 in B.",
      "Number of threads: 2 in A, 4 in B."};
  EXPECT_EQ(comparison->differences, expected);
}

TEST(Comparison, OfWhatIsTooShortToMeasureHasNoVerdict) {
  report::Run a = *madeDocument({{"conv", 10000}, {"nothing", 20}}, 30, 0.01, 1).run;
  report::Run b = *madeDocument({{"conv", 10000}, {"nothing", 40}}, 30, 0.01, 2).run;
  a.timing = b.timing = Timing{0.5, 53};
  const auto comparison = compared(makeDocument(shared(a)), makeDocument(shared(b)));
  EXPECT_EQ(opOf(*comparison, "nothing").verdict, Verdict::TooNoisy);
  EXPECT_EQ(opOf(*comparison, "nothing").note, "too short to measure");
  EXPECT_EQ(opOf(*comparison, "nothing").reason, VerdictReason::TooShort);
  EXPECT_FALSE(opOf(*comparison, "nothing").p);
}

void expectSound(const ComparedOp& op) {
  const auto positive = [](std::optional<double> value) {
    return !value || (std::isfinite(*value) && *value >= 0);
  };
  EXPECT_TRUE(positive(op.ratio) && positive(op.ratioLow) && positive(op.ratioHigh));
  EXPECT_TRUE(positive(op.p) && op.p.value_or(0) <= 1);
  EXPECT_TRUE(positive(op.adjustedP) && op.adjustedP.value_or(0) <= 1);
  for (const auto& side : {op.a, op.b}) {
    if (!side) continue;
    EXPECT_TRUE(std::isfinite(side->valueUs) && side->valueUs >= 0);
    EXPECT_TRUE(positive(side->noise));
    EXPECT_TRUE(std::isfinite(side->driftPart.value_or(0)));
  }
  for (const std::string& text : {verdictWords(op), changeWords(op.ratio), intervalWords(op), op.note}) {
    EXPECT_EQ(text.find("nan"), std::string::npos) << text;
    EXPECT_EQ(text.find("inf"), std::string::npos) << text;
    EXPECT_EQ(text.find("e+"), std::string::npos) << text;
  }
}

TEST(Comparison, OfDegenerateSamplesInventsNothing) {
  const double kValues[] = {0, 5e-324, 1e-9, 1, 1000, 1e17};
  for (const std::uint32_t repeats : {1u, 2u, 5u, 30u}) {
    for (const double x : kValues) {
      for (const double y : kValues) {
        const Document a = madeDocument({{"op", x}, {"only a", x}}, repeats, 0, 1);
        const Document b = madeDocument({{"op", y}, {"only b", y}}, repeats, 0, 2);
        for (const Matching matching : {Matching::ByPosition, Matching::ByName}) {
          const auto comparison = compared(a, b, matching);
          expectSound(comparison->total);
          for (const ComparedOp& op : comparison->ops) expectSound(op);
          EXPECT_EQ(comparison->ops.size(), 3u);
        }
      }
    }
  }
}

TEST(Comparison, OfRandomReportsIsSound) {
  std::mt19937 random(17);
  for (int round = 0; round < 60; ++round) {
    const Document a = importReport(randomReport(random));
    const Document b = importReport(randomReport(random));
    for (const Matching matching : {Matching::ByPosition, Matching::ByName}) {
      const auto comparison = compared(a, b, matching);
      expectSound(comparison->total);
      for (const ComparedOp& op : comparison->ops) expectSound(op);
    }
  }
}

TEST(Words, OfChanges) {
  EXPECT_EQ(changeWords(1.0523), "+5.2 %");
  EXPECT_EQ(changeWords(0.9), "−10.0 %");
  EXPECT_EQ(changeWords(1.0001), "±0.0 %");
  EXPECT_EQ(changeWords(12.5), "×12.5");
  EXPECT_EQ(changeWords(std::nullopt), "");
}

TEST(Alignment, IsTheLongestCommonSubsequence) {
  std::mt19937 random(3);
  for (int round = 0; round < 400; ++round) {
    std::vector<std::uint32_t> a;
    std::vector<std::uint32_t> b;
    for (unsigned i = random() % 14; i > 0; --i) a.push_back(random() % 4);
    for (unsigned i = random() % 14; i > 0; --i) b.push_back(random() % 4);
    std::vector<std::vector<std::size_t>> best(a.size() + 1, std::vector<std::size_t>(b.size() + 1, 0));
    for (std::size_t i = 0; i < a.size(); ++i) {
      for (std::size_t j = 0; j < b.size(); ++j) {
        best[i + 1][j + 1] = a[i] == b[j] ? best[i][j] + 1 : std::max(best[i][j + 1], best[i + 1][j]);
      }
    }
    const IndexPairs pairs = alignSequences(a, b);
    EXPECT_EQ(pairs.size(), best[a.size()][b.size()]);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      EXPECT_EQ(a[pairs[i].first], b[pairs[i].second]);
      EXPECT_TRUE(i == 0 || (pairs[i - 1].first < pairs[i].first && pairs[i - 1].second < pairs[i].second));
    }
  }
}

TEST(Alignment, OfLongAndQuiteDifferentSequencesEnds) {
  std::mt19937 random(4);
  std::vector<std::uint32_t> a;
  std::vector<std::uint32_t> b;
  for (std::uint32_t i = 0; i < 200000; ++i) {
    if (random() % 4 != 0) a.push_back(i);
    if (random() % 4 != 0) b.push_back(i);
  }
  const IndexPairs pairs = alignSequences(a, b);
  EXPECT_GT(pairs.size(), 100000u);
  for (std::size_t i = 1; i < pairs.size(); ++i) ASSERT_LT(pairs[i - 1].second, pairs[i].second);
}

}  // namespace
}  // namespace opscope::report
