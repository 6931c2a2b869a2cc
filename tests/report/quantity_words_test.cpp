// SPDX-License-Identifier: Apache-2.0
#include "engine/report/quantity_words.h"

#include <gtest/gtest.h>

namespace opscope::report {
namespace {

TEST(QuantityWords, Durations) {
  const std::pair<double, const char*> cases[] = {
      {0, "below 1 ns"},          {0.99, "below 1 ns"},    {1, "1 ns"},
      {999.4, "999 ns"},          {999.5, "1.0 µs"},       {12'340, "12.3 µs"},
      {999'940, "999.9 µs"},      {999'950, "1.00 ms"},    {12'340'000, "12.34 ms"},
      {999'994'000, "999.99 ms"}, {999'995'000, "1.00 s"}, {1.5e9, "1.50 s"},
  };
  for (const auto& [ns, words] : cases) EXPECT_EQ(durationWords(ns), words) << ns;
}

TEST(QuantityWords, TimesToCompareHaveThreeDigits) {
  EXPECT_EQ(timeWords(0), "too short");
  EXPECT_EQ(timeWords(0.0123), "12.3 ns");
  EXPECT_EQ(timeWords(0.9999), "1.00 µs");
  EXPECT_EQ(timeWords(12345), "12.3 ms");
  EXPECT_EQ(timeWords(1.5e9), "1500 s");
}

TEST(QuantityWords, HeadlinesChangeUnitsAndDigits) {
  struct Case {
    double us, value;
    int decimals;
    const char* unit;
  };
  for (const Case& c : {Case{999, 999, 1, "µs"}, Case{1000, 1, 2, "ms"}, Case{10'000, 10, 1, "ms"},
                        Case{9'999'000, 9999, 1, "ms"}, Case{1e7, 10, 1, "s"}}) {
    const HeadlineTime time = headlineTime(c.us);
    EXPECT_DOUBLE_EQ(time.value, c.value);
    EXPECT_EQ(time.decimals, c.decimals) << c.us;
    EXPECT_EQ(time.unit, c.unit);
  }
}

TEST(QuantityWords, PartsEndAtTheWholeAndChangesDoNot) {
  for (const auto words : {percentWords, partWords}) {
    EXPECT_EQ(words(0), "below 0.1 %");
    EXPECT_EQ(words(0.04), "below 0.1 %");
    EXPECT_EQ(words(51.26), "51.3 %");
    EXPECT_EQ(words(99.97), "over 99.9 %");
  }
  EXPECT_EQ(percentWords(100), "100.0 %");
  EXPECT_EQ(percentWords(150.04), "150.0 %");
  EXPECT_EQ(partWords(100), "100 %");
  EXPECT_EQ(partWords(150), "100 %");
}

}  // namespace
}  // namespace opscope::report
