// SPDX-License-Identifier: Apache-2.0
#include "engine/rpc/tracker_client.h"

#include <gtest/gtest.h>

#include <future>
#include <thread>

#include "engine/rpc/protocol.h"
#include "engine/rpc/wire_numbers.h"
#include "tests/rpc/scripted_server.h"

namespace opscope::rpc {

namespace {

using namespace std::chrono_literals;
using test::ScriptedServer;

const Deadline kNever = Deadline::none();
constexpr const char* kSummary =
    R"([0, {"queue_info": {"rasp": {"free": 1, "pending": 2}, "jetson": {"free": 0, "pending": 5}},
  "server_info": [{"key": "server:rasp", "addr": ["10.0.0.7", 9090]}, {"key": "server:jetson", "addr": ["127.0.0.1", "9091"]},
  {"key": "server:rasp", "addr": [null, 9092]}, {"key": 5, "addr": 6}]}])";

void reply(Connection& connection, const std::string& json) {
  std::string bytes;
  appendNumber(bytes, static_cast<std::int32_t>(json.size()));
  static_cast<void>(connection.send(bytes + json, kNever));
}

/// Greets as a tracker; false when the client is gone.
bool greet(Connection& connection) {
  std::int32_t magic = 0;
  if (!connection.receiveExact(&magic, sizeof(magic), kNever)) {
    return false;
  }
  EXPECT_EQ(magic, kTrackerMagic);
  std::string echo;
  appendNumber(echo, magic);
  return connection.send(echo, kNever).has_value();
}

/// The client's next message, "" at its end.
std::string next(Connection& connection) {
  std::int32_t size = 0;
  if (!connection.receiveExact(&size, sizeof(size), kNever)) {
    return "";
  }
  std::string text(static_cast<std::size_t>(size), '\0');
  return connection.receiveExact(text.data(), text.size(), kNever) ? text : "";
}

/// A tracker that answers summaries; the answer to a request is the test's.
ScriptedServer::Script tracker(std::function<void(Connection&, const std::string&)> request) {
  return [request = std::move(request)](Connection& connection) {
    if (!greet(connection)) {
      return;
    }
    for (std::string message = next(connection); !message.empty(); message = next(connection)) {
      if (message == "[6]") {
        reply(connection, kSummary);
      } else {
        request(connection, message);
      }
    }
  };
}

base::Result<std::unique_ptr<TrackerClient>> openTo(const ScriptedServer& server,
                                                    std::chrono::milliseconds time = 20s) {
  return TrackerClient::open({.host = "127.0.0.1", .port = server.port(), .answerTime = time});
}

}  // namespace

TEST(TrackerClient, TellsBoardsAndQueues) {
  const ScriptedServer server(tracker([](Connection&, const std::string&) {}));
  const auto client = openTo(server);
  ASSERT_TRUE(client) << client.error().message;
  const auto summary = (*client)->summary();
  ASSERT_TRUE(summary) << summary.error().message;
  EXPECT_EQ(summary->queueOf("rasp").free, 1);
  EXPECT_EQ(summary->queueOf("rasp").waiting, 2);
  EXPECT_EQ(summary->queueOf("none").waiting, 0);
  EXPECT_EQ(summary->serversOf("rasp"), 2);
  ASSERT_EQ(summary->servers.size(), 3u);
  EXPECT_EQ(summary->servers[0].host, "10.0.0.7");
  EXPECT_EQ(summary->servers[0].port, "9090");
  EXPECT_EQ(summary->servers[1].host, "127.0.0.1");  // the tracker's own computer
  EXPECT_EQ(summary->servers[1].port, "9091");
}

TEST(TrackerClient, ARequestGetsABoard) {
  std::string asked;
  ScriptedServer server(tracker([&asked](Connection& connection, const std::string& message) {
    asked = message;
    reply(connection, R"([0, ["10.0.0.7", "9090", "rasp:0.5"]])");
  }));
  const auto client = openTo(server);
  ASSERT_TRUE(client);
  const auto board = (*client)->request({.key = "rasp", .user = "me", .priority = 7});
  ASSERT_TRUE(board) << board.error().message;
  EXPECT_EQ(board->host, "10.0.0.7");
  EXPECT_EQ(board->port, "9090");
  EXPECT_EQ(board->matchKey, "rasp:0.5");
  EXPECT_EQ(asked, R"([4,"rasp","me",7])");
}

