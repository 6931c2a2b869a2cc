// SPDX-License-Identifier: Apache-2.0
#include "engine/rpc/frames.h"

#include <gtest/gtest.h>

#include "engine/rpc/wire_numbers.h"
#include "tests/rpc/golden_frames.h"

namespace opscope::rpc {

namespace {

constexpr std::size_t kLengthBytes = 8;

void expectSameBytesAgain(const std::vector<test::GoldenFrame>& frames) {
  for (const test::GoldenFrame& golden : frames) {
    const auto frame = parseFrame(Encoding::Tvm022, golden.body);
    ASSERT_TRUE(frame) << golden.from << ": " << frame.error().message;
    FrameWriter writer;
    ASSERT_TRUE(writer.write(Encoding::Tvm022, *frame)) << golden.from;
    EXPECT_EQ(writer.text().substr(kLengthBytes), golden.body) << golden.from;
  }
}

}  // namespace

TEST(Frames, WhatTvmsClientSendsIsWrittenAsItWasRead) {
  const auto frames = test::framesOfTvmsClient();
  EXPECT_GE(frames.size(), 25u);
  expectSameBytesAgain(frames);
}

TEST(Frames, AWalkAgainstTvmsServerIsWrittenAsItWasRead) {
  const auto frames = test::framesOfWalk();
  EXPECT_GE(frames.size(), 120u);
  expectSameBytesAgain(frames);
}

TEST(Frames, CutAnywhereOrTooLongIsAnError) {
  for (const test::GoldenFrame& golden : test::framesOfWalk()) {
    const auto whole = parseFrame(Encoding::Tvm022, golden.body);
    ASSERT_TRUE(whole);
    if (whole->code == FrameCode::CopyAck) {  // any number of bytes is right
      continue;
    }
    for (std::size_t size = 0; size < golden.body.size(); ++size) {
      EXPECT_FALSE(parseFrame(Encoding::Tvm022, std::string_view(golden.body).substr(0, size)))
          << golden.from << " cut at " << size;
    }
    const auto longer = parseFrame(Encoding::Tvm022, golden.body + "abc");
    ASSERT_FALSE(longer) << golden.from;
    EXPECT_EQ(longer.error().code, base::ErrorCode::Format);
  }
}

TEST(Frames, UnknownCodesAreNamed) {
  for (const std::int32_t code : {-1, 22, 0x7FFFFFFF}) {
    std::string body;
    appendNumber(body, code);
    const auto frame = parseFrame(Encoding::Tvm022, body);
    ASSERT_FALSE(frame);
    EXPECT_NE(frame.error().message.find(std::to_string(code)), std::string::npos);
  }
  EXPECT_EQ(frameCodeName(FrameCode::CopyAck), "CopyAck");
  EXPECT_EQ(frameCodeName(FrameCode::GetCurrentStream), "GetCurrentStream");
  EXPECT_EQ(frameCodeName(FrameCode{42}), "code 42");
}

TEST(Frames, InitOfTheSpecification) {
  FrameWriter writer;
  ASSERT_TRUE(
      writer.write(Encoding::Tvm022, {.code = FrameCode::Init, .version = std::string(kProtocolVersion)}));
  const char expected[] =
      "\x15\0\0\0\0\0\0\0"
      "\2\0\0\0"
      "\5\0\0\0\0\0\0\0"
      "0.8.0"
      "\0\0\0";
  EXPECT_EQ(writer.text(), std::string(expected, sizeof(expected)));
}

TEST(Frames, SeveralFramesGoIntoOneWrite) {
  const std::string blob(kGapBytes + 5, 'x');
  FrameWriter writer;
  for (int i = 0; i < 2; ++i) {
    writer.begin(FrameCode::CopyToRemote);
    writer.putTensor({});
    writer.putNumber(blob.size());
    writer.putData(blob);
    writer.end();
  }
  EXPECT_EQ(writer.pieces().size(), 4u);
  EXPECT_EQ(writer.pieces()[1].iov_base, blob.data());
  const std::string text = writer.text();
  EXPECT_EQ(text.size(), writer.size());
  ASSERT_EQ(text.size() % 2, 0u);
  const std::string first = text.substr(0, text.size() / 2);
  EXPECT_EQ(first, text.substr(text.size() / 2));
  ByteCursor cursor(first);
  EXPECT_EQ(cursor.number<std::uint64_t>("length"), first.size() - kLengthBytes);
  const auto frame = parseFrame(Encoding::Tvm022, std::string_view(first).substr(kLengthBytes));
  ASSERT_TRUE(frame) << frame.error().message;
  EXPECT_EQ(frame->data, blob);
}

TEST(Frames, AFrameThatCannotBeSentIsTakenBack) {
  FrameWriter writer;
  ASSERT_TRUE(writer.write(Encoding::Tvm022, {.code = FrameCode::Shutdown}));
  const std::string before = writer.text();
  Frame frame{.code = FrameCode::Call};
  frame.values.resize(kMaxValues + 1);
  EXPECT_FALSE(writer.write(Encoding::Tvm022, frame));
  EXPECT_EQ(writer.text(), before);
}

}  // namespace opscope::rpc
