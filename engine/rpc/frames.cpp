// SPDX-License-Identifier: Apache-2.0
#include "engine/rpc/frames.h"

#include <fmt/format.h>

#include <array>
#include <cstring>

#include "engine/rpc/wire_numbers.h"

namespace opscope::rpc {

namespace {

constexpr std::size_t kLengthBytes = sizeof(std::uint64_t);

bool holdsValues(FrameCode code) {
  return code == FrameCode::Init || code == FrameCode::Call || code == FrameCode::Return ||
         code == FrameCode::Exception || isSystemCall(code);
}

bool isCopy(FrameCode code) {
  return code == FrameCode::CopyFromRemote || code == FrameCode::CopyToRemote;
}

base::Result<> parseVersion(ByteCursor& cursor, Frame& frame) {
  OPSCOPE_TRY_ASSIGN(const auto size, cursor.number<std::uint64_t>("the protocol's version"));
  if (size > kMaxVersionBytes) {
    return base::Error{base::ErrorCode::Format,
                       fmt::format("the protocol's version is said to have {} bytes", size),
                       fmt::format("expected at most {}", kMaxVersionBytes),
                       {}};
  }
  OPSCOPE_TRY_ASSIGN(const std::string_view version, cursor.take(size, "the protocol's version"));
  frame.version = version;
  return {};
}

base::Result<> parseCopy(ByteCursor& cursor, Frame& frame) {
  OPSCOPE_TRY_ASSIGN(frame.tensor, decodeTensorView(cursor));
  OPSCOPE_TRY_ASSIGN(frame.copyBytes, cursor.number<std::uint64_t>("the number of bytes to copy"));
  if (frame.code == FrameCode::CopyToRemote) {
    OPSCOPE_TRY_ASSIGN(frame.data, cursor.take(frame.copyBytes, "the bytes to copy"));
  }
  return {};
}

}  // namespace

bool isSystemCall(FrameCode code) {
  const auto number = static_cast<std::int32_t>(code);
  return number >= static_cast<std::int32_t>(FrameCode::GetGlobalFunction) && number <= kLastFrameCode;
}

std::string frameCodeName(FrameCode code) {
  static constexpr std::array<std::string_view, kLastFrameCode + 1> kNames = {"None",
                                                                              "Shutdown",
                                                                              "Init",
                                                                              "Call",
                                                                              "Return",
                                                                              "Exception",
                                                                              "CopyFromRemote",
                                                                              "CopyToRemote",
                                                                              "CopyAck",
                                                                              "GetGlobalFunction",
                                                                              "FreeHandle",
                                                                              "SetDevice",
                                                                              "GetAttribute",
                                                                              "AllocateBytes",
                                                                              "FreeData",
                                                                              "StreamSync",
                                                                              "CopyAmongRemote",
                                                                              "AllocateWithScope",
                                                                              "CreateStream",
                                                                              "FreeStream",
                                                                              "SetStream",
                                                                              "GetCurrentStream"};
  const auto number = static_cast<std::int32_t>(code);
  return number >= 0 && number <= kLastFrameCode ? std::string(kNames[static_cast<std::size_t>(number)])
                                                 : fmt::format("code {}", number);
}

base::Result<FrameCode> parseFrameCode(std::string_view body) {
  ByteCursor cursor(body);
  OPSCOPE_TRY_ASSIGN(const auto code, cursor.number<std::int32_t>("the code"));
  if (code < 0 || code > kLastFrameCode) {
    return base::Error{
        base::ErrorCode::Format, fmt::format("a frame has the unknown code {}", code),
        fmt::format("expected 0 to {}", kLastFrameCode),
        "what answers there speaks another protocol: check the address and the version of its TVM"};
  }
  return FrameCode{code};
}

base::Result<Frame> parseFrame(Encoding encoding, std::string_view body, BlobMode blobs) {
  Frame frame;
  OPSCOPE_TRY_ASSIGN(frame.code, parseFrameCode(body));
  ByteCursor cursor(body);
  OPSCOPE_TRY(cursor.take(sizeof(std::int32_t), "the code"));
  if (frame.code == FrameCode::Init) {
    OPSCOPE_TRY(parseVersion(cursor, frame));
  } else if (frame.code == FrameCode::Call) {
    OPSCOPE_TRY_ASSIGN(frame.function, cursor.number<std::uint64_t>("the function's handle"));
  } else if (isCopy(frame.code)) {
    OPSCOPE_TRY(parseCopy(cursor, frame));
  } else if (frame.code == FrameCode::CopyAck) {
    frame.data = cursor.rest();
  }
  if (holdsValues(frame.code)) {
    OPSCOPE_TRY_ASSIGN(frame.values, decodeSequence(encoding, cursor, blobs));
  }
  OPSCOPE_TRY(cursor.expectEnd());
  return frame;
}

void FrameWriter::begin(FrameCode code) {
  m_frameStart = m_bytes.size();
  m_frameGaps = m_gaps.size();
  appendNumber(m_bytes, std::uint64_t{0});
  appendNumber(m_bytes, static_cast<std::int32_t>(code));
}

void FrameWriter::putNumber(std::uint64_t value) {
  appendNumber(m_bytes, value);
}

void FrameWriter::putText(std::string_view text) {
  appendSized(m_bytes, text);
}

base::Result<> FrameWriter::putValues(Encoding encoding, std::span<const Value> values) {
  auto encoded = encodeSequence(encoding, values, m_bytes, &m_gaps);
  if (!encoded) {
    takeBack();
  }
  return encoded;
}

void FrameWriter::putData(std::string_view data) {
  if (data.size() < kGapBytes) {
    m_bytes.append(data);
  } else {
    m_gaps.push_back({m_bytes.size(), data});
  }
}

void FrameWriter::end() {
  std::uint64_t length = m_bytes.size() - m_frameStart - kLengthBytes;
  for (std::size_t i = m_frameGaps; i < m_gaps.size(); ++i) {
    length += m_gaps[i].content.size();
  }
  std::memcpy(m_bytes.data() + m_frameStart, &length, sizeof(length));
}

FrameCode FrameWriter::lastCode() const {
  std::int32_t code = 0;
  std::memcpy(&code, m_bytes.data() + m_frameStart + kLengthBytes, sizeof(code));
  return FrameCode{code};
}

std::uint64_t FrameWriter::lastFrameBytes() const {
  std::uint64_t length = 0;
  std::memcpy(&length, m_bytes.data() + m_frameStart, sizeof(length));
  return length + kLengthBytes;
}

base::Result<> FrameWriter::write(Encoding encoding, const Frame& frame) {
  begin(frame.code);
  if (frame.code == FrameCode::Init) {
    putText(frame.version);
  } else if (frame.code == FrameCode::Call) {
    putNumber(frame.function);
  } else if (isCopy(frame.code)) {
    putTensor(frame.tensor);
    putNumber(frame.copyBytes);
  }
  putData(frame.data);
  if (holdsValues(frame.code)) {
    OPSCOPE_TRY(putValues(encoding, frame.values));
  }
  end();
  return {};
}

std::uint64_t FrameWriter::size() const {
  std::uint64_t size = m_bytes.size();
  for (const Gap& gap : m_gaps) {
    size += gap.content.size();
  }
  return size;
}

std::span<const iovec> FrameWriter::pieces() {
  m_pieces.clear();
  const auto add = [this](const char* data, std::size_t size) {
    if (size > 0) {
      m_pieces.push_back({const_cast<char*>(data), size});  // writev only reads
    }
  };
  std::size_t from = 0;
  for (const Gap& gap : m_gaps) {
    add(m_bytes.data() + from, gap.position - from);
    add(gap.content.data(), gap.content.size());
    from = gap.position;
  }
  add(m_bytes.data() + from, m_bytes.size() - from);
  return m_pieces;
}

std::string FrameWriter::text() {
  std::string text;
  for (const iovec& piece : pieces()) {
    text.append(static_cast<const char*>(piece.iov_base), piece.iov_len);
  }
  return text;
}

void FrameWriter::clear() {
  m_bytes.clear();
  m_gaps.clear();
}

void FrameWriter::takeBack() {
  m_bytes.resize(m_frameStart);
  m_gaps.resize(m_frameGaps);
}

}  // namespace opscope::rpc
