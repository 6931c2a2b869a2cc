// SPDX-License-Identifier: Apache-2.0
#include "engine/rpc/encoding.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "engine/rpc/protocol.h"
#include "engine/rpc/wire_numbers.h"

namespace opscope::rpc {

namespace {

constexpr Encoding kEncodings[] = {Encoding::Legacy, Encoding::Tvm021, Encoding::Tvm022};

std::vector<Value> everyKind() {
  return {Value(),
          true,
          false,
          std::int64_t{-5},
          std::numeric_limits<std::int64_t>::max(),
          2.5,
          std::nan(""),
          OpaquePointer{},
          OpaquePointer{0xFFFFFFFFFFFFFFFFu},
          DLDataType{kDLFloat, 16, 4},
          DLDevice{kDLCUDA, 3},
          TensorView{0x7000, {kDLCPU, 0}, {kDLInt, 64, 1}, {2, 3, 0}, 16},
          TensorView{0x7000, {kDLCPU, 0}, {kDLInt, 64, 1}, {}, 0},
          std::string(),
          std::string("a string"),
          std::string(300, 'x'),
          Bytes{},
          Bytes{std::string("\0\1\2", 3)},
          FunctionHandle{11},
          ModuleHandle{12},
          ObjectHandle{13}};
}

std::string encoded(Encoding encoding, const std::vector<Value>& values) {
  std::string out;
  EXPECT_TRUE(encodeSequence(encoding, values, out).has_value());
  return out;
}

void expectSame(const std::vector<Value>& found, const std::vector<Value>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_TRUE(sameValue(found[i], expected[i])) << i << ", " << kindOf(expected[i]);
  }
}

/// A sequence of one value, from its tag and payload in the newer encodings.
template <class... Numbers>
std::string sequenceOf(std::int32_t tag, Numbers... numbers) {
  std::string bytes;
  appendNumber(bytes, std::int32_t{1});
  appendNumber(bytes, tag);
  (appendNumber(bytes, numbers), ...);
  return bytes;
}

base::Result<std::vector<Value>> decode(Encoding encoding, std::string_view bytes) {
  ByteCursor cursor(bytes);
  return decodeSequence(encoding, cursor);
}

std::string messageOf(const base::Result<std::vector<Value>>& result) {
  return result ? "" : result.error().message;
}

}  // namespace

TEST(Encoding, EveryKindOfValueComesBackInEveryEncoding) {
  for (const Encoding encoding : kEncodings) {
    SCOPED_TRACE(encodingName(encoding));
    const std::string bytes = encoded(encoding, everyKind());
    ByteCursor cursor(bytes);
    auto decoded = decodeSequence(encoding, cursor);
    ASSERT_TRUE(decoded) << decoded.error().message;
    EXPECT_EQ(cursor.left(), 0u);
    auto expected = everyKind();
    if (encoding == Encoding::Legacy) {  // sent as ints: bools came with 0.18 only
      expected[1] = std::int64_t{1};
      expected[2] = std::int64_t{0};
    }
    expectSame(*decoded, expected);
  }
}

TEST(Encoding, LegacyHasAllTagsBeforeAllValues) {
  const std::vector<Value> values{std::int64_t{7}, Value(), std::string("ab")};
  std::string expected;
  for (const std::int32_t number : {3, 0, 4, 11}) {
    appendNumber(expected, number);
  }
  appendNumber(expected, std::int64_t{7});
  appendSized(expected, "ab");
  EXPECT_EQ(encoded(Encoding::Legacy, values), expected);
}

TEST(Encoding, TheEmptySequenceIsTheSameInAll) {
  for (const Encoding encoding : kEncodings) {
    EXPECT_EQ(encoded(encoding, {}), std::string(4, '\0'));
  }
}

TEST(Encoding, StringsAndBytesAsObjectsAreTaken) {
  std::string text = sequenceOf(11, std::uint32_t{65});
  appendSized(text, "short");
  std::string bytes = sequenceOf(66, std::uint32_t{66});
  appendSized(bytes, "longer than seven");
  for (const Encoding encoding : {Encoding::Tvm021, Encoding::Tvm022}) {
    const auto string = decode(encoding, text);
    ASSERT_TRUE(string) << messageOf(string);
    expectSame(*string, {std::string("short")});
    const auto blob = decode(encoding, bytes);
    ASSERT_TRUE(blob) << messageOf(blob);
    expectSame(*blob, {Bytes{"longer than seven", true}});
  }
}

TEST(Encoding, BytesGoOutAsObjectsOnlyWhereAskedAndKnown) {
  const std::vector<Value> values{Bytes{"by", true}};
  EXPECT_EQ(encoded(Encoding::Tvm021, values), encoded(Encoding::Tvm021, {Bytes{"by"}}));
  std::string expected = sequenceOf(12, std::uint32_t{66});
  appendSized(expected, "by");
  EXPECT_EQ(encoded(Encoding::Tvm022, values), expected);
}

TEST(Encoding, LongViewsLeaveGaps) {
  const std::string blob(kGapBytes, 'b');
  std::string out;
  std::vector<Gap> gaps;
  const std::vector<Value> values{BytesView{blob}, std::int64_t{1}};
  ASSERT_TRUE(encodeSequence(Encoding::Tvm022, values, out, &gaps));
  ASSERT_EQ(gaps.size(), 1u);
  EXPECT_EQ(gaps[0].content.data(), blob.data());
  out.insert(gaps[0].position, gaps[0].content);
  EXPECT_EQ(out, encoded(Encoding::Tvm022, values));
}

