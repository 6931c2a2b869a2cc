// SPDX-License-Identifier: Apache-2.0
// The shared secret between our client and our server, each as it is shipped.
#include <gtest/gtest.h>

#include <string>

#include "engine/rpc/client.h"
#include "tests/server/server_process.h"
#include "tests/server/tracker_side.h"

namespace opscope::rpc::server {

namespace {

using test::ServerProcess;

constexpr const char* kSecret = "correct horse battery staple";

/// Opens a session and uses it; says why it cannot.
std::string servedBy(const ConnectSettings& settings) {
  const auto client = Client::open(settings);
  if (!client) {
    return client.error().message;
  }
  EXPECT_EQ((*client)->server().kind, ServerKind::Opscope);
  const auto path = (*client)->callGlobal("tvm.rpc.server.workpath", {std::string("x")});
  return path ? std::string() : path.error().message;
}

base::Error refusedBy(const ConnectSettings& settings) {
  const auto client = Client::open(settings);
  EXPECT_FALSE(client) << "it came in";
  return client ? base::Error{} : client.error();
}

TEST(SharedSecret, WhoKnowsItComesInAndOthersDoNot) {
  const ServerProcess server({.secret = kSecret});
  ConnectSettings settings = server.settings();
  for (const char* wrong :
       {"correct horse battery stapl", "correct horse battery staple ", "\xFF\xFE other one, binary"}) {
    settings.secret = wrong;
    const base::Error refused = refusedBy(settings);
    EXPECT_EQ(refused.code, base::ErrorCode::Remote);
    EXPECT_NE(refused.message.find("does not share our secret"), std::string::npos) << refused.message;
  }
  settings.secret = kSecret;
  EXPECT_EQ(servedBy(settings), "");
  settings.clientName = "ada@laptop";
  settings.sessionSeconds = 60;
  EXPECT_EQ(servedBy(settings), "");
}

TEST(SharedSecret, WithoutOneTheClientIsTurnedAwayAsTVMsAre) {
  const ServerProcess server({.secret = kSecret, .key = "rpi"});
  ConnectSettings settings = server.settings();
  settings.key = "rpi";
  const base::Error refused = refusedBy(settings);  // without a secret our first words are those of TVM's
  EXPECT_EQ(refused.code, base::ErrorCode::Remote);
  EXPECT_NE(refused.message.find("does not serve the key \"rpi\""), std::string::npos) << refused.message;
  EXPECT_NE(refused.hint.find("secret"), std::string::npos) << refused.hint;
}

TEST(SharedSecret, TheKeyMustBeRightAsWell) {
  const ServerProcess server({.secret = kSecret, .key = "rpi"});
  ConnectSettings settings = server.settings();
  settings.secret = kSecret;
  settings.key = "other";
  EXPECT_EQ(refusedBy(settings).code, base::ErrorCode::Remote);
  settings.key = "rpi";
  EXPECT_EQ(servedBy(settings), "");
}

TEST(SharedSecret, AServerWithoutOneIsRefusedByAClientThatHasOne) {
  const ServerProcess server({});
  ConnectSettings settings = server.settings();
  settings.secret = kSecret;
  const base::Error refused = refusedBy(settings);
  EXPECT_EQ(refused.code, base::ErrorCode::Remote);
  EXPECT_NE(refused.detail.find("started without one"), std::string::npos) << refused.detail;
  settings.secret.clear();
  EXPECT_EQ(servedBy(settings), "");
}

TEST(SharedSecret, ThroughATrackerTheKeyOfTheOfferAndTheSecretAreNeeded) {
  const Listener listener = Listener::open("127.0.0.1", 0, 0).value();
  const ServerProcess server(
      {.secret = kSecret, .key = "rpi", .tracker = "127.0.0.1:" + std::to_string(listener.port())});
  test::TrackerSide tracker(listener);
  tracker.greet();
  EXPECT_EQ(tracker.ask().at(0), 5);
  tracker.answer("0");
  const auto offer = tracker.ask();
  ASSERT_EQ(offer.at(0), 3);
  tracker.answer("0");
  ConnectSettings settings = server.settings();
  settings.key = offer.at(2).at(1);
  EXPECT_EQ(refusedBy(settings).code, base::ErrorCode::Remote);
  settings.secret = "correct horse battery stapl";
  EXPECT_EQ(refusedBy(settings).code, base::ErrorCode::Remote);
  settings.secret = kSecret;  // those who were refused have not used the key up
  EXPECT_EQ(servedBy(settings), "");
  EXPECT_EQ(refusedBy(settings).code, base::ErrorCode::Remote);
}

}  // namespace

}  // namespace opscope::rpc::server
