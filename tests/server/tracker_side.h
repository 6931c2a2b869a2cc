// SPDX-License-Identifier: Apache-2.0
// The tracker's side of a server's registration, played word by word. Times out in words instead of hanging.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "engine/rpc/connection.h"
#include "engine/rpc/protocol.h"
#include "engine/rpc/server/listener.h"

namespace opscope::rpc::server::test {

/// One connection of the registration's.
class TrackerSide {
 public:
  using json = nlohmann::json;

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
  std::string admit(const std::string& key, int port, const std::string& address) {
    greet();
    EXPECT_EQ(ask(), (json{5, {{"key", "server:" + key}, {"addr", {address, port}}}}));
    answer("0");
    return takeOffer(key, port, address);
  }
  std::string takeOffer(const std::string& key, int port, const std::string& address) {
    const json put = ask();
    EXPECT_EQ(put.at(0), 3);
    EXPECT_EQ(put.at(1), key);
    EXPECT_EQ(put.at(2).at(0), port);
    EXPECT_EQ(put.at(3), address);
    answer("0");
    return put.at(2).at(1);
  }
  bool quietFor(std::chrono::milliseconds time) {
    ::usleep(static_cast<useconds_t>(time.count() * 1000));
    return !m_connection->readable();
  }

 private:
  void receive(void* data, std::size_t size) {
    EXPECT_TRUE(m_connection->receiveExact(data, size, limit()).has_value());
  }
  void send(std::string_view bytes) { EXPECT_TRUE(m_connection->send(bytes, limit()).has_value()); }
  static Deadline limit() { return Deadline::after(std::chrono::milliseconds(10'000)); }

  int m_socket = -1;
  std::unique_ptr<Connection> m_connection;
};

}  // namespace opscope::rpc::server::test
