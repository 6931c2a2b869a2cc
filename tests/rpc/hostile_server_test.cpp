// SPDX-License-Identifier: Apache-2.0
// Servers that are none, are slow, stop in the middle or lie: the client always ends with an error in words.
#include <gtest/gtest.h>

#include <thread>

#include "engine/rpc/wire_numbers.h"
#include "tests/rpc/board_session.h"

namespace opscope::rpc {

namespace {

using namespace std::chrono_literals;
using test::FakeBoard;
using test::ScriptedServer;

void readToEnd(Connection& connection) {
  char bytes[1024];
  for (;;) {
    const auto received = connection.receiveSome(bytes, sizeof(bytes), Deadline::none());
    if (!received || *received == 0) {
      return;
    }
  }
}

/// A server that sends these bytes at once, whatever it is asked, and then closes or stays silent.
ScriptedServer::Script sending(std::string bytes, bool stay = false) {
  return [bytes = std::move(bytes), stay](Connection& connection) {
    static_cast<void>(connection.send(bytes, Deadline::none()));
    if (stay) {
      readToEnd(connection);
    }
  };
}

base::Error openError(const ScriptedServer& server, std::chrono::milliseconds time = test::kLong) {
  ConnectSettings settings = test::settingsFor(server);
  settings.answerTime = settings.callTime = settings.copyTime = time;
  settings.closeTime = test::kShort;
  const auto client = Client::open(settings);
  EXPECT_FALSE(client);
  return client ? base::Error{} : client.error();
}

std::string words(std::initializer_list<std::int32_t> numbers) {
  std::string bytes;
  for (const std::int32_t number : numbers) {
    appendNumber(bytes, number);
  }
  return bytes;
}

void append(std::string& bytes, const Frame& frame) {
  FrameWriter writer;
  ASSERT_TRUE(writer.write(Encoding::Tvm022, frame));
  bytes += writer.text();
}

std::string accepted() {
  return words({kServerMagic, 7}) + "server:";
}

/// All that a server says in a session that useSession() asks for, and where each step's answers end.
std::string wholeSession() {
  std::string bytes = accepted();
  append(bytes, {.code = FrameCode::Return, .values = {Value()}});
  for (const std::uint64_t handle : {1, 0, 0, 0}) {
    append(bytes, {.code = FrameCode::Return, .values = {OpaquePointer{handle}}});
  }
  append(bytes, {.code = FrameCode::Return, .values = {Value()}});  // ffi.SystemLib is freed
  append(bytes, {.code = FrameCode::Return, .values = {std::int64_t{65}, std::string("text")}});
  append(bytes, {.code = FrameCode::CopyAck, .data = "12345678"});
  const TensorView view{0x10, {kDLCPU, 0}, {kDLFloat, 32, 1}, {2}, 0};
  append(bytes, {.code = FrameCode::Return, .values = {std::int64_t{70}, view, OpaquePointer{2}}});
  append(bytes, {.code = FrameCode::Exception, .values = {std::string("boom")}});
  return bytes;
}

/// The first error of the session, or none. The exception at its end is expected.
std::optional<base::Error> useSession(const ScriptedServer& server, std::chrono::milliseconds time) {
  ConnectSettings settings = test::settingsFor(server);
  settings.answerTime = settings.callTime = settings.copyTime = time;
  settings.closeTime = test::kShort;
  const auto client = Client::open(settings);
  if (!client) {
    return client.error();
  }
  if (const auto text = (*client)->call(FunctionHandle{5}, {}); !text) {
    return text.error();
  }
  std::array<std::byte, 8> bytes;
  if (const auto copied = (*client)->copyFrom({0x10, {kDLCPU, 0}, {kDLUInt, 8, 1}, {8}, 0}, bytes); !copied) {
    return copied.error();
  }
  if (const auto tensor = (*client)->call(FunctionHandle{6}, {}); !tensor) {
    return tensor.error();
  }
  const auto failed = (*client)->call(FunctionHandle{7}, {});
  EXPECT_FALSE(failed);
  return failed.error().code == base::ErrorCode::Remote ? std::nullopt : std::optional(failed.error());
}

}  // namespace

TEST(HostileServer, ADeafOneIsDiagnosed) {
  const ScriptedServer server(readToEnd);
  const base::Error error = openError(server, test::kShort);
  EXPECT_EQ(error.code, base::ErrorCode::Timeout);
  EXPECT_NE(error.message.find("accepts connections but does not answer"), std::string::npos)
      << error.message;
  EXPECT_NE(error.hint.find("restart"), std::string::npos);
}

TEST(HostileServer, AKeyThatItDoesNotServe) {
  const ScriptedServer server(sending(words({kServerKeyMismatch})));
  ConnectSettings settings = test::settingsFor(server);
  settings.key = "other";
  const auto client = Client::open(settings);
  ASSERT_FALSE(client);
  EXPECT_EQ(client.error().code, base::ErrorCode::Remote);
  EXPECT_NE(client.error().message.find("does not serve the key \"other\""), std::string::npos);
  EXPECT_NE(client.error().hint.find("tracker"), std::string::npos);
}

TEST(HostileServer, AKeyThatIsTaken) {
  const base::Error error = openError(ScriptedServer(sending(words({kServerKeyTaken}))));
  EXPECT_EQ(error.code, base::ErrorCode::Remote);
  EXPECT_NE(error.message.find("in use"), std::string::npos);
}

TEST(HostileServer, SomethingElseListens) {
  const base::Error http = openError(ScriptedServer(sending("HTTP/1.1 400 Bad Request\r\n\r\n")));
  EXPECT_EQ(http.code, base::ErrorCode::Format);
  EXPECT_NE(http.message.find("no server of TVM's RPC"), std::string::npos);
  EXPECT_FALSE(http.hint.empty());
  const base::Error closed = openError(ScriptedServer([](Connection&) {}));
  EXPECT_EQ(closed.code, base::ErrorCode::ConnectionLost);
  EXPECT_NE(closed.message.find("during the handshake"), std::string::npos) << closed.message;
}

TEST(HostileServer, KeysOfAnySize) {
  for (const std::int32_t size : {-1, 5000, 0x7FFFFFFF}) {
    EXPECT_EQ(openError(ScriptedServer(sending(words({kServerMagic, size})))).code, base::ErrorCode::Format)
        << size;
  }
}

TEST(HostileServer, InitIsRefused) {
  std::string bytes = accepted();
  append(bytes, {.code = FrameCode::Exception, .values = {std::string("wrong version")}});
  const base::Error error = openError(ScriptedServer(sending(bytes, true)));
  EXPECT_EQ(error.code, base::ErrorCode::Remote);
  EXPECT_NE(error.message.find("wrong version"), std::string::npos);
}

TEST(HostileServer, InitIsAnsweredWithSomethingElse) {
  for (const std::vector<Value>& values :
       std::vector<std::vector<Value>>{{}, {std::int64_t{1}}, {Value(), Value()}}) {
    std::string bytes = accepted();
    append(bytes, {.code = FrameCode::Return, .values = values});
    EXPECT_EQ(openError(ScriptedServer(sending(bytes, true))).code, base::ErrorCode::Format);
  }
}

TEST(HostileServer, LengthsThatLie) {
  for (const std::uint64_t length : {std::uint64_t{1}, std::uint64_t{3}, std::uint64_t{1} << 33,
                                     std::uint64_t{1} << 62, ~std::uint64_t{0}}) {
    std::string bytes = accepted();
    appendNumber(bytes, length);
    bytes += std::string(64, '\0');
    EXPECT_EQ(openError(ScriptedServer(sending(bytes, true))).code, base::ErrorCode::Format) << length;
  }
}

TEST(HostileServer, ALengthIsNotPaidForBeforeItsBytesCome) {
  std::string bytes = accepted();
  appendNumber(bytes, kMaxFrameBytes);
  appendNumber(bytes, static_cast<std::int32_t>(FrameCode::Return));
  const base::Error error = openError(ScriptedServer(sending(bytes, true)), test::kShort);
  EXPECT_EQ(error.code, base::ErrorCode::Timeout);
}

TEST(HostileServer, CodesThatAreNoAnswer) {
  for (const std::int32_t code : {0, 2, 3, 6, 7, 8, 9, 21, 22, -1}) {
    std::string bytes = accepted();
    appendNumber(bytes, std::uint64_t{4});
    appendNumber(bytes, code);
    EXPECT_EQ(openError(ScriptedServer(sending(bytes, true))).code, base::ErrorCode::Format) << code;
  }
}

TEST(HostileServer, ASessionIsGoodWhenItIsWhole) {
  const ScriptedServer server(sending(wholeSession(), true));
  const auto error = useSession(server, test::kLong);
  EXPECT_FALSE(error.has_value()) << error->message << "; " << error->detail;
}

TEST(HostileServer, CutAtEveryByteOfASession) {
  const std::string whole = wholeSession();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const ScriptedServer server(sending(whole.substr(0, size)));
    const auto error = useSession(server, test::kLong);
    ASSERT_TRUE(error.has_value()) << size;
    EXPECT_EQ(error->code, base::ErrorCode::ConnectionLost) << size << ": " << error->message;
    EXPECT_FALSE(error->hint.empty()) << size;
  }
}

