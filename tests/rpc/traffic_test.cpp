// SPDX-License-Identifier: Apache-2.0
// What a client's log says it sent and got, against what a relay between it and the board counted and what
// the board saw.
#include <gtest/gtest.h>

#include "engine/rpc/remote_calls.h"
#include "engine/rpc/traffic_log.h"
#include "tests/rpc/board_session.h"
#include "tests/rpc/counting_relay.h"

namespace opscope::rpc {

namespace {

using test::BoardSession;
using test::CountingRelay;

constexpr std::uint64_t kFrameHead = 8 + 4;  // length and code

/// A board behind a relay, and a client that has a log.
struct Logged {
  explicit Logged(std::size_t most = TrafficLog::kMostRecords) : log(most) {
    session.open([this](ConnectSettings& settings) {
      settings.port = relay.port();
      settings.traffic = &log;
    });
  }
  Client& client() { return *session.client; }
  std::vector<TrafficRecord> ofCode(FrameCode code) const {
    std::vector<TrafficRecord> found;
    for (const TrafficRecord& record : log.records()) {
      if (record.code == code) {
        found.push_back(record);
      }
    }
    return found;
  }
  const std::string& nameOf(const TrafficRecord& record) const { return log.names()[record.name]; }

  TrafficLog log;
  BoardSession session;
  CountingRelay relay{session.server.port()};
};

TensorView bytesAt(std::uint64_t address, std::int64_t count) {
  return {address, {kDLCPU, 0}, {kDLUInt, 8, 1}, {count}, 0};
}

}  // namespace

TEST(Traffic, BytesAndRequestsAreThoseThatWentOverTheWire) {
  Logged logged;
  constexpr std::int64_t kBytes = 9 << 20;  // three parts
  const auto address = logged.client().allocate(bytesAt(0, kBytes));
  ASSERT_TRUE(address) << address.error().message;
  std::vector<std::byte> data(kBytes, std::byte{7});
  ASSERT_TRUE(logged.client().copyTo(bytesAt(*address, kBytes), data));
  ASSERT_TRUE(logged.client().copyFrom(bytesAt(*address, kBytes), data));
  ASSERT_TRUE(logged.client().callGlobal("echo", {std::string("hello")}));
  ASSERT_FALSE(logged.client().callGlobal("fail", {std::string("no")}));
  EXPECT_EQ(logged.log.bytesOut(), logged.relay.fromClient());
  EXPECT_EQ(logged.log.bytesIn(), logged.relay.fromServer());

  std::uint64_t out = 0, in = 0, requests = 0;
  for (const TrafficRecord& record : logged.log.records()) {
    EXPECT_LE(logged.log.beginNs(), record.beginNs);
    EXPECT_LE(record.beginNs, record.endNs);
    out += record.bytesOut;
    in += record.bytesIn;
    requests += record.requests;
  }
  EXPECT_EQ(out, logged.relay.fromClient());
  EXPECT_EQ(in, logged.relay.fromServer());
  EXPECT_EQ(requests, logged.log.requests());
  EXPECT_EQ(requests, logged.session.board.logged().size());
  EXPECT_EQ(logged.log.notKept(), 0u);
}

TEST(Traffic, ACopyIsOneRecordWithAllItsParts) {
  Logged logged;
  constexpr std::int64_t kBytes = 9 << 20;
  const auto address = logged.client().allocate(bytesAt(0, kBytes));
  ASSERT_TRUE(address);
  std::vector<std::byte> data(kBytes);
  ASSERT_TRUE(logged.client().copyTo(bytesAt(*address, kBytes), data));
  ASSERT_TRUE(logged.client().copyFrom(bytesAt(*address, kBytes), data));
  const auto to = logged.ofCode(FrameCode::CopyToRemote);
  const auto from = logged.ofCode(FrameCode::CopyFromRemote);
  ASSERT_EQ(to.size(), 1u);
  ASSERT_EQ(from.size(), 1u);
  EXPECT_EQ(to[0].requests, logged.session.board.countOf(FrameCode::CopyToRemote));
  EXPECT_EQ(from[0].requests, logged.session.board.countOf(FrameCode::CopyFromRemote));
  // A view of one dimension is 40 bytes, then the number of bytes, then these.
  constexpr std::uint64_t kCopyHead = kFrameHead + 40 + 8;
  EXPECT_EQ(to[0].bytesOut, to[0].requests * kCopyHead + kBytes);
  EXPECT_EQ(from[0].bytesOut, from[0].requests * kCopyHead);
  EXPECT_EQ(from[0].bytesIn, from[0].requests * kFrameHead + kBytes);
  EXPECT_TRUE(to[0].transfer && from[0].transfer);
  const std::int64_t both = to[0].endNs - to[0].beginNs + from[0].endNs - from[0].beginNs;
  EXPECT_EQ(logged.log.transferNs(), both);
}

TEST(Traffic, CallsHaveTheNamesOfTheirFunctions) {
  Logged logged;
  logged.log.enter(3, 5);
  ASSERT_TRUE(logged.client().callGlobal("echo", {std::string("hello")}));
  ASSERT_FALSE(logged.client().callGlobal("fail", {std::string("no")}));
  ASSERT_TRUE(logged.client().call(FunctionHandle{test::kEcho}, {true}));
  const auto calls = logged.ofCode(FrameCode::Call);
  ASSERT_EQ(calls.size(), 3u);
  EXPECT_EQ(logged.nameOf(calls[0]), "echo hello");
  EXPECT_EQ(logged.nameOf(calls[1]), "fail no");
  EXPECT_EQ(logged.nameOf(calls[2]), "echo");
  EXPECT_FALSE(calls[0].failed);
  EXPECT_TRUE(calls[1].failed);
  EXPECT_EQ(calls[0].stage, 3u);
  EXPECT_EQ(calls[0].repeat, 5u);
  const auto lookups = logged.ofCode(FrameCode::GetGlobalFunction);
  ASSERT_FALSE(lookups.empty());
  EXPECT_EQ(logged.nameOf(lookups.back()), "look up fail");
}

TEST(Traffic, UploadsAndWhatIsBroughtOverAreTransfers) {
  Logged logged;
  logged.log.nameFunction(test::kEcho, "tvm.rpc.server.upload");
  ASSERT_TRUE(logged.client().call(FunctionHandle{test::kEcho}, {std::string("model.so")}));
  logged.log.enter(6, 0, true);
  ASSERT_TRUE(logged.client().call(FunctionHandle{test::kBlob}, {std::int64_t{100000}}));
  const auto calls = logged.ofCode(FrameCode::Call);
  ASSERT_EQ(calls.size(), 2u);
  EXPECT_TRUE(calls[0].upload && calls[0].transfer);
  EXPECT_FALSE(calls[1].upload);
  EXPECT_TRUE(calls[1].transfer);
  EXPECT_GT(calls[1].bytesIn, 100000u);
}

TEST(Traffic, FreesThatGoOutTogetherAreOneRecord) {
  Logged logged;
  ASSERT_TRUE(logged.client().call(FunctionHandle{test::kEcho}, {true}));  // with what opening has left
  const auto before = logged.log.records().size();
  for (std::uint64_t handle = 1; handle <= 5; ++handle) {
    logged.client().free(handle);
  }
  ASSERT_TRUE(logged.client().call(FunctionHandle{test::kEcho}, {true}));
  const auto frees = logged.ofCode(FrameCode::FreeHandle);
  ASSERT_FALSE(frees.empty());
  EXPECT_EQ(frees.back().requests, 5u);
  EXPECT_EQ(logged.log.records().size(), before + 2);
}

TEST(Traffic, BeyondTheMostRecordsOnlySumsGrow) {
  Logged logged(4);
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(logged.client().call(FunctionHandle{test::kEcho}, {std::int64_t{i}}));
  }
  EXPECT_EQ(logged.log.records().size(), 4u);
  const std::size_t asked = logged.session.board.logged().size();
  EXPECT_EQ(logged.log.requests(), asked);
  // The connection is a record of its own.
  EXPECT_EQ(logged.log.notKept(), asked + 1 - 4);
  EXPECT_EQ(logged.log.bytesOut(), logged.relay.fromClient());
}

TEST(Traffic, ALostBoardLeavesAFailedRequest) {
  Logged logged;
  ASSERT_FALSE(logged.client().call(FunctionHandle{test::kDie}, {}));
  ASSERT_FALSE(logged.log.records().empty());
  EXPECT_TRUE(logged.log.records().back().failed);
  EXPECT_EQ(logged.log.records().back().bytesIn, 0u);
}

}  // namespace opscope::rpc
