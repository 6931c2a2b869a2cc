// SPDX-License-Identifier: Apache-2.0
#include "engine/profile/finite_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace opscope::profile {

namespace {

/// A value is not finite when all bits of its exponent are set; the mantissa tells NaN from Inf.
template <class Bits>
NonFinite scan(std::span<const std::byte> bytes, Bits exponent, Bits mantissa) {
  constexpr std::size_t kBlock = 4096;
  const auto* data = reinterpret_cast<const Bits*>(bytes.data());
  const std::size_t count = bytes.size() / sizeof(Bits);
  NonFinite found;
  for (std::size_t begin = 0; begin < count; begin += kBlock) {
    const std::size_t end = std::min(begin + kBlock, count);
    Bits hits = 0;  // without a branch, so that the compiler makes vectors of it
    for (std::size_t i = begin; i < end; ++i) {
      hits |= static_cast<Bits>((data[i] & exponent) == exponent ? 1 : 0);
    }
    for (std::size_t i = begin; hits != 0 && i < end; ++i) {
      if ((data[i] & exponent) != exponent) {
        continue;
      }
      const bool isNan = (data[i] & mantissa) != 0;
      if (!found.any()) {
        const bool isNegative = (data[i] & static_cast<Bits>(~(exponent | mantissa))) != 0;
        found.firstIndex = i;
        found.firstValue = isNan ? "nan" : isNegative ? "-inf" : "inf";
      }
      ++(isNan ? found.nans : found.infinities);
    }
  }
  return found;
}

}  // namespace

NonFinite scanFinite(DLDataType type, std::span<const std::byte> elements) {
  if (type.code == kDLBfloat && type.bits == 16) {
    return scan<std::uint16_t>(elements, 0x7F80, 0x007F);
  }
  if (type.code != kDLFloat) {
    return {};
  }
  switch (type.bits) {
    case 16:
      return scan<std::uint16_t>(elements, 0x7C00, 0x03FF);
    case 32:
      return scan<std::uint32_t>(elements, 0x7F80'0000, 0x007F'FFFF);
    case 64:
      return scan<std::uint64_t>(elements, 0x7FF0'0000'0000'0000, 0x000F'FFFF'FFFF'FFFF);
    default:
      return {};
  }
}

base::Result<std::optional<NonFiniteTensor>> FiniteCheck::look(const WatchedTensor& shown) {
  const DLTensor& tensor = *shown.tensor;
  OPSCOPE_TRY_ASSIGN(const std::span<const std::byte> bytes, compactBytes(tensor, m_scratch));
  const NonFinite found = scanFinite(tensor.dtype, bytes);
  if (!found.any()) {
    return std::optional<NonFiniteTensor>();
  }
  NonFiniteTensor told;
  told.place = shown.place;
  told.description = describeTensor(tensor);
  told.position = tensor.dtype.lanes == 1 ? positionText(tensor, found.firstIndex) : "";
  told.elements = bytes.size() * 8 / tensor.dtype.bits;
  told.found = found;
  return std::optional(std::move(told));
}

base::Result<> FiniteCheck::beforeCall(const WatchedCall& call) {
  m_heldBefore.clear();
  for (const WatchedTensor& shown : call.tensors) {
    if (shown.isInPlace) {
      OPSCOPE_TRY_ASSIGN(std::optional<NonFiniteTensor> found, look(shown));
      if (found) {
        found->origin = m_originOf ? m_originOf(*shown.tensor) : "";
        m_heldBefore.push_back(std::move(*found));
      }
    }
  }
  return {};
}

base::Result<> FiniteCheck::afterCall(const WatchedCall& call) {
  const std::vector<NonFiniteTensor> heldBefore = std::exchange(m_heldBefore, {});
  if (call.kind == CallKind::Bookkeeping) {
    return {};
  }
  ++m_callsChecked;
  for (const WatchedTensor& shown : call.tensors) {
    if (!shown.isOutput) {
      continue;
    }
    OPSCOPE_TRY_ASSIGN(std::optional<NonFiniteTensor> found, look(shown));
    if (found) {
      m_heldBefore = heldBefore;
      return explain(call, std::move(*found));
    }
  }
  return {};
}

base::Result<> FiniteCheck::explain(const WatchedCall& call, NonFiniteTensor output) {
  FiniteFinding finding;
  finding.sequence = call.sequence;
  finding.instruction = call.instruction;
  finding.function = call.function;
  finding.name = call.name;
  finding.output = std::move(output);
  finding.inputs = std::exchange(m_heldBefore, {});
  for (const WatchedTensor& shown : call.tensors) {
    if (!shown.isOutput) {
      OPSCOPE_TRY_ASSIGN(std::optional<NonFiniteTensor> found, look(shown));
      if (found) {
        found->origin = m_originOf ? m_originOf(*shown.tensor) : "";
        finding.inputs.push_back(std::move(*found));
      }
    }
  }
  m_finding = std::move(finding);
  return base::Error{base::ErrorCode::KernelFailed,
                     fmt::format("{} gives values that are not finite", call.name), "", ""};
}

}  // namespace opscope::profile
