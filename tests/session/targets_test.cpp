// SPDX-License-Identifier: Apache-2.0
#include "engine/session/targets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace opscope::session {

namespace {

using testing::HasSubstr;

TEST(Targets, LocalIsTheDefault) {
  EXPECT_EQ(parseTarget("")->kind, Target::Kind::Local);
  EXPECT_EQ(parseTarget("local")->kind, Target::Kind::Local);
  EXPECT_FALSE(parseTarget("local")->isRemote());
}

TEST(Targets, AProcessOfItsOwn) {
  EXPECT_EQ(parseTarget("isolated")->kind, Target::Kind::Isolated);
  EXPECT_TRUE(parseTarget("isolated")->isRemote());
  EXPECT_FALSE(parseTarget("isolated:1"));
}

TEST(Targets, OfServers) {
  const auto target = parseTarget("rpc://board-7.lab:9090/pi4");
  ASSERT_TRUE(target);
  EXPECT_EQ(target->kind, Target::Kind::Server);
  EXPECT_EQ(target->host, "board-7.lab");
  EXPECT_EQ(target->port, "9090");
  EXPECT_EQ(target->key, "pi4");
  EXPECT_EQ(target->text, "rpc://board-7.lab:9090/pi4");
  EXPECT_EQ(parseTarget("rpc://10.0.0.7:1")->key, "");
}

TEST(Targets, OfIpv6Servers) {
  const auto target = parseTarget("rpc://[fe80::1]:9090");
  ASSERT_TRUE(target);
  EXPECT_EQ(target->host, "fe80::1");
  EXPECT_EQ(target->port, "9090");
}

TEST(Targets, OfTrackers) {
  const auto target = parseTarget("tracker://lab:9190/pi4?priority=9&timeout=2.5");
  ASSERT_TRUE(target);
  EXPECT_EQ(target->kind, Target::Kind::Tracker);
  EXPECT_EQ(target->key, "pi4");
  EXPECT_EQ(target->priority, 9);
  EXPECT_EQ(target->waitSeconds, 2.5);
  EXPECT_EQ(parseTarget("tracker://lab:9190/pi4")->waitSeconds, std::nullopt);
}

TEST(Targets, ATrackerAloneNeedsNoKey) {
  EXPECT_EQ(parseTracker("lab:9190")->port, "9190");
  EXPECT_EQ(parseTracker("tracker://lab:9190")->host, "lab");
  EXPECT_EQ(parseTracker("tracker://lab:9190/pi4")->key, "pi4");
  EXPECT_FALSE(parseTracker("lab"));
  EXPECT_EQ(parseTracker("lab").error().detail, "Expected HOST:PORT.");
}

TEST(Targets, TimesThatAreTooLongAreLong) {
  EXPECT_EQ(millisecondsOf(1.5).count(), 1500);
  EXPECT_EQ(millisecondsOf(0).count(), 0);
  EXPECT_EQ(millisecondsOf(1e10), millisecondsOf(1e9));
  EXPECT_EQ(millisecondsOf(1e300), millisecondsOf(1e9));
}

struct Bad {
  const char* text;
  const char* says;
};

TEST(Targets, MistakesAreTold) {
  const Bad cases[] = {{"board", "\"board\" is no target"},
                       {"rpc://board", "has no port"},
                       {"rpc://:9090", "has no host"},
                       {"rpc://board:0", "is no port"},
                       {"rpc://board:99999", "is no port"},
                       {"rpc://board:9a", "is no port"},
                       {"rpc://::1:9090", "more than one colon"},
                       {"rpc://[::1]", "has no port"},
                       {"rpc://[::1", "has no port"},
                       {"rpc://b:1/a key", "must not contain blanks"},
                       {"rpc://b:1?priority=2", "Only targets of a tracker"},
                       {"tracker://b:1", "names no key"},
                       {"tracker://b:1/k?priority=x", "is no priority"},
                       {"tracker://b:1/k?timeout=nan", "is no time"},
                       {"tracker://b:1/k?what=1", "no option \"what\""},
                       {"locally", "follows local"}};
  for (const Bad& bad : cases) {
    const auto target = parseTarget(bad.text);
    ASSERT_FALSE(target) << bad.text;
    EXPECT_EQ(target.error().code, base::ErrorCode::InvalidArgument);
    EXPECT_THAT(target.error().message, HasSubstr(bad.says)) << bad.text;
  }
  EXPECT_THAT(parseTarget("board:9090").error().hint, HasSubstr("rpc://board:9090"));
}

TEST(Targets, EachKindIsInTheList) {
  for (const TargetKind& kind : targetKinds()) {
    EXPECT_FALSE(kind.description.empty());
    EXPECT_TRUE(kind.form.starts_with(kind.prefix));
  }
}

}  // namespace

}  // namespace opscope::session
