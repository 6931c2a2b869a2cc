// SPDX-License-Identifier: Apache-2.0
// Copies of the client: which requests they become, and what comes of them.
#include <gtest/gtest.h>

#include <numeric>

#include "engine/rpc/remote_calls.h"
#include "tests/rpc/board_session.h"

namespace opscope::rpc {

namespace {

using test::BoardSession;
using test::FakeBoard;

constexpr std::int64_t kFourMiB = std::int64_t{4} << 20;

std::vector<std::byte> pattern(std::size_t bytes) {
  std::vector<std::byte> content(bytes);
  for (std::size_t i = 0; i < bytes; ++i) {
    content[i] = static_cast<std::byte>(i * 7 + i / 4096);
  }
  return content;
}

TensorView bytesOn(DLDevice device, std::int64_t count, std::uint64_t data = 0) {
  return {data, device, {kDLUInt, 8, 1}, {count}, 0};
}

std::vector<Frame> copiesOf(const FakeBoard& board) {
  std::vector<Frame> copies;
  for (const Frame& frame : board.logged()) {
    if (frame.code == FrameCode::CopyToRemote || frame.code == FrameCode::CopyFromRemote) {
      copies.push_back(frame);
    }
  }
  return copies;
}

}  // namespace

TEST(Copies, LongOnesGoInPartsAndComeBackEqual) {
  BoardSession session;
  session.open();
  const auto content = pattern(std::size_t{2} * kFourMiB + 1001);
  auto tensor = RemoteTensor::allocate(*session.client,
                                       bytesOn({kDLCPU, 0}, static_cast<std::int64_t>(content.size())));
  ASSERT_TRUE(tensor);
  std::vector<std::uint64_t> told;
  CopyOptions options;
  options.progress = [&told](std::uint64_t done, std::uint64_t total) {
    told.push_back(done);
    EXPECT_EQ(total, std::uint64_t{2} * kFourMiB + 1001);
  };
  ASSERT_TRUE(session.client->copyTo(tensor->view(), content, options));
  EXPECT_EQ(told, (std::vector<std::uint64_t>{kFourMiB, 2 * kFourMiB, 2 * kFourMiB + 1001}));
  std::vector<std::byte> back(content.size());
  ASSERT_TRUE(session.client->copyFrom(tensor->view(), back, options));
  EXPECT_TRUE(back == content);
  const auto copies = copiesOf(session.board);
  ASSERT_EQ(copies.size(), 6u);
  EXPECT_EQ(copies[1].tensor.data, tensor->view().data);
  EXPECT_EQ(copies[1].tensor.byteOffset, static_cast<std::uint64_t>(kFourMiB));
  EXPECT_EQ(copies[2].tensor.shape, std::vector<std::int64_t>{1001});
  EXPECT_EQ(copies[2].copyBytes, 1001u);
  EXPECT_EQ(session.board.countOf(FrameCode::StreamSync), 0u);
}

TEST(Copies, APartOfATensorStartsAtItsOffset) {
  BoardSession session;
  session.open();
  auto tensor = RemoteTensor::allocate(*session.client, bytesOn({kDLCPU, 0}, 64));
  ASSERT_TRUE(tensor);
  const auto content = pattern(64);
  ASSERT_TRUE(session.client->copyTo(tensor->view(), content));
  TensorView part = tensor->view();
  part.byteOffset = 16;
  part.shape = {8};
  std::vector<std::byte> back(8);
  ASSERT_TRUE(session.client->copyFrom(part, back));
  EXPECT_TRUE(std::equal(back.begin(), back.end(), content.begin() + 16));
  ASSERT_TRUE(session.client->copyFrom(part, std::span(back).first(4)));
}

TEST(Copies, ThroughAHopTheOffsetIsInTheAddress) {
  BoardSession session([](FakeBoard&) {},
                       [](ConnectSettings& settings) { settings.constructor = hopTo("board", 9090, ""); });
  const auto init = session.board.logged().at(0);
  ASSERT_EQ(init.values.size(), 5u);
  EXPECT_EQ(std::get<std::string>(init.values[0]), "rpc.Connect");
  auto tensor = RemoteTensor::allocate(*session.client, bytesOn({kDLCPU, 0}, kFourMiB + 32));
  ASSERT_TRUE(tensor);
  TensorView part = tensor->view();
  part.byteOffset = 16;
  part.shape = {kFourMiB + 16};
  ASSERT_TRUE(session.client->copyTo(part, pattern(static_cast<std::size_t>(kFourMiB) + 16)));
  const auto copies = copiesOf(session.board);
  ASSERT_EQ(copies.size(), 2u);
  EXPECT_EQ(copies[0].tensor.data, part.data + 16);
  EXPECT_EQ(copies[0].tensor.byteOffset, 0u);
  EXPECT_EQ(copies[1].tensor.data, part.data + 16 + static_cast<std::uint64_t>(kFourMiB));
  part.device = {kDLVulkan, 0};  // whose addresses are a driver's objects
  EXPECT_EQ(session.client->copyTo(part, pattern(16)).error().code, base::ErrorCode::Unsupported);
}

TEST(Copies, OtherDevicesAreWaitedForAfterwards) {
  BoardSession session;
  session.open();
  auto tensor = RemoteTensor::allocate(*session.client, bytesOn({kDLVulkan, 1}, kFourMiB + 4));
  ASSERT_TRUE(tensor);
  ASSERT_TRUE(session.client->copyTo(tensor->view(), pattern(static_cast<std::size_t>(kFourMiB) + 4)));
  const auto copies = copiesOf(session.board);
  ASSERT_EQ(copies.size(), 2u);
  for (const Frame& copy : copies) {
    EXPECT_EQ(dataBytes(copy.tensor), copy.copyBytes);
    EXPECT_EQ(copy.tensor.device.device_type, kDLVulkan);
  }
  EXPECT_EQ(session.board.countOf(FrameCode::StreamSync), 1u);
}

TEST(Copies, SmallTargetsGetSmallPackets) {
  BoardSession session([](FakeBoard& board) {
    board.named["tvm.rpc.server.GetCRTMaxPacketSize"] = {std::int64_t{1}, std::int64_t{152}};
  });
  auto tensor = RemoteTensor::allocate(*session.client, bytesOn({kDLCPU, 0}, 250));
  ASSERT_TRUE(tensor);
  ASSERT_TRUE(session.client->copyTo(tensor->view(), pattern(250)));
  const auto copies = copiesOf(session.board);
  ASSERT_EQ(copies.size(), 3u);
  for (const Frame& copy : copies) {
    FrameWriter writer;
    ASSERT_TRUE(writer.write(Encoding::Tvm022, copy));
    EXPECT_LE(writer.size(), 152u + 8u);
  }
}

TEST(Copies, AnErrorInTheMiddleLeavesTheSessionGood) {
  BoardSession session;
  session.open();
  auto tensor = RemoteTensor::allocate(*session.client, bytesOn({kDLCPU, 0}, kFourMiB));
  ASSERT_TRUE(tensor);
  TensorView lie = tensor->view();
  lie.shape = {6 * kFourMiB};
  std::vector<std::byte> content(static_cast<std::size_t>(6 * kFourMiB));
  const auto to = session.client->copyTo(lie, content);
  ASSERT_FALSE(to);
  EXPECT_EQ(to.error().code, base::ErrorCode::Remote);
  const auto from = session.client->copyFrom(lie, content);
  ASSERT_FALSE(from);
  EXPECT_EQ(from.error().code, base::ErrorCode::Remote);
  EXPECT_TRUE(session.client->call(FunctionHandle{test::kEcho}, {true}));
}

TEST(Copies, MoreThanTheTensorHasIsRefused) {
  BoardSession session;
  session.open();
  std::vector<std::byte> content(5);
  EXPECT_EQ(session.client->copyTo(bytesOn({kDLCPU, 0}, 4, 1), content).error().code,
            base::ErrorCode::InvalidArgument);
  EXPECT_EQ(session.client->copyFrom(bytesOn({kDLCPU, 0}, -4, 1), content).error().code,
            base::ErrorCode::InvalidArgument);
  EXPECT_TRUE(session.client->copyTo(bytesOn({kDLCPU, 0}, 4, 1), {}));
}

TEST(Copies, AnAnswerOfAnotherSizeEndsTheSession) {
  BoardSession session;
  session.board.hook = [](FakeBoard& board, const Frame& frame) {
    if (frame.code != FrameCode::CopyFromRemote) {
      return false;
    }
    board.send({.code = FrameCode::CopyAck, .data = "abc"});
    return true;
  };
  session.open();
  std::vector<std::byte> content(4);
  const auto copied = session.client->copyFrom(bytesOn({kDLCPU, 0}, 4, 1), content);
  ASSERT_FALSE(copied);
  EXPECT_EQ(copied.error().code, base::ErrorCode::Format);
  EXPECT_TRUE(session.client->failure().has_value());
}

}  // namespace opscope::rpc