TEST(TrackerClient, AKeyThatNoBoardHasIsToldAtOnce) {
  const ScriptedServer server(
      tracker([](Connection&, const std::string&) { FAIL() << "it asked for a board"; }));
  const auto client = openTo(server);
  ASSERT_TRUE(client);
  const auto board = (*client)->request({.key = "raspi"});
  ASSERT_FALSE(board);
  EXPECT_EQ(board.error().code, base::ErrorCode::NotFound);
  EXPECT_NE(board.error().detail.find("rasp and jetson"), std::string::npos) << board.error().detail;
  EXPECT_NE(board.error().hint.find("\"rasp\""), std::string::npos) << board.error().hint;
}

TEST(TrackerClient, TheWaitHasADeadlineAndTellsTheQueue) {
  const ScriptedServer server(tracker([](Connection&, const std::string&) {}));
  const auto client = openTo(server);
  ASSERT_TRUE(client);
  int told = 0;
  BoardRequest request{.key = "jetson", .deadline = Deadline::after(1500ms)};
  request.onWaiting = [&told](const TrackerQueue& queue, std::int64_t servers) {
    ++told;
    EXPECT_EQ(queue.waiting, 5);
    EXPECT_EQ(servers, 1);
  };
  const auto board = (*client)->request(request);
  ASSERT_FALSE(board);
  EXPECT_EQ(board.error().code, base::ErrorCode::Timeout);
  EXPECT_EQ(told, 1);
  EXPECT_NE(board.error().detail.find("1 board with this key, 0 free, 5 requests waiting"), std::string::npos)
      << board.error().detail;
}

TEST(TrackerClient, AWaitCanBeGivenUpFromAnotherThread) {
  std::promise<bool> closed;
  const ScriptedServer server([&closed](Connection& connection) {
    if (greet(connection)) {
      next(connection);
      closed.set_value(next(connection).empty());
    }
  });
  const auto client = openTo(server);
  ASSERT_TRUE(client);
  auto waiting = std::async(
      std::launch::async, [&client] { return (*client)->request({.key = "rasp", .waitForUnknown = true}); });
  std::this_thread::sleep_for(20ms);
  (*client)->cancel();
  const auto board = waiting.get();
  ASSERT_FALSE(board);
  EXPECT_EQ(board.error().code, base::ErrorCode::Cancelled);
  EXPECT_TRUE(closed.get_future().get());
}

TEST(TrackerClient, WhatIsNoTrackerIsTold) {
  const ScriptedServer deaf([](Connection& connection) { next(connection); });
  const auto silent = openTo(deaf, 100ms);
  ASSERT_FALSE(silent);
  EXPECT_EQ(silent.error().code, base::ErrorCode::Timeout);
  const ScriptedServer closing([](Connection&) {});
  const auto closed = openTo(closing);
  ASSERT_FALSE(closed);
  EXPECT_EQ(closed.error().code, base::ErrorCode::ConnectionLost);
  const ScriptedServer web(
      [](Connection& connection) { static_cast<void>(connection.send("HTTP", kNever)); });
  const auto other = openTo(web);
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, base::ErrorCode::Format);
  EXPECT_FALSE(other.error().hint.empty());
}

TEST(TrackerClient, AnswersThatAreNoneAreErrors) {
  for (const std::string answer : {"", "nonsense", "[]", "[-1, \"no\"]", "{}", "[0]", "[0, 5]",
                                   "[0, [1, 2, 3]]", "[0, [\"host\", [], \"key\"]]", "[0, [\"host\"]]",
                                   "[0, {\"queue_info\": 5, \"server_info\": {}}]", "[1e99]"}) {
    const ScriptedServer server([&answer](Connection& connection) {
      if (greet(connection)) {
        next(connection);
        reply(connection, answer);
      }
    });
    const auto client = openTo(server);
    ASSERT_TRUE(client);
    EXPECT_FALSE((*client)->request({.key = "rasp", .deadline = Deadline::after(5s), .waitForUnknown = true}))
        << answer;
  }
}

TEST(TrackerClient, LengthsThatLieAreErrors) {
  for (const std::int32_t size : {-1, 0x7FFFFFFF}) {
    const ScriptedServer server([size](Connection& connection) {
      if (greet(connection)) {
        next(connection);
        std::string bytes;
        appendNumber(bytes, size);
        static_cast<void>(connection.send(bytes, kNever));
      }
    });
    const auto client = openTo(server);
    ASSERT_TRUE(client);
    EXPECT_EQ((*client)->summary().error().code, base::ErrorCode::Format);
  }
}

}  // namespace opscope::rpc
