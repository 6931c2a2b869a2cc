// SPDX-License-Identifier: Apache-2.0
#include "engine/rpc/connection.h"

#include <gtest/gtest.h>

#include <array>
#include <future>

#include "tests/rpc/scripted_server.h"

namespace opscope::rpc {

namespace {

using namespace std::chrono_literals;
using test::ScriptedServer;

constexpr std::chrono::milliseconds kLong = 20s;

Deadline soon() {
  return Deadline::after(100ms);
}
Deadline late() {
  return Deadline::after(kLong);
}

std::unique_ptr<Connection> connectTo(const ScriptedServer& server) {
  auto connection = Connection::connect("127.0.0.1", server.port(), late());
  EXPECT_TRUE(connection) << (connection ? "" : connection.error().message);
  return connection ? *std::move(connection) : nullptr;
}

/// Waits until the client has closed.
void awaitEnd(Connection& connection) {
  std::array<char, 256> bytes;
  for (;;) {
    const auto received = connection.receiveSome(bytes.data(), bytes.size(), late());
    if (!received || *received == 0) {
      return;
    }
  }
}

}  // namespace

TEST(Connection, BytesGoBothWays) {
  const ScriptedServer server([](Connection& connection) {
    std::array<char, 5> bytes;
    ASSERT_TRUE(connection.receiveExact(bytes.data(), bytes.size(), late()));
    const std::string text(bytes.data(), bytes.size());
    const std::array<iovec, 2> pieces{iovec{const_cast<char*>(text.data()), 2},
                                      iovec{const_cast<char*>(text.data()) + 2, 3}};
    ASSERT_TRUE(connection.send(pieces, late()));
  });
  const auto connection = connectTo(server);
  ASSERT_TRUE(connection->send("hello", late()));
  std::array<char, 5> answer;
  ASSERT_TRUE(connection->receiveExact(answer.data(), answer.size(), late()));
  EXPECT_EQ(std::string(answer.data(), answer.size()), "hello");
  EXPECT_EQ(connection->peer(), "127.0.0.1:" + server.port());
}

TEST(Connection, LongBlobsGoThroughWhole) {
  constexpr std::size_t kBytes = std::size_t{9} << 20;
  const ScriptedServer server([](Connection& connection) {
    std::string bytes(kBytes, '\0');
    ASSERT_TRUE(connection.receiveExact(bytes.data(), bytes.size(), late()));
    ASSERT_TRUE(connection.send(bytes, late()));
  });
  const auto connection = connectTo(server);
  std::string blob(kBytes, '\0');
  for (std::size_t i = 0; i < kBytes; ++i) {
    blob[i] = static_cast<char>(i * 7 + i / 4096);
  }
  ASSERT_TRUE(connection->send(blob, late()));
  std::string answer(kBytes, '\0');
  ASSERT_TRUE(connection->receiveExact(answer.data(), answer.size(), late()));
  EXPECT_TRUE(answer == blob);
}

TEST(Connection, ASilentPeerIsATimeout) {
  const ScriptedServer server(awaitEnd);
  const auto connection = connectTo(server);
  char byte = 0;
  const auto received = connection->receiveExact(&byte, 1, soon());
  ASSERT_FALSE(received);
  EXPECT_EQ(received.error().code, base::ErrorCode::Timeout);
  EXPECT_NE(received.error().message.find("127.0.0.1:" + server.port()), std::string::npos);
  EXPECT_FALSE(connection->readable());
}

TEST(Connection, ATrickleIsATimeoutToo) {
  const ScriptedServer server([](Connection& connection) {
    while (connection.send("x", late())) {
      std::this_thread::sleep_for(5ms);
    }
  });
  const auto connection = connectTo(server);
  std::string bytes(std::size_t{1} << 20, '\0');
  const auto received = connection->receiveExact(bytes.data(), bytes.size(), soon());
  ASSERT_FALSE(received);
  EXPECT_EQ(received.error().code, base::ErrorCode::Timeout);
}

TEST(Connection, APeerThatReadsNothingIsATimeout) {
  std::promise<void> end;
  std::shared_future<void> ended(end.get_future());
  const ScriptedServer server([ended](Connection&) { ended.wait(); });
  const auto connection = connectTo(server);
  const auto sent = connection->send(std::string(std::size_t{64} << 20, 'x'), soon());
  end.set_value();
  ASSERT_FALSE(sent);
  EXPECT_EQ(sent.error().code, base::ErrorCode::Timeout);
}

TEST(Connection, AnEndIsToldWithWhatCame) {
  const ScriptedServer server([](Connection& connection) { ASSERT_TRUE(connection.send("abc", late())); });
  const auto connection = connectTo(server);
  std::array<char, 8> bytes;
  const auto received = connection->receiveExact(bytes.data(), bytes.size(), late());
  ASSERT_FALSE(received);
  EXPECT_EQ(received.error().code, base::ErrorCode::ConnectionLost);
  EXPECT_EQ(received.error().detail, "3 of 8 bytes came");
}

TEST(Connection, AbortEndsAWaitOfAnotherThread) {
  const ScriptedServer server(awaitEnd);
  const auto connection = connectTo(server);
  auto waiting = std::async(std::launch::async, [&connection] {
    char byte = 0;
    return connection->receiveExact(&byte, 1, Deadline::none());
  });
  std::this_thread::sleep_for(20ms);
  connection->abort();
  const auto received = waiting.get();
  ASSERT_FALSE(received);
  EXPECT_EQ(received.error().code, base::ErrorCode::Cancelled);
  EXPECT_EQ(connection->send("x", late()).error().code, base::ErrorCode::Cancelled);
}

TEST(Connection, NobodyListensIsToldAtOnce) {
  const auto connection = Connection::connect("127.0.0.1", test::freePort(), late());
  ASSERT_FALSE(connection);
  EXPECT_EQ(connection.error().code, base::ErrorCode::Io);
  EXPECT_NE(connection.error().hint.find("no server listens"), std::string::npos);
}

TEST(Connection, NamesAndPortsAreChecked) {
  for (const std::string port : {"", "0", "65536", "-1", "12x", "http"}) {
    const auto connection = Connection::connect("127.0.0.1", port, late());
    ASSERT_FALSE(connection) << port;
    EXPECT_EQ(connection.error().code, base::ErrorCode::InvalidArgument);
  }
  EXPECT_EQ(Connection::connect("", "9090", late()).error().code, base::ErrorCode::InvalidArgument);
  const auto unknown = Connection::connect("no-such-board.invalid", "9090", Deadline::after(5s));
  ASSERT_FALSE(unknown);
  EXPECT_TRUE(unknown.error().code == base::ErrorCode::NotFound ||
              unknown.error().code == base::ErrorCode::Timeout);
  EXPECT_NE(unknown.error().detail.find("no-such-board.invalid"), std::string::npos);
}

TEST(Connection, NamesOfThisComputerAreConnectedTo) {
  const ScriptedServer server([](Connection& connection) { ASSERT_TRUE(connection.send("x", late())); });
  auto connection = Connection::connect("localhost", server.port(), late());
  ASSERT_TRUE(connection) << connection.error().message << connection.error().detail;
  char byte = 0;
  EXPECT_TRUE((*connection)->receiveExact(&byte, 1, late()));
}

TEST(Connection, ConnectingCanBeStopped) {
  std::stop_source source;
  source.request_stop();
  // An address of a net that is kept for documents: nobody answers, or there is no way to it.
  const auto connection = Connection::connect("192.0.2.1", "9", Deadline::after(10s), source.get_token());
  ASSERT_FALSE(connection);
  EXPECT_TRUE(connection.error().code == base::ErrorCode::Cancelled ||
              connection.error().code == base::ErrorCode::Io);
}

TEST(Deadline, TellsWhatIsLeft) {
  EXPECT_FALSE(Deadline::none().expired());
  EXPECT_EQ(Deadline::none().left(7ms), 7ms);
  EXPECT_TRUE(Deadline::after(-1ms).expired());
  EXPECT_EQ(Deadline::after(-1ms).left(7ms), 0ms);
  EXPECT_EQ(Deadline::after(1h).left(7ms), 7ms);
  EXPECT_TRUE(earlier(Deadline::none(), Deadline::after(-1ms)).expired());
  EXPECT_FALSE(earlier(Deadline::none(), Deadline::after(1h)).expired());
  EXPECT_TRUE(earlier(Deadline::after(1h), Deadline::after(-1ms)).expired());
}

}  // namespace opscope::rpc
