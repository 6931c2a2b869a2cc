// SPDX-License-Identifier: Apache-2.0
#include "engine/session/captured_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <span>

namespace opscope::session {

namespace {

constexpr std::uint32_t kMostNameBytes = 1U << 20;
constexpr std::uint32_t kMostPlaceBytes = 256;
constexpr std::uint32_t kMostTensors = 1U << 17;
constexpr std::uint32_t kMostRank = 64;

base::Error damaged(std::string detail) {
  return {base::ErrorCode::Format, "What the probe kept of calls is damaged.", std::move(detail),
          "Try again; when it happens again, the connection changes what it carries."};
}

/// Nothing when no tensor can be like this.
std::optional<std::uint64_t> bytesOf(const RecordedTensor& tensor) {
  std::uint64_t count = std::uint64_t{tensor.type.bits} * tensor.type.lanes;
  for (const std::int64_t size : tensor.shape) {
    if (size < 0 || __builtin_mul_overflow(count, static_cast<std::uint64_t>(size), &count)) {
      return std::nullopt;
    }
  }
  return count / 8 + (count % 8 != 0 ? 1 : 0);
}

}  // namespace

base::Result<base::ProbeCaptureState> readCaptureState(std::string_view bytes) {
  base::ProbeCaptureState state;
  if (bytes.size() != sizeof state) {
    return damaged(fmt::format("Its state has {} bytes of {}.", bytes.size(), sizeof state));
  }
  std::memcpy(&state, bytes.data(), sizeof state);
  const std::uint64_t most = std::uint64_t{state.blocks} * base::kCaptureBlockBytes;
  if (state.magic != base::kProbeMagic || state.version != base::kProbeVersion || state.bytes > most) {
    return damaged("Its state is of another layout.");
  }
  return state;
}

template <class Value>
Value CaptureReader::takeValue() {
  Value value;
  std::memcpy(&value, m_pending.data(), sizeof value);
  return value;
}

base::Result<> CaptureReader::feed(std::string_view bytes) {
  m_rest = bytes;
  for (;;) {
    OPSCOPE_TRY_ASSIGN(const bool goesOn, readPart());
    if (!goesOn) {
      return {};
    }
  }
}

base::Result<bool> CaptureReader::readPart() {
  if (m_part == Part::Elements) {
    OPSCOPE_TRY(takeElements());
    return m_part != Part::Elements;
  }
  const std::size_t wanted = static_cast<std::size_t>(m_needed) - m_pending.size();
  const std::size_t taken = std::min(wanted, m_rest.size());
  m_pending += m_rest.substr(0, taken);
  m_rest.remove_prefix(taken);
  if (taken < wanted) {
    return false;
  }
  switch (m_part) {
    case Part::Call:
      OPSCOPE_TRY(beginCall());
      break;
    case Part::Name:
      m_call.place.name = m_pending;
      m_part = Part::Tensor;
      m_needed = sizeof(base::ProbeCapturedTensor);
      break;
    case Part::Tensor:
      OPSCOPE_TRY(beginTensor());
      break;
    case Part::Place:
      OPSCOPE_TRY(placeTensor());
      break;
    case Part::Elements:
      break;
  }
  m_pending.clear();
  return true;
}

base::Result<> CaptureReader::beginCall() {
  const auto head = takeValue<base::ProbeCapturedCall>();
  if (head.magic != base::kCaptureMagic || head.nameBytes > kMostNameBytes || head.tensors == 0 ||
      head.tensors > kMostTensors) {
    return damaged(fmt::format("After {} calls comes none.", m_recording.calls().size()));
  }
  m_call = {};
  m_call.place.sequence = head.sequence;
  m_call.place.isPlaced = false;
  m_tensorsLeft = head.tensors;
  m_part = Part::Name;
  m_needed = head.nameBytes;
  return {};
}

base::Result<> CaptureReader::beginTensor() {
  m_head = takeValue<base::ProbeCapturedTensor>();
  if (m_head.rank > kMostRank || m_head.placeBytes > kMostPlaceBytes ||
      m_head.omission > base::ProbeOmission::Layout || m_head.isOutput > 1) {
    return damaged(fmt::format("An output of {} cannot be.", m_call.place.name));
  }
  m_part = Part::Place;
  m_needed = m_head.placeBytes + m_head.rank * sizeof(std::int64_t);
  return {};
}

base::Result<> CaptureReader::placeTensor() {
  m_tensor = {};
  m_tensor.place = m_pending.substr(0, m_head.placeBytes);
  m_tensor.type = {m_head.typeCode, m_head.typeBits, m_head.typeLanes};
  m_tensor.shape.resize(m_head.rank);
  if (m_head.rank > 0) {
    std::memcpy(m_tensor.shape.data(), m_pending.data() + m_head.placeBytes,
                m_head.rank * sizeof(std::int64_t));
  }
  const std::optional<std::uint64_t> bytes = bytesOf(m_tensor);
  if (!bytes || *bytes != m_head.bytes) {
    return damaged(fmt::format("An output of {} has {} bytes, which are not those of its shape.",
                               m_call.place.name, m_head.bytes));
  }
  m_tensor.size = m_head.bytes;
  m_tensor.isKept = m_head.omission == base::ProbeOmission::None;
  m_tensor.isOutput = m_head.isOutput != 0;
  m_tensor.offset = m_recording.keptBytes();
  ++m_omitted[static_cast<std::size_t>(m_head.omission)];
  m_bytesLeft = m_tensor.isKept ? m_tensor.size : 0;
  m_part = Part::Elements;
  return {};
}

base::Result<> CaptureReader::takeElements() {
  const auto taken = static_cast<std::size_t>(std::min<std::uint64_t>(m_bytesLeft, m_rest.size()));
  if (taken > 0) {
    OPSCOPE_TRY(m_recording.keep(std::as_bytes(std::span(m_rest.data(), taken))));
    m_rest.remove_prefix(taken);
    m_bytesLeft -= taken;
  }
  if (m_bytesLeft == 0) {
    endTensor();
  }
  return {};
}

void CaptureReader::endTensor() {
  m_call.outputs.push_back(std::move(m_tensor));
  if (--m_tensorsLeft > 0) {
    m_part = Part::Tensor;
    m_needed = sizeof(base::ProbeCapturedTensor);
    return;
  }
  m_recording.add(std::move(m_call));
  m_part = Part::Call;
  m_needed = sizeof(base::ProbeCapturedCall);
}

base::Result<> CaptureReader::finish() {
  if (m_part != Part::Call || !m_pending.empty()) {
    return damaged(fmt::format("It ends within a call of {}.", m_call.place.name));
  }
  return {};
}

}  // namespace opscope::session
