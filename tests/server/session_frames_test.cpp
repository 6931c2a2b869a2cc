// SPDX-License-Identifier: Apache-2.0
// Requests that are damaged at every byte: the session answers each whole frame once and ends in order.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "engine/rpc/frames.h"
#include "tests/server/local_session.h"

namespace opscope::rpc::server::test {

namespace {

std::string viewOf(std::uint64_t address, std::int64_t elements) {
  return bytesOf(address, std::int32_t{kDLCPU}, std::int32_t{0}, std::int32_t{1}, DLDataType{kDLFloat, 32, 1},
                 elements, std::uint64_t{0});
}

/// One request of each shape; handles and addresses are unknown ones.
std::vector<std::string> requests() {
  const std::string view = viewOf(0x1000, 4);
  const std::string device = bytesOf(Tag::Device, std::int32_t{kDLCPU}, std::int32_t{0});
  const std::string values =
      bytesOf(std::int32_t{9}, Tag::None, Tag::Int, std::int64_t{1}, Tag::Float, 0.5) + textValue("text") +
      bytesOf(Tag::ByteArray, std::uint64_t{3}) + "abc" +
      bytesOf(Tag::SmallBytes, Tag::Bytes, std::uint64_t{2}) + "xy" + device +
      bytesOf(Tag::ObjectReference, Tag::ObjectReference, std::uint64_t{7}, Tag::TensorView) + view;
  return {frameOf(FrameCode::GetGlobalFunction, bytesOf(std::int32_t{1}) + textValue("ffi.Array")),
          frameOf(FrameCode::Call, bytesOf(std::uint64_t{1} << 32) + values),
          frameOf(FrameCode::AllocateWithScope,
                  bytesOf(std::int32_t{2}, Tag::TensorView) + viewOf(0, 4) + bytesOf(Tag::None)),
          frameOf(FrameCode::CopyToRemote, view + bytesOf(std::uint64_t{16}) + std::string(16, 'x')),
          frameOf(FrameCode::CopyFromRemote, view + bytesOf(std::uint64_t{16})),
          frameOf(FrameCode::FreeHandle, bytesOf(std::int32_t{1}, Tag::OpaquePointer, std::uint64_t{5})),
          frameOf(FrameCode::GetAttribute,
                  bytesOf(std::int32_t{2}) + device + bytesOf(Tag::Int, std::int64_t{5}))};
}

void expectReply(const std::optional<std::string>& body) {
  ASSERT_TRUE(body.has_value());
  const auto frame = parseFrame(Encoding::Tvm022, *body);
  ASSERT_TRUE(frame.has_value()) << frame.error().message;
  EXPECT_TRUE(frame->code == FrameCode::Return || frame->code == FrameCode::Exception ||
              frame->code == FrameCode::CopyAck);
}

TEST(SessionFrames, EveryByteDamagedIsAnsweredAndTheSessionGoesOn) {
  LocalSession session;
  expectReply(session.request(initFrame()));
  for (const std::string& request : requests()) {
    for (std::size_t at = 8; at < request.size(); ++at) {  // the length stays true
      for (const unsigned change : {0x01U, 0x80U, 0xFFU}) {
        std::string damaged = request;
        damaged[at] = static_cast<char>(static_cast<unsigned char>(damaged[at]) ^ change);
        std::int32_t code = 0;
        std::memcpy(&code, damaged.data() + 8, sizeof(code));
        if (static_cast<FrameCode>(code) == FrameCode::Shutdown) {
          continue;
        }
        expectReply(session.request(damaged));
      }
    }
  }
  expectReply(session.request(functionFrame("opscope.server_info")));
}

TEST(SessionFrames, EveryShorterFrameIsAnswered) {
  LocalSession session;
  expectReply(session.request(initFrame()));
  for (const std::string& request : requests()) {
    for (std::size_t size = 1; size < request.size() - 8; ++size) {
      expectReply(session.request(bytesOf(std::uint64_t{size}) + request.substr(8, size)));
    }
    expectReply(session.request(bytesOf(request.size() - 8 + 5) + request.substr(8) + "12345"));
  }
}

TEST(SessionFrames, CutAtEveryByteEndsTheSession) {
  const std::string whole = initFrame() + requests()[1] + requests()[3];
  for (std::size_t size = 0; size < whole.size(); ++size) {
    LocalSession session;
    ASSERT_TRUE(session.send(whole.substr(0, size)));
    session.finishSending();
    session.rest();  // comes to its end
  }
}

TEST(SessionFrames, LengthsThatCannotBeBelievedEndItWithWords) {
  for (const std::uint64_t length : {kMaxFrameBytes + 1, std::uint64_t{1} << 62, ~std::uint64_t{0}}) {
    LocalSession session;
    expectReply(session.request(initFrame()));
    const auto body = session.request(bytesOf(length, FrameCode::Call));
    ASSERT_TRUE(body.has_value());
    EXPECT_NE(body->find("claims"), std::string::npos);
    EXPECT_EQ(session.reply(), std::nullopt);
  }
}

TEST(SessionFrames, TheEndOfTheClientsSendingIsNoFailure) {
  LocalSession session;
  ASSERT_TRUE(session.send(initFrame() + functionFrame("ffi.Array") + functionFrame("no.such")));
  session.finishSending();
  for (int i = 0; i < 3; ++i) {
    expectReply(session.reply());
  }
  EXPECT_EQ(session.reply(), std::nullopt);
}

}  // namespace

}  // namespace opscope::rpc::server::test
