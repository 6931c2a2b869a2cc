// SPDX-License-Identifier: Apache-2.0
#include "engine/profile/noise_watch.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/profile/machine_tree.h"

namespace opscope::profile {
namespace {

/// Usages that are told one after the other.
class NoiseWatchTest : public ::testing::Test {
 protected:
  std::string movesFound(std::vector<ThreadUsage> told, bool aside) {
    std::size_t next = 0;
    NoiseWatch watch(m_tree.root(), [&] { return told.at(next++); });
    watch.begin();
    repeat(watch);
    if (aside) {
      watch.stepAside();
      watch.stepAside();  // is aside already: nothing is asked
      watch.comeBack();
      watch.comeBack();
    }
    repeat(watch);
    watch.end();
    EXPECT_EQ(next, told.size());
    report::Run run;
    run.repeats = 2;
    run.totals.emplace_back().totalNs = {1e6, 1e6};
    for (const report::NoiseCheck& check : watch.grade(1, run).checks) {
      if (check.id == "migrations") {
        return check.found;
      }
    }
    return "not told";
  }

 private:
  static void repeat(NoiseWatch& watch) {
    watch.beginRepeat();
    watch.endRepeat();
  }

  testing::MachineTree m_tree;
};

TEST_F(NoiseWatchTest, CountsMovesFromBeginToEnd) {
  EXPECT_EQ(movesFound({{0.0, 10}, {0.0, 16}}, false), movesFound({{0.0, 0}, {0.0, 6}}, false));
  EXPECT_NE(movesFound({{0.0, 10}, {0.0, 16}}, false), movesFound({{0.0, 10}, {0.0, 18}}, false));
}

TEST_F(NoiseWatchTest, MovesWhileAnotherRunIsMeasuredAreNotOfThisOne) {
  EXPECT_EQ(movesFound({{0.0, 10}, {0.0, 12}, {0.0, 112}, {0.0, 116}}, true),
            movesFound({{0.0, 10}, {0.0, 16}}, false));
}

TEST_F(NoiseWatchTest, WhatTheSystemDoesNotTellStaysUntold) {
  EXPECT_EQ(movesFound({{}, {}, {}, {}}, true), "not told");
}

}  // namespace
}  // namespace opscope::profile
