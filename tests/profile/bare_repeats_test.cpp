// SPDX-License-Identifier: Apache-2.0
#include "engine/profile/bare_repeats.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace opscope::profile {
namespace {

/// The order of repeats: r recorded, - a partner.
std::string orderOf(OverheadCheck check, std::uint32_t repeats, double repeatNs) {
  BareRepeats bare(check, repeats);
  std::string order;
  for (std::uint32_t index = 0; index < repeats; ++index) {
    order += bare.runsBefore(index) ? "-" : "";
    order += 'r';
    if (index == 0) bare.plan(repeatNs);
    order += bare.runsAfter(index) ? "-" : "";
  }
  return order;
}

std::uint32_t planned(std::uint32_t repeats, double repeatNs) {
  BareRepeats bare(OverheadCheck::Auto, repeats);
  bare.plan(repeatNs);
  return bare.planned();
}

TEST(BareRepeats, PairsChangeTheirOrder) {
  EXPECT_EQ(orderOf(OverheadCheck::Full, 6, 1e9), "r--rr--rr--r");
  EXPECT_EQ(orderOf(OverheadCheck::Off, 4, 1), "rrrr");
}

TEST(BareRepeats, LongRunsSpendAFifthSpreadOverTheRun) {
  EXPECT_EQ(orderOf(OverheadCheck::Auto, 20, 5e9), "rrrrr-rrrr-rrrrrr-rrrr-r");
  EXPECT_EQ(planned(1000, 5e9), 200u);
  EXPECT_EQ(planned(4, 5e9), 0u);
}

TEST(BareRepeats, ShortRunsMayTakeMoreButNeverMoreThanOneEach) {
  EXPECT_EQ(planned(10, 1e6), 10u);
  EXPECT_EQ(planned(1'000'000, 0), 1'000'000u);
  EXPECT_EQ(planned(10, 50e6), 6u) << "as many as an interval takes, within a second";
  EXPECT_EQ(planned(10, 400e6), 2u);
  EXPECT_EQ(planned(30, 20e6), 12u);
}

TEST(BareRepeats, EachPlannedOneRunsOnce) {
  for (const std::uint32_t repeats : {1U, 2U, 7U, 10U, 33U, 500U}) {
    for (const double ns : {1e3, 3e7, 8e7, 2e8, 1e9}) {
      const std::string order = orderOf(OverheadCheck::Auto, repeats, ns);
      EXPECT_EQ(std::ranges::count(order, '-'), planned(repeats, ns)) << order;
      EXPECT_EQ(std::ranges::count(order, 'r'), repeats);
      EXPECT_EQ(order.front(), 'r');
    }
  }
}

TEST(BareRepeats, OnlyPairsOfCompleteRepeatsAreTold) {
  BareRepeats bare(OverheadCheck::Full, 3);
  bare.add(0, 100);
  bare.add(1, 200);
  bare.add(2, 300);
  report::Overhead overhead;
  bare.fill(overhead, 2, 0.5);
  EXPECT_EQ(overhead.repeats, (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(overhead.unhookedNs, (std::vector<double>{50, 100}));
}

}  // namespace
}  // namespace opscope::profile
