// SPDX-License-Identifier: Apache-2.0
// What a board tells of captured calls: right streams however they are cut, and hostile ones.
#include "engine/session/captured_calls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <optional>
#include <random>

namespace opscope::session {

namespace {

using base::ProbeCapturedCall;
using base::ProbeCapturedTensor;
using base::ProbeOmission;

template <class Value>
void put(std::string& out, const Value& value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

ProbeCapturedTensor headOf(std::vector<std::int64_t> shape, std::size_t placeBytes) {
  ProbeCapturedTensor head;
  head.typeCode = 2;
  head.typeBits = 32;
  head.typeLanes = 1;
  head.rank = static_cast<std::uint32_t>(shape.size());
  head.placeBytes = static_cast<std::uint32_t>(placeBytes);
  head.bytes = static_cast<std::uint64_t>(
                   std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>())) *
               4;
  return head;
}

void putTensor(std::string& out, const std::string& place, const std::vector<std::int64_t>& shape,
               ProbeOmission omission = ProbeOmission::None, bool isOutput = true) {
  ProbeCapturedTensor head = headOf(shape, place.size());
  head.omission = omission;
  head.isOutput = isOutput ? 1 : 0;
  put(out, head);
  out += place;
  for (const std::int64_t size : shape) {
    put(out, size);
  }
  for (std::uint64_t i = 0; omission == ProbeOmission::None && i < head.bytes; ++i) {
    out += static_cast<char>(out.size());
  }
}

void putCall(std::string& out, std::uint64_t sequence, const std::string& name, std::uint32_t tensors) {
  ProbeCapturedCall head;
  head.nameBytes = static_cast<std::uint32_t>(name.size());
  head.sequence = sequence;
  head.tensors = tensors;
  put(out, head);
  out += name;
}

/// A stream, and where its calls end.
struct Stream {
  std::string bytes;
  std::vector<std::size_t> ends{0};
};

Stream rightStream() {
  Stream stream;
  putCall(stream.bytes, 3, "fused_add", 1);
  putTensor(stream.bytes, "arg2", {2, 3});
  stream.ends.push_back(stream.bytes.size());
  putCall(stream.bytes, 7, "split", 3);
  putTensor(stream.bytes, "ret/0", {4});
  putTensor(stream.bytes, "ret/1/0", {}, ProbeOmission::Room);
  putTensor(stream.bytes, "arg0", {0, 5}, ProbeOmission::None, false);
  stream.ends.push_back(stream.bytes.size());
  putCall(stream.bytes, 8, "", 1);
  putTensor(stream.bytes, "", {1}, ProbeOmission::Device);
  stream.ends.push_back(stream.bytes.size());
  return stream;
}

class Reading {
 public:
  Reading() : m_recording(TensorSpool::create().value()), m_reader(m_recording) {}

  base::Result<> read(std::string_view bytes, std::size_t piece) {
    for (std::size_t at = 0; at < bytes.size(); at += piece) {
      OPSCOPE_TRY(m_reader.feed(bytes.substr(at, piece)));
    }
    return m_reader.finish();
  }
  const CallRecording& recording() const { return m_recording; }
  const CaptureReader& reader() const { return m_reader; }

