// SPDX-License-Identifier: Apache-2.0
#include "engine/base/clock.h"

#include <gtest/gtest.h>
#include <time.h>

namespace opscope::base {
namespace {

TEST(Clock, ScaleMapsTicksAsTheMonotonicClockDoes) {
  const bool useCounter = tickCounterUsable();
  const ClockPoint first = readClockPoint(useCounter);
  const timespec pause{0, 20'000'000};
  nanosleep(&pause, nullptr);
  const ClockPoint last = readClockPoint(useCounter);
  const TickScale scale(first, last, 1.0);
  EXPECT_NEAR(scale.nsSinceFirst(last.ticks), static_cast<double>(last.ns - first.ns), 1.0);
  EXPECT_NEAR(scale.nsPerTick(), measuredNsPerTick(), 0.01 * scale.nsPerTick());
}

TEST(Clock, ShortDistancesUseTheFallback) {
  const TickScale scale({1000, 0}, {2000, 10}, 0.5);
  EXPECT_DOUBLE_EQ(scale.nsPerTick(), 0.5);
  EXPECT_DOUBLE_EQ(scale.nsBetween(1000, 1100), 50.0);
}

TEST(Clock, TicksDoNotRunBackwards) {
  for (const bool useCounter : {false, tickCounterUsable()}) {
    std::uint64_t previous = readTicks(useCounter);
    for (int i = 0; i < 10000; ++i) {
      const std::uint64_t now = readTicks(useCounter);
      ASSERT_GE(now, previous);
      previous = now;
    }
  }
}

}  // namespace
}  // namespace opscope::base
