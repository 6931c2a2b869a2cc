// SPDX-License-Identifier: Apache-2.0
// The connection doctor against servers that a test plays.
#include "engine/session/board_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "engine/rpc/protocol.h"
#include "engine/rpc/wire_numbers.h"
#include "engine/session/board_holder.h"
#include "engine/session/secret_file.h"
#include "tests/rpc/board_session.h"

namespace opscope::session {

namespace {

using rpc::Connection;
using rpc::Value;
using rpc::test::FakeBoard;
using rpc::test::ScriptedServer;

BoardCheck checked(const ScriptedServer& server, const std::string& key = {}) {
  const auto target = parseTarget("rpc://127.0.0.1:" + server.port() + "/" + key);
  EXPECT_TRUE(target);
  CheckOptions options;
  options.timeoutSeconds = 20;
  return checkBoard(*target, options);
}

std::vector<std::string> idsOf(const BoardCheck& check) {
  std::vector<std::string> ids;
  for (const CheckStep& step : check.steps) {
    ids.push_back(step.id);
  }
  return ids;
}

/// Answers a handshake with one word, and an Init with an exception where it comes to that.
ScriptedServer::Script answering(std::int32_t word, std::string behind = {}) {
  return [word, behind](Connection& connection) {
    std::int32_t words[2] = {};
    if (!connection.receiveExact(words, sizeof words, rpc::Deadline::none())) {
      return;
    }
    std::string text(static_cast<std::size_t>(words[1]), '\0');
    std::string answer;
    rpc::appendNumber(answer, word);
    if (connection.receiveExact(text.data(), text.size(), rpc::Deadline::none()) &&
        connection.send(answer + behind, rpc::Deadline::none())) {
      char rest = 0;
      while (connection.receiveExact(&rest, 1, rpc::Deadline::none())) {
      }
    }
  };
}

/// Of what a server says.
std::optional<std::string> wordsOf(const char* json) {
  const auto status = parseBoardStatus(json, "10.0.0.7:9090");
  return status ? holderWords(*status) : std::nullopt;
}

}  // namespace

TEST(BoardCheck, AWrongKeyIsTheMatchKeysStep) {
  const ScriptedServer server(answering(rpc::kServerKeyMismatch));
  const BoardCheck check = checked(server, "other");
  ASSERT_TRUE(check.failure);
  EXPECT_EQ(check.failure->code, base::ErrorCode::Remote);
  EXPECT_EQ(check.steps.back().id, "match-key");
  EXPECT_EQ(check.steps.back().outcome, CheckStep::Outcome::Failed);
}

TEST(BoardCheck, ASilenceBehindTheKeyIsTheProtocolsStep) {
  const std::string key = "server:board";
  std::string behind;
  rpc::appendNumber(behind, static_cast<std::int32_t>(key.size()));
  const ScriptedServer server(answering(rpc::kServerMagic, behind + key));
  const auto target = parseTarget("rpc://127.0.0.1:" + server.port());
  ASSERT_TRUE(target);
  CheckOptions options;
  options.timeoutSeconds = 0.5;
  const BoardCheck check = checkBoard(*target, options);
  ASSERT_TRUE(check.failure);
  EXPECT_EQ(check.failure->code, base::ErrorCode::Timeout);
  EXPECT_THAT(idsOf(check), testing::ElementsAre("name", "tcp", "magic", "match-key", "protocol"));
}

/// What the server raises may speak of keys: that makes it no wrong key.
TEST(BoardCheck, AnExceptionIsTheProtocolsStepWhateverItSays) {
  FakeBoard board;
  board.hook = [](FakeBoard& self, const rpc::Frame& frame) {
    if (frame.code != rpc::FrameCode::Init) {
      return false;
    }
    self.sendException("KeyError: the key of a secret cache is missing");
    return true;
  };
  const ScriptedServer server([&board](Connection& connection) { board.serve(connection); });
  const BoardCheck check = checked(server);
  ASSERT_TRUE(check.failure);
  EXPECT_EQ(check.failure->code, base::ErrorCode::Remote);
  EXPECT_THAT(idsOf(check), testing::ElementsAre("name", "tcp", "magic", "match-key", "protocol"));
  EXPECT_EQ(check.steps[3].outcome, CheckStep::Outcome::Passed);
}

TEST(BoardCheck, ADescriptionWithOtherTypesIsNoFault) {
  for (
      const char* const info :
      {R"({"schema":"opscope.server/1","memory":{"available_bytes":"much","total_bytes":[]},"time_unix_ns":"now"})",
       R"({"schema":"opscope.server/1","memory":[1],"time_unix_ns":1e400})", R"({"memory":{}})", "[]", "x"}) {
    SCOPED_TRACE(info);
    FakeBoard board;
    for (const char* const name :
         {"tvm.rpc.server.upload", "tvm.rpc.server.remove", "tvm.rpc.server.load_module",
          "tvm.rpc.server.ModuleGetFunction", "runtime.RPCTimeEvaluator", "vm.builtin.alloc_storage"}) {
      board.named[name] = {std::int64_t{0}, Value()};
    }
    board.named["opscope.server_info"] = {std::int64_t{65}, Value(std::string(info))};
    const ScriptedServer server([&board](Connection& connection) { board.serve(connection); });
    const BoardCheck check = checked(server);
    EXPECT_FALSE(check.failure) << check.failure->message;
    EXPECT_EQ(check.steps.back().id, "clock");
  }
}

TEST(BoardHolder, WordsOfAServerThatIsFull) {
  EXPECT_EQ(
      wordsOf(R"({"sessions":[{"holder":"ada@lab","peer":"10.0.0.2:5","since_unix_s":0}],"session_count":1,)"
              R"("max_sessions":1,"waiting":2})"),
      "ada@lab (10.0.0.2:5); 2 wait");
  EXPECT_EQ(
      wordsOf(
          R"({"sessions":[{"peer":"a:1"},{"peer":"b:2","holder":""}],"session_count":2,"max_sessions":2})"),
      "a:1, b:2");
  for (const char* const other : {R"({"sessions":[{"peer":"a:1"}],"session_count":1,"max_sessions":2})", "[]",
                                  "x", "{}", R"({"sessions":5,"session_count":"1","max_sessions":[]})"}) {
    EXPECT_EQ(wordsOf(other), std::nullopt) << other;
  }
}

TEST(SecretFile, BoundsAreThoseOfTheServer) {
  std::string name = (std::filesystem::temp_directory_path() / "opscope-secret-XXXXXX").string();
  const std::filesystem::path folder = ::mkdtemp(name.data());
  const std::filesystem::path path = folder / "secret";
  const auto write = [&](const std::string& text, mode_t mode) {
    std::ofstream(path, std::ios::binary) << text;
    ::chmod(path.c_str(), mode);
  };
  EXPECT_EQ(readSecretFile("").value(), "");
  write("0123456789abcdef\r\n", 0600);
  EXPECT_EQ(readSecretFile(path.string()).value(), "0123456789abcdef");
  write("0123456789abcdef", 0644);
  EXPECT_THAT(readSecretFile(path.string()).error().message, testing::HasSubstr("Others can read"));
  write("short", 0600);
  EXPECT_THAT(readSecretFile(path.string()).error().message, testing::HasSubstr("too short"));
  write(std::string(5000, 'x'), 0600);
  EXPECT_FALSE(readSecretFile(path.string()));
  EXPECT_FALSE(readSecretFile((folder / "none").string()));
  EXPECT_FALSE(readSecretFile("/dev/zero"));
  std::filesystem::remove_all(folder);
}

}  // namespace opscope::session
