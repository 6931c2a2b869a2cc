// SPDX-License-Identifier: Apache-2.0
// The registration against a tracker that the test plays word by word.
#include "engine/rpc/server/registration.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/server/tracker_side.h"

namespace opscope::rpc::server {

namespace {

using nlohmann::json;
using std::chrono::milliseconds;

/// The board of these tests.
class TrackerSide : public test::TrackerSide {
 public:
  using test::TrackerSide::TrackerSide;
  std::string admit() { return test::TrackerSide::admit("rpi", 9091, "board.lan"); }
  std::string takeOffer() { return test::TrackerSide::takeOffer("rpi", 9091, "board.lan"); }
};

class RegistrationTest : public testing::Test {
 protected:
  RegistrationSettings settings() const {
    return {.trackerHost = "127.0.0.1",
            .trackerPort = std::to_string(m_listener.port()),
            .key = "rpi",
            .port = 9091,
            .customAddress = "board.lan",
            .poll = milliseconds(30),
            .retry = milliseconds(20),
            .replyLimit = milliseconds(2000)};
  }

  Listener m_listener = Listener::open("127.0.0.1", 0, 0).value();
  MatchKey m_key{"rpi", true};
};

TEST_F(RegistrationTest, OffersAsksAndOffersAgainAfterEachSession) {
  const Registration registration(settings(), m_key);
  TrackerSide tracker(m_listener);
  std::string key = tracker.admit();
  for (int session = 0; session < 3; ++session) {
    EXPECT_TRUE(key.starts_with("rpi:"));
    EXPECT_EQ(tracker.ask(), json::parse("[7]"));
    EXPECT_TRUE(m_key.take(key));
    tracker.answer(json::array({key}).dump());
    EXPECT_TRUE(tracker.quietFor(milliseconds(100)));  // nothing is said while it serves
    m_key.giveBack();
    const std::string next = tracker.takeOffer();
    EXPECT_NE(next, key);
    key = next;
  }
}

TEST_F(RegistrationTest, MakesANewKeyWhenNobodyComesWithTheOldOne) {
  const Registration registration(settings(), m_key);
  TrackerSide tracker(m_listener);
  const std::string key = tracker.admit();
  for (const bool there : {true, false, false, false, true, false, false, false, false}) {
    EXPECT_EQ(tracker.ask(), json::parse("[7]"));
    tracker.answer(there ? json::array({"other:1", key}).dump() : "[]");
  }
  const std::string next = tracker.takeOffer();
  EXPECT_NE(next, key);
  EXPECT_FALSE(m_key.take(key));
  EXPECT_TRUE(m_key.take(next));
}

TEST_F(RegistrationTest, ComesBackWheneverTheTrackerWasLost) {
  const Registration registration(settings(), m_key);
  std::string last;
  for (int i = 0; i < 3; ++i) {
    TrackerSide tracker(m_listener);
    const std::string key = tracker.admit();
    EXPECT_NE(key, last);
    last = key;
  }
  {
    TrackerSide tracker(m_listener);
    EXPECT_TRUE(m_key.take(tracker.admit()));
  }
  TrackerSide tracker(m_listener);  // comes back while it serves, and offers nothing yet
  tracker.greet();
  EXPECT_EQ(tracker.ask().at(0), 5);
  tracker.answer("0");
  EXPECT_TRUE(tracker.quietFor(milliseconds(100)));
  m_key.giveBack();
  EXPECT_NE(tracker.takeOffer(), last);
}

TEST_F(RegistrationTest, AnswersThatAreNoneEndTheConnectionAndItTriesAgain) {
  const Registration registration(settings(), m_key);
  for (const char* wrong : {"1", "-1", "null", "nonsense", "[]", "{}"}) {
    TrackerSide tracker(m_listener);
    tracker.greet();
    EXPECT_EQ(tracker.ask().at(0), 5);
    tracker.answer(wrong);
  }
  {
    TrackerSide tracker(m_listener);
    tracker.admit();
    EXPECT_EQ(tracker.ask(), json::parse("[7]"));
    tracker.answer("5");
  }
  TrackerSide tracker(m_listener);
  tracker.admit();
}

TEST_F(RegistrationTest, EndsAtOnceWhateverItWaitsFor) {
  for (int point = 0; point < 3; ++point) {
    RegistrationSettings patient = settings();
    patient.replyLimit = std::chrono::minutes(5);
    std::optional<Registration> registration(std::in_place, patient, m_key);
    TrackerSide tracker(m_listener);
    if (point > 0) {
      tracker.greet();
    }
    if (point > 1) {
      EXPECT_EQ(tracker.ask().at(0), 5);
    }
    const auto begin = std::chrono::steady_clock::now();
    registration.reset();
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
  }
}

}  // namespace

}  // namespace opscope::rpc::server
