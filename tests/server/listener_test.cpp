// SPDX-License-Identifier: Apache-2.0
// Where clients arrive.
#include "engine/rpc/server/listener.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "engine/rpc/connection.h"

namespace opscope::rpc::server {

namespace {

int optionOf(int socket, int level, int name) {
  int value = -1;
  socklen_t size = sizeof(value);
  EXPECT_EQ(::getsockopt(socket, level, name, &value, &size), 0);
  return value;
}

}  // namespace

/// A client whose computer is gone says nothing, not even that it is gone: the system has to ask.
TEST(Listener, ComputersThatAreGoneAreFoundOutWithinHalfAMinute) {
  const auto listener = Listener::open("127.0.0.1", 0, 0);
  ASSERT_TRUE(listener) << listener.error().message;
  const auto connection = Connection::connect("127.0.0.1", std::to_string(listener->port()),
                                              Deadline::after(std::chrono::seconds(20)));
  ASSERT_TRUE(connection) << connection.error().message;
  pollfd entry{listener->socket(), POLLIN, 0};
  ASSERT_EQ(::poll(&entry, 1, 20'000), 1);
  const auto client = listener->accept();
  ASSERT_TRUE(client.has_value());
  EXPECT_EQ(optionOf(client->socket, SOL_SOCKET, SO_KEEPALIVE), 1);
  const int idle = optionOf(client->socket, IPPROTO_TCP, TCP_KEEPIDLE);
  const int interval = optionOf(client->socket, IPPROTO_TCP, TCP_KEEPINTVL);
  const int count = optionOf(client->socket, IPPROTO_TCP, TCP_KEEPCNT);
  EXPECT_GT(idle, 0);
  EXPECT_LE(idle + interval * count, 30);
  EXPECT_EQ(optionOf(client->socket, IPPROTO_TCP, TCP_NODELAY), 1);
  EXPECT_EQ(optionOf((*connection)->socket(), SOL_SOCKET, SO_KEEPALIVE), 1);
  EXPECT_EQ(optionOf((*connection)->socket(), IPPROTO_TCP, TCP_NODELAY), 1);
  ::close(client->socket);
}

}  // namespace opscope::rpc::server
