// SPDX-License-Identifier: Apache-2.0
#include "engine/session/progress_meter.h"

#include <gtest/gtest.h>

namespace opscope::session {
namespace {

constexpr std::int64_t kMs = 1'000'000;

TEST(ProgressMeter, TellsAtMostTenASecond) {
  ProgressMeter meter;
  meter.start(0, 1000);
  int told = 0;
  for (std::int64_t ms = 0; ms < 2000; ms += 2) {
    told += meter.update(State::Measuring, static_cast<std::uint32_t>(ms / 2), 1e6 * static_cast<double>(ms),
                         5 * kMs + ms * kMs)
                ? 1
                : 0;
  }
  EXPECT_EQ(told, 20);
}

TEST(ProgressMeter, TheFirstIsToldAtOnceAndKnowsNoRest) {
  ProgressMeter meter;
  meter.start(1, 10);
  const auto progress = meter.update(State::WarmingUp, 0, 0, 0);
  ASSERT_TRUE(progress);
  EXPECT_EQ(progress->total, 1u);
  EXPECT_LT(progress->remainingSeconds, 0);
}

TEST(ProgressMeter, RemainingTimeCountsWarmUpAndRepeats) {
  ProgressMeter meter;
  meter.start(4, 10);
  const auto warmingUp = meter.update(State::WarmingUp, 2, 2e9, 200 * kMs);
  ASSERT_TRUE(warmingUp);
  EXPECT_DOUBLE_EQ(warmingUp->remainingSeconds, 12);
  const auto begins = meter.update(State::Measuring, 0, 0, 400 * kMs);
  ASSERT_TRUE(begins);
  EXPECT_DOUBLE_EQ(begins->remainingSeconds, 10);
  const auto measuring = meter.update(State::Measuring, 4, 8e9, 600 * kMs);
  ASSERT_TRUE(measuring);
  EXPECT_DOUBLE_EQ(measuring->remainingSeconds, 12);
  EXPECT_EQ(measuring->done, 4u);
  EXPECT_EQ(measuring->total, 10u);
}

TEST(ProgressMeter, StartForgetsTheRequestBefore) {
  ProgressMeter meter;
  meter.start(0, 2);
  EXPECT_TRUE(meter.update(State::Measuring, 0, 0, kMs));
  EXPECT_FALSE(meter.update(State::Measuring, 1, 1, 2 * kMs));
  meter.start(0, 2);
  EXPECT_TRUE(meter.update(State::Measuring, 0, 0, 3 * kMs));
}

}  // namespace
}  // namespace opscope::session
