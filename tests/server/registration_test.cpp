// SPDX-License-Identifier: Apache-2.0
// The registration against a tracker that the test plays word by word.
#include "engine/rpc/server/registration.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <string>

#include "engine/rpc/protocol.h"
#include "engine/rpc/server/listener.h"

namespace opscope::rpc::server {

namespace {

using nlohmann::json;
using std::chrono::milliseconds;

/// One connection of the registration's, from the tracker's side. Times out in words instead of hanging.
class TrackerSide {
 public:
  explicit TrackerSide(const Listener& listener) {
    for (int i = 0; i < 1000 && m_socket < 0; ++i) {
      if (const auto client = listener.accept()) {
        m_socket = client->socket;
      } else {
        ::usleep(10'000);
      }
    }
    EXPECT_GE(m_socket, 0) << "nobody came";
    m_connection = Connection::adopt(m_socket, "the server");
  }

  void greet() {
    std::int32_t magic = 0;
    receive(&magic, sizeof(magic));
    EXPECT_EQ(magic, kTrackerMagic);
    EXPECT_FALSE(m_connection->readable());  // nothing before the echo
    send({reinterpret_cast<const char*>(&magic), sizeof(magic)});
  }
  json ask() {
    std::int32_t length = 0;
    receive(&length, sizeof(length));
    if (length < 1 || length > 100'000) {
      return {};
    }
    std::string text(static_cast<std::size_t>(length), '\0');
    receive(text.data(), text.size());
    return json::parse(text, nullptr, false);
  }
  void answer(const std::string& text) {
    const auto length = static_cast<std::int32_t>(text.size());
    send(std::string(reinterpret_cast<const char*>(&length), sizeof(length)) + text);
  }
  /// Takes UPDATE_INFO and PUT; gives the match key.
  std::string admit() {
    greet();
    EXPECT_EQ(ask(), json::parse(R"([5, {"key": "server:rpi", "addr": ["board.lan", 9091]}])"));
    answer("0");
    return takeOffer();
  }
  std::string takeOffer() {
    const json put = ask();
    EXPECT_EQ(put.at(0), 3);
    EXPECT_EQ(put.at(1), "rpi");
    EXPECT_EQ(put.at(2).at(0), 9091);
    EXPECT_EQ(put.at(3), "board.lan");
    answer("0");
    return put.at(2).at(1);
  }
  bool quietFor(milliseconds time) {
    ::usleep(static_cast<useconds_t>(time.count() * 1000));
    return !m_connection->readable();
  }

 private:
  void receive(void* data, std::size_t size) {
    EXPECT_TRUE(m_connection->receiveExact(data, size, Deadline::after(milliseconds(10'000))).has_value());
  }
  void send(std::string_view bytes) {
    EXPECT_TRUE(m_connection->send(bytes, Deadline::after(milliseconds(10'000))).has_value());
  }

  int m_socket = -1;
  std::unique_ptr<Connection> m_connection;
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
    std::optional<Registration> registration(std::in_place, settings(), m_key);
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