 private:
  CallRecording m_recording;
  CaptureReader m_reader;
};

base::Result<> readAtOnce(std::string_view bytes) {
  return Reading().read(bytes, bytes.size() + 1);
}

/// The error of a call with one tensor whose head was changed.
template <class Change>
base::Result<> withHead(Change change) {
  std::string bytes;
  putCall(bytes, 0, "op", 1);
  ProbeCapturedTensor head = headOf({2, 2}, 3);
  change(head);
  put(bytes, head);
  bytes += "ret";
  put(bytes, std::int64_t{2});
  put(bytes, std::int64_t{2});
  bytes.append(16, 'x');
  return readAtOnce(bytes);
}

}  // namespace

TEST(CapturedCalls, AStreamMayBeCutAnywhere) {
  const Stream stream = rightStream();
  for (std::size_t piece = 1; piece <= stream.bytes.size(); ++piece) {
    SCOPED_TRACE(piece);
    Reading reading;
    const auto read = reading.read(stream.bytes, piece);
    ASSERT_TRUE(read) << read.error().detail;
    const auto& calls = reading.recording().calls();
    ASSERT_EQ(calls.size(), 3U);
    EXPECT_EQ(calls[0].place.name, "fused_add");
    EXPECT_EQ(calls[0].place.sequence, 3U);
    EXPECT_EQ(calls[0].outputs[0].shape, (std::vector<std::int64_t>{2, 3}));
    EXPECT_EQ(reading.recording().read(calls[0].outputs[0])->size(), 24U);
    ASSERT_EQ(calls[1].outputs.size(), 3U);
    EXPECT_EQ(calls[1].outputs[0].place, "ret/0");
    EXPECT_TRUE(calls[1].outputs[0].isOutput);
    EXPECT_FALSE(calls[1].outputs[1].isKept);
    EXPECT_FALSE(calls[1].outputs[2].isOutput);
    EXPECT_EQ(calls[1].outputs[2].size, 0U);
    EXPECT_EQ(reading.reader().omitted(ProbeOmission::Room), 1U);
    EXPECT_EQ(reading.reader().omitted(ProbeOmission::Device), 1U);
    EXPECT_EQ(reading.recording().keptBytes(), 24U + 16U);
  }
}

TEST(CapturedCalls, AStreamThatEndsWithinACallIsDamaged) {
  const Stream stream = rightStream();
  for (std::size_t size = 0; size <= stream.bytes.size(); ++size) {
    const bool isWhole = std::ranges::find(stream.ends, size) != stream.ends.end();
    const auto read = readAtOnce(std::string_view(stream.bytes).substr(0, size));
    EXPECT_EQ(read.has_value(), isWhole) << size;
    if (!read) {
      EXPECT_EQ(read.error().code, base::ErrorCode::Format);
    }
  }
}

TEST(CapturedCalls, HeadsOfCallsAreHeldAgainstTheLimits) {
  const auto withCall = [](auto change) {
    ProbeCapturedCall head;
    head.nameBytes = 2;
    head.tensors = 1;
    change(head);
    std::string bytes;
    put(bytes, head);
    bytes += "op";
    putTensor(bytes, "ret", {1});
    return readAtOnce(bytes);
  };
  EXPECT_TRUE(withCall([](ProbeCapturedCall&) {}));
  EXPECT_FALSE(withCall([](ProbeCapturedCall& head) { head.magic = 1; }));
  EXPECT_FALSE(withCall([](ProbeCapturedCall& head) { head.tensors = 0; }));
  for (const std::uint32_t count : {3U, 1U << 16, 1U << 21, ~0U}) {
    EXPECT_FALSE(withCall([&](ProbeCapturedCall& head) { head.tensors = count; })) << count;
    EXPECT_FALSE(withCall([&](ProbeCapturedCall& head) { head.nameBytes = count; })) << count;
  }
}

TEST(CapturedCalls, HeadsOfTensorsAreHeldAgainstTheLimits) {
  EXPECT_TRUE(withHead([](ProbeCapturedTensor&) {}));
  for (const std::uint64_t bytes :
       {std::uint64_t{0}, std::uint64_t{15}, std::uint64_t{17}, std::uint64_t{1} << 62, ~std::uint64_t{0}}) {
    EXPECT_FALSE(withHead([&](ProbeCapturedTensor& head) { head.bytes = bytes; })) << bytes;
  }
  for (const std::uint32_t count : {0U, 1U, 65U, 1U << 20, ~0U}) {
    EXPECT_FALSE(withHead([&](ProbeCapturedTensor& head) { head.rank = count; })) << count;
  }
  for (const std::uint32_t count : {0U, 257U, 1U << 20, ~0U}) {
    EXPECT_FALSE(withHead([&](ProbeCapturedTensor& head) { head.placeBytes = count; })) << count;
  }
  EXPECT_FALSE(withHead([](ProbeCapturedTensor& head) { head.omission = ProbeOmission{4}; }));
  EXPECT_FALSE(withHead([](ProbeCapturedTensor& head) { head.omission = ProbeOmission{~0U}; }));
  EXPECT_FALSE(withHead([](ProbeCapturedTensor& head) { head.isOutput = 2; }));
  EXPECT_FALSE(withHead([](ProbeCapturedTensor& head) { head.typeLanes = 0xFFFF; }));
}

TEST(CapturedCalls, ShapesThatCannotBe) {
  for (const std::vector<std::int64_t>& shape :
       {std::vector<std::int64_t>{-1, -4}, {std::int64_t{1} << 62, 8}, {INT64_MIN}, {INT64_MAX, INT64_MAX}}) {
    std::string bytes;
    putCall(bytes, 0, "op", 1);
    ProbeCapturedTensor head = headOf({4}, 0);
    head.rank = static_cast<std::uint32_t>(shape.size());
    put(bytes, head);
    for (const std::int64_t size : shape) {
      put(bytes, size);
    }
    bytes.append(64, 'x');
    EXPECT_FALSE(readAtOnce(bytes)) << shape[0];
  }
}

/// What is claimed and does not come costs nothing.
TEST(CapturedCalls, ALargeClaimIsNoMemory) {
  std::string bytes;
  putCall(bytes, 0, "op", 1);
  ProbeCapturedTensor head = headOf({std::int64_t{1} << 40}, 0);
  put(bytes, head);
  put(bytes, std::int64_t{1} << 40);
  bytes.append(1000, 'x');
  Reading reading;
  EXPECT_FALSE(reading.read(bytes, bytes.size()));
  EXPECT_EQ(reading.recording().keptBytes(), 1000U);
  EXPECT_TRUE(reading.recording().calls().empty());
}

TEST(CapturedCalls, ChangedAnywhereIsAnErrorOrAnotherStreamAndNoCrash) {
  const Stream stream = rightStream();
  std::mt19937 random(6);
  for (int attempt = 0; attempt < 20'000; ++attempt) {
    std::string changed = stream.bytes;
    for (int i = 0; i < 3; ++i) {
      changed[random() % changed.size()] = static_cast<char>(random());
    }
    Reading reading;
    (void)reading.read(changed, 1 + random() % 64);
    for (const RecordedCall& call : reading.recording().calls()) {
      for (const RecordedTensor& tensor : call.outputs) {
        EXPECT_TRUE(!tensor.isKept || reading.recording().read(tensor));
      }
    }
  }
}

TEST(CaptureState, IsHeldAgainstItsLayout) {
  base::ProbeCaptureState state;
  state.blocks = 2;
  state.bytes = 2ULL * base::kCaptureBlockBytes;
  const auto bytesOf = [](const base::ProbeCaptureState& from) {
    std::string bytes;
    put(bytes, from);
    return bytes;
  };
  const std::string whole = bytesOf(state);
  EXPECT_TRUE(readCaptureState(whole));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(readCaptureState(std::string_view(whole).substr(0, size))) << size;
  }
  EXPECT_FALSE(readCaptureState(whole + "x"));
  ++state.bytes;
  EXPECT_FALSE(readCaptureState(bytesOf(state)));
  state.bytes = 0;
  state.version = base::kProbeVersion + 1;
  EXPECT_FALSE(readCaptureState(bytesOf(state)));
  state.version = base::kProbeVersion;
  state.magic = 0;
  EXPECT_FALSE(readCaptureState(bytesOf(state)));
}

}  // namespace opscope::session