TEST(HostileServer, SilentAfterEverySeventhByteOfASession) {
  const std::string whole = wholeSession();
  for (std::size_t size = 0; size < whole.size(); size += 7) {
    const ScriptedServer server(sending(whole.substr(0, size), true));
    const auto error = useSession(server, 30ms);
    ASSERT_TRUE(error.has_value()) << size;
    EXPECT_EQ(error->code, base::ErrorCode::Timeout) << size << ": " << error->message;
  }
}

TEST(HostileServer, OneByteAtATimeIsRightButSlow) {
  const std::string whole = wholeSession();
  const ScriptedServer server([&whole](Connection& connection) {
    for (const char byte : whole) {
      static_cast<void>(connection.send(std::string_view(&byte, 1), Deadline::none()));
    }
    readToEnd(connection);
  });
  EXPECT_FALSE(useSession(server, test::kLong).has_value());
}

TEST(HostileServer, EveryByteOfASessionChanged) {
  const std::string whole = wholeSession();
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string changed = whole;
    changed[i] = static_cast<char>(changed[i] ^ 0x55);
    const ScriptedServer server(sending(changed));
    const auto error = useSession(server, test::kLong);  // some changes are as good as the truth
    if (error.has_value()) {
      EXPECT_FALSE(error->message.empty());
    }
  }
}

}  // namespace opscope::rpc
