// SPDX-License-Identifier: Apache-2.0
// Our tracker client against the tracker of the real TVM, with its servers registered.
#include <gtest/gtest.h>

#include <future>
#include <thread>

#include "engine/rpc/remote_calls.h"
#include "engine/rpc/tracker_client.h"
#include "tests/rpc/peer/peer_process.h"

namespace opscope::rpc {

namespace {

using namespace std::chrono_literals;
using test::StockServer;
using test::StockTracker;

std::unique_ptr<TrackerClient> openTo(const StockTracker& tracker) {
  auto client = TrackerClient::open({.host = "127.0.0.1", .port = tracker.port(), .answerTime = 60s});
  EXPECT_TRUE(client) << client.error().message;
  return client ? *std::move(client) : nullptr;
}

/// Waits until a board of the key is free.
void awaitFree(TrackerClient& client, const std::string& key) {
  for (int i = 0; i < 600; ++i) {
    const auto summary = client.summary();
    ASSERT_TRUE(summary) << summary.error().message;
    if (summary->queueOf(key).free > 0 && summary->serversOf(key) > 0) {
      return;
    }
    std::this_thread::sleep_for(100ms);
  }
  FAIL() << "no board of key " << key << " registers";
}

std::unique_ptr<Client> sessionOn(const TrackerBoard& board) {
  ConnectSettings settings{.host = board.host, .port = board.port, .key = board.matchKey};
  settings.answerTime = 60s;
  settings.closeTime = 20s;
  auto client = Client::open(settings);
  EXPECT_TRUE(client) << client.error().message;
  return client ? *std::move(client) : nullptr;
}

}  // namespace

TEST(TrackerPeer, ABoardIsAskedForUsedAndGivenBack) {
  const StockTracker tracker;
  const StockServer server({"--tracker", tracker.address(), "--key", "rasp"});
  const auto client = openTo(tracker);
  ASSERT_NE(client, nullptr);
  awaitFree(*client, "rasp");
  const auto board =
      client->request({.key = "rasp", .user = "me", .priority = 3, .deadline = Deadline::after(60s)});
  ASSERT_TRUE(board) << board.error().message;
  EXPECT_EQ(board->host, "127.0.0.1");
  EXPECT_EQ(board->port, server.port());
  EXPECT_TRUE(board->matchKey.starts_with("rasp:")) << board->matchKey;
  auto session = sessionOn(*board);
  ASSERT_NE(session, nullptr);
  EXPECT_TRUE(session->callGlobal("testing.echo", {true}));
  const auto summary = client->summary();
  ASSERT_TRUE(summary);
  EXPECT_EQ(summary->queueOf("rasp").free, 0);
  session.reset();
  awaitFree(*client, "rasp");
  // The key held once.
  ConnectSettings settings{.host = board->host, .port = board->port, .key = board->matchKey};
  settings.answerTime = 60s;
  const auto again = Client::open(settings);
  ASSERT_FALSE(again);
  EXPECT_NE(again.error().message.find("does not serve the key"), std::string::npos);
}

TEST(TrackerPeer, AWaitTellsTheQueueAndCanBeGivenUp) {
  const StockTracker tracker;
  const StockServer server({"--tracker", tracker.address(), "--key", "rasp"});
  const auto client = openTo(tracker);
  ASSERT_NE(client, nullptr);
  awaitFree(*client, "rasp");
  const auto held = client->request({.key = "rasp", .deadline = Deadline::after(60s)});
  ASSERT_TRUE(held);
  const auto session = sessionOn(*held);
  const auto waiting = openTo(tracker);
  std::promise<std::int64_t> told;
  bool first = true;
  BoardRequest request{.key = "rasp"};
  request.onWaiting = [&told, &first](const TrackerQueue& queue, std::int64_t servers) {
    EXPECT_EQ(servers, 1);
    if (std::exchange(first, false)) {
      told.set_value(queue.waiting);
    }
  };
  auto result = std::async(std::launch::async, [&] { return waiting->request(request); });
  EXPECT_EQ(told.get_future().get(), 1);
  waiting->cancel();
  const auto board = result.get();
  ASSERT_FALSE(board);
  EXPECT_EQ(board.error().code, base::ErrorCode::Cancelled);

  const auto late = openTo(tracker);
  const auto nothing = late->request({.key = "rasp", .deadline = Deadline::after(300ms)});
  ASSERT_FALSE(nothing);
  EXPECT_EQ(nothing.error().code, base::ErrorCode::Timeout);
}

TEST(TrackerPeer, UnknownKeysAreToldWithThoseThatAreThere) {
  const StockTracker tracker;
  const auto client = openTo(tracker);
  ASSERT_NE(client, nullptr);
  const auto board = client->request({.key = "rasp"});
  ASSERT_FALSE(board);
  EXPECT_EQ(board.error().code, base::ErrorCode::NotFound);
  const StockServer other({"--tracker", tracker.address(), "--key", "raspi"});
  awaitFree(*client, "raspi");
  const auto near = client->request({.key = "rasp"});
  ASSERT_FALSE(near);
  EXPECT_NE(near.error().hint.find("\"raspi\""), std::string::npos) << near.error().hint;
}

TEST(TrackerPeer, ServersAndTrackersAreToldApart) {
  const StockTracker tracker;
  ConnectSettings settings{.host = "127.0.0.1", .port = tracker.port()};
  settings.answerTime = 5s;
  const auto session = Client::open(settings);
  ASSERT_FALSE(session);
  EXPECT_NE(session.error().hint.find("9190"), std::string::npos) << session.error().hint;
  const StockServer server;
  const auto client = TrackerClient::open({.host = "127.0.0.1", .port = server.port(), .answerTime = 5s});
  ASSERT_FALSE(client);
  EXPECT_NE(client.error().hint.find("tracker"), std::string::npos) << client.error().hint;
}

}  // namespace opscope::rpc
