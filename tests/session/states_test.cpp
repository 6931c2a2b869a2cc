// SPDX-License-Identifier: Apache-2.0
#include "engine/session/states.h"

#include <gtest/gtest.h>

#include <array>
#include <set>

namespace opscope::session {
namespace {

constexpr std::array kAll = {State::Idle,      State::Opening,   State::Ready,
                             State::Preparing, State::WarmingUp, State::Measuring,
                             State::Finishing, State::Stopping,  State::Failed};

TEST(States, EveryStateHasItsOwnName) {
  std::set<std::string_view> names;
  for (const State state : kAll) {
    EXPECT_NE(stateName(state), "unknown");
    names.insert(stateName(state));
  }
  EXPECT_EQ(names.size(), kAll.size());
}

TEST(States, ARequestGoesForwardOnly) {
  EXPECT_TRUE(mayFollow(State::Idle, State::Opening));
  EXPECT_TRUE(mayFollow(State::Opening, State::Preparing));
  EXPECT_TRUE(mayFollow(State::Preparing, State::WarmingUp));
  EXPECT_TRUE(mayFollow(State::WarmingUp, State::Measuring));
  EXPECT_TRUE(mayFollow(State::Measuring, State::Finishing));
  EXPECT_TRUE(mayFollow(State::Finishing, State::Ready));
  EXPECT_FALSE(mayFollow(State::Measuring, State::WarmingUp));
  EXPECT_FALSE(mayFollow(State::Finishing, State::Measuring));
  EXPECT_FALSE(mayFollow(State::Idle, State::Measuring));
  EXPECT_FALSE(mayFollow(State::Ready, State::Measuring));
}

TEST(States, ASecondExecutableMayFollowInOneRequest) {
  EXPECT_TRUE(mayFollow(State::Measuring, State::Opening));
  EXPECT_TRUE(mayFollow(State::Measuring, State::Preparing));
  EXPECT_FALSE(mayFollow(State::WarmingUp, State::Opening));
}

TEST(States, NoStateFollowsItself) {
  for (const State state : kAll) {
    EXPECT_FALSE(mayFollow(state, state)) << stateName(state);
  }
}

TEST(States, WhereSomethingRunsItCanStopAndFail) {
  for (const State state : {State::Opening, State::Preparing, State::WarmingUp, State::Measuring}) {
    EXPECT_TRUE(mayFollow(state, State::Stopping)) << stateName(state);
    EXPECT_TRUE(mayFollow(state, State::Failed)) << stateName(state);
  }
  EXPECT_FALSE(mayFollow(State::Ready, State::Stopping));
  EXPECT_FALSE(mayFollow(State::Idle, State::Failed));
}

TEST(States, EveryStateLeadsBackToReady) {
  for (const State from : kAll) {
    std::set<State> reached{from};
    for (std::size_t round = 0; round < kAll.size(); ++round) {
      for (const State middle : std::set<State>(reached)) {
        for (const State to : kAll) {
          if (mayFollow(middle, to)) {
            reached.insert(to);
          }
        }
      }
    }
    EXPECT_TRUE(reached.contains(State::Ready)) << stateName(from);
  }
}

}  // namespace
}  // namespace opscope::session