TEST(Encoding, BlobsCanBeViewed) {
  const std::string bytes = encoded(Encoding::Tvm022, {Bytes{"content"}});
  ByteCursor cursor(bytes);
  const auto decoded = decodeSequence(Encoding::Tvm022, cursor, BlobMode::View);
  ASSERT_TRUE(decoded);
  const auto* view = std::get_if<BytesView>(&decoded->at(0));
  ASSERT_NE(view, nullptr);
  EXPECT_EQ(view->content, "content");
  EXPECT_GE(view->content.data(), bytes.data());
}

TEST(Encoding, CutAnywhereIsAnError) {
  for (const Encoding encoding : kEncodings) {
    const std::string bytes = encoded(encoding, everyKind());
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      const auto decoded = decode(encoding, std::string_view(bytes).substr(0, size));
      ASSERT_FALSE(decoded) << encodingName(encoding) << " cut at " << size;
      EXPECT_EQ(decoded.error().code, base::ErrorCode::Format);
      EXPECT_FALSE(decoded.error().message.empty());
    }
  }
}

TEST(Encoding, LengthsOutOfBoundsAreErrorsAndAllocateNothing) {
  for (const std::int64_t size :
       {std::int64_t{-1}, std::int64_t{1} << 62, std::int64_t{1} << 31, std::int64_t{100}}) {
    EXPECT_FALSE(decode(Encoding::Tvm022, sequenceOf(8, size)));
    EXPECT_FALSE(decode(Encoding::Tvm022, sequenceOf(9, size)));
    EXPECT_FALSE(decode(Encoding::Tvm022, sequenceOf(65, std::uint32_t{65}, size)));
  }
  for (const std::int32_t count : {-1, 2, 4097, 0x7FFFFFFF}) {
    std::string bytes;
    appendNumber(bytes, count);
    appendNumber(bytes, std::int32_t{0});
    EXPECT_FALSE(decode(Encoding::Tvm022, bytes)) << count;
    EXPECT_FALSE(decode(Encoding::Legacy, bytes)) << count;
  }
  for (const std::int32_t dimensions : {-1, 65, 0x7FFFFFFF}) {
    const auto decoded = decode(Encoding::Tvm022, sequenceOf(7, std::uint64_t{0}, std::int32_t{1},
                                                             std::int32_t{0}, dimensions, std::int32_t{0}));
    ASSERT_FALSE(decoded);
    EXPECT_NE(decoded.error().message.find("dimensions"), std::string::npos) << decoded.error().message;
  }
}

TEST(Encoding, UnknownTagsAndTypesAreNamed) {
  for (const std::int32_t tag : {10, 13, 64, 67, 70, -1}) {
    const auto decoded = decode(Encoding::Tvm022, sequenceOf(tag, std::uint64_t{0}));
    ASSERT_FALSE(decoded) << tag;
    EXPECT_NE(
        decoded.error().message.find("value 1 of 1: a value with the unknown tag " + std::to_string(tag)),
        std::string::npos)
        << decoded.error().message;
  }
  for (const std::int32_t tag : {11, 12, 65, 66, 115}) {
    EXPECT_FALSE(decode(Encoding::Tvm022, sequenceOf(tag, std::uint32_t{99}, std::uint64_t{0}))) << tag;
  }
  EXPECT_FALSE(decode(Encoding::Legacy, sequenceOf(13, std::uint64_t{0})));
}

TEST(Encoding, WhatCannotBeSentIsToldByItsPosition) {
  std::string out = "kept";
  TensorView view;
  view.shape.assign(kMaxDimensions + 1, 1);
  const std::vector<Value> values{std::int64_t{1}, view};
  const auto encoded = encodeSequence(Encoding::Tvm022, values, out);
  ASSERT_FALSE(encoded);
  EXPECT_NE(encoded.error().message.find("argument 1"), std::string::npos);
  EXPECT_EQ(out, "kept");
  const char byte = 0;
  const std::vector<Value> tooLong{BytesView{std::string_view(&byte, std::size_t{kMaxBlobBytes} + 1)}};
  EXPECT_FALSE(encodeSequence(Encoding::Tvm022, tooLong, out));
  EXPECT_FALSE(encodeSequence(Encoding::Tvm022, std::vector<Value>(kMaxValues + 1), out));
  EXPECT_EQ(out, "kept");
}

TEST(Value, BytesOfTensors) {
  TensorView view{0, {kDLCPU, 0}, {kDLFloat, 32, 1}, {2, 3}, 0};
  EXPECT_EQ(dataBytes(view), 24u);
  view.dtype = {kDLInt, 4, 1};
  EXPECT_EQ(dataBytes(view), 6u);
  view.shape = {};
  EXPECT_EQ(dataBytes(view), 1u);
  view.shape = {std::int64_t{1} << 40, 0, std::int64_t{1} << 40};
  EXPECT_EQ(dataBytes(view), std::nullopt);
  view.shape = {0, 5};
  EXPECT_EQ(dataBytes(view), 0u);
  view.shape = {-1};
  EXPECT_EQ(dataBytes(view), std::nullopt);
}

}  // namespace opscope::rpc
