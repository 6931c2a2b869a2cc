// SPDX-License-Identifier: Apache-2.0
// A fake board with a client on it, for tests.
#pragma once

#include <gtest/gtest.h>

#include <memory>

#include "engine/rpc/client.h"
#include "tests/rpc/fake_board.h"
#include "tests/rpc/scripted_server.h"

namespace opscope::rpc::test {

/// Short enough for tests of silence, long enough for a busy computer.
inline constexpr std::chrono::milliseconds kShort{200};
inline constexpr std::chrono::milliseconds kLong{20'000};

inline ConnectSettings settingsFor(const ScriptedServer& server) {
  ConnectSettings settings{.host = "127.0.0.1", .port = server.port()};
  settings.connectTime = settings.answerTime = settings.callTime = settings.copyTime = kLong;
  return settings;
}

struct BoardSession {
  BoardSession() = default;
  explicit BoardSession(const std::function<void(FakeBoard&)>& prepare,
                        const std::function<void(ConnectSettings&)>& change = {}) {
    prepare(board);
    open(change);
  }
  void open(const std::function<void(ConnectSettings&)>& change = {}) {
    ConnectSettings settings = settingsFor(server);
    if (change) {
      change(settings);
    }
    auto opened = Client::open(settings);
    ASSERT_TRUE(opened) << opened.error().message << "; " << opened.error().detail;
    client = *std::move(opened);
  }
  /// Ends client and server, so that the board can be looked at.
  void end() { client.reset(); }

  FakeBoard board;
  ScriptedServer server{[this](Connection& connection) { board.serve(connection); }};
  std::unique_ptr<Client> client;
};

}  // namespace opscope::rpc::test
