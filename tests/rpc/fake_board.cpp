// SPDX-License-Identifier: Apache-2.0
#include "tests/rpc/fake_board.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "engine/rpc/wire_numbers.h"

namespace opscope::rpc::test {

namespace {

const Deadline kNever = Deadline::none();  // the test's end aborts the connection

std::int64_t typeTagOf(const Value& value) {
  static constexpr std::int64_t kTags[] = {0, 2, 1, 3, 4, 5, 6, 7, 65, 66, 66, 68, 73, 71};
  return kTags[value.index()];
}

}  // namespace

void FakeBoard::serve(Connection& connection) {
  m_connection = &connection;
  m_over = false;
  if (!shakeHands()) {
    return;
  }
  while (!m_over) {
    const auto body = readBody();
    if (!body.has_value()) {
      return;
    }
    auto frame = parseFrame(encoding, *body);
    EXPECT_TRUE(frame) << frame.error().message;
    if (!frame) {
      return;
    }
    log(*frame);
    if (!hook || !hook(*this, *frame)) {
      answer(*frame);
    }
  }
}

bool FakeBoard::shakeHands() {
  std::int32_t words[2] = {};
  if (!connection().receiveExact(words, sizeof(words), kNever) || words[0] != kServerMagic) {
    return false;
  }
  std::string key(static_cast<std::size_t>(words[1]), '\0');
  if (!connection().receiveExact(key.data(), key.size(), kNever)) {
    return false;
  }
  {
    const std::lock_guard lock(m_mutex);
    m_keyText = key;
  }
  std::string answer;
  appendNumber(answer, kServerMagic);
  appendNumber(answer, static_cast<std::int32_t>(deviceKey.size()));
  sendBytes(answer + deviceKey);
  return true;
}

std::optional<std::string> FakeBoard::readBody() {
  std::uint64_t length = 0;
  while (length == 0) {
    const auto received = connection().receiveExact(&length, sizeof(length), kNever);
    if (!received) {
      const std::lock_guard lock(m_mutex);
      m_endedInOrder = received.error().detail == "0 of 8 bytes came";
      return std::nullopt;
    }
  }
  std::string body(length, '\0');
  return connection().receiveExact(body.data(), body.size(), kNever) ? std::optional(body) : std::nullopt;
}

void FakeBoard::log(const Frame& frame) {
  const std::lock_guard lock(m_mutex);
  m_log.push_back(frame);
  m_data.push_back(std::make_unique<std::string>(frame.data));
  m_log.back().data = *m_data.back();
}

void FakeBoard::answer(const Frame& frame) {
  const auto pointerTo = [](std::uint64_t address) { return std::vector<Value>{OpaquePointer{address}}; };
  switch (frame.code) {
    case FrameCode::Shutdown:
      m_over = true;
      // What follows is the client's end.
      static_cast<void>(readBody());
      return;
    case FrameCode::Call:
      return answerCall(frame);
    case FrameCode::GetGlobalFunction:
      return sendReturn(pointerTo(functionCalled(std::get<std::string>(frame.values.at(0)))));
    case FrameCode::AllocateWithScope:
      m_memory[m_nextAddress].resize(dataBytes(std::get<TensorView>(frame.values.at(0))).value_or(0));
      sendReturn(pointerTo(m_nextAddress));
      m_nextAddress += 0x10000000;
      return;
    case FrameCode::CopyToRemote:
    case FrameCode::CopyFromRemote:
      return answerCopy(frame);
    default:
      return sendReturn({Value()});
  }
}

std::uint64_t FakeBoard::functionCalled(const std::string& name) const {
  static const std::map<std::string, std::uint64_t> kOwn = {
      {"echo", kEcho},       {"fail", kFail},     {"break", kBreak},      {"die", kDie},
      {"silence", kSilence}, {"view", kView},     {"tensor", kTensor},    {"blob", kBlob},
      {"module", kModule},   {"object", kObject}, {"function", kFunction}};
  if (const auto own = kOwn.find(name); own != kOwn.end()) {
    return own->second;
  }
  const auto found = named.find(name);
  return found == named.end() ? 0
                              : kFirstNamed + static_cast<std::uint64_t>(std::distance(named.begin(), found));
}

void FakeBoard::answerCall(const Frame& frame) {
  const TensorView view{0x5000, {kDLCPU, 0}, {kDLFloat, 32, 1}, {2, 2}, 8};
  const std::int64_t tensorTag = encoding == Encoding::Tvm021 ? 72 : 70;
  switch (frame.function) {
    case kEcho: {
      const Value& value = frame.values.at(0);
      return sendReturn({typeTagOf(value), value});
    }
    case kFail:
      return sendException(std::get<std::string>(frame.values.at(0)));
    case kBreak:
      m_over = true;
      return send({.code = FrameCode::Shutdown});
    case kDie:
      m_over = true;
      return;
    case kSilence:
      return;
    case kView:
      return sendReturn({std::int64_t{7}, view});
    case kTensor:
      return sendReturn({tensorTag, view, OpaquePointer{0x7777}});
    case kFunction:
      return sendReturn({std::int64_t{68}, OpaquePointer{0x11}});
    case kModule:
      return sendReturn({std::int64_t{73}, OpaquePointer{0x12}});
    case kObject:
      return sendReturn({std::int64_t{140}, OpaquePointer{0x13}});
    case kBlob:
      return sendReturn(
          {std::int64_t{66},
           Bytes{std::string(static_cast<std::size_t>(std::get<std::int64_t>(frame.values.at(0))), 'b')}});
    default:
      return sendReturn(
          std::next(named.begin(), static_cast<std::ptrdiff_t>(frame.function - kFirstNamed))->second);
  }
}

void FakeBoard::answerCopy(const Frame& frame) {
  const std::uint64_t address = frame.tensor.data + frame.tensor.byteOffset;
  auto found = m_memory.upper_bound(address);
  if (found == m_memory.begin()) {
    return sendException("no such memory");
  }
  --found;
  std::vector<char>& block = found->second;
  const std::uint64_t offset = address - found->first;
  if (offset + frame.copyBytes > block.size()) {
    return sendException("outside of the memory");
  }
  if (frame.code == FrameCode::CopyToRemote) {
    std::memcpy(block.data() + offset, frame.data.data(), frame.data.size());
    return sendReturn({Value()});
  }
  send({.code = FrameCode::CopyAck, .data = {block.data() + offset, frame.copyBytes}});
}

void FakeBoard::send(const Frame& frame) {
  FrameWriter writer;
  EXPECT_TRUE(writer.write(encoding, frame));
  static_cast<void>(connection().send(writer.pieces(), kNever));  // the client may be gone
}

void FakeBoard::sendBytes(const std::string& bytes) {
  static_cast<void>(connection().send(bytes, kNever));
}

void FakeBoard::sendReturn(const std::vector<Value>& values) {
  send({.code = FrameCode::Return, .values = values});
}

void FakeBoard::sendException(const std::string& text) {
  send({.code = FrameCode::Exception, .values = {text}});
}

std::string FakeBoard::keyText() const {
  const std::lock_guard lock(m_mutex);
  return m_keyText;
}

std::vector<Frame> FakeBoard::logged() const {
  const std::lock_guard lock(m_mutex);
  return m_log;
}

std::size_t FakeBoard::countOf(FrameCode code) const {
  const std::lock_guard lock(m_mutex);
  return static_cast<std::size_t>(
      std::count_if(m_log.begin(), m_log.end(), [code](const Frame& frame) { return frame.code == code; }));
}

bool FakeBoard::endedInOrder() const {
  const std::lock_guard lock(m_mutex);
  return m_endedInOrder;
}

}  // namespace opscope::rpc::test
