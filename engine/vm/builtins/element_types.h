// SPDX-License-Identifier: Apache-2.0
// C++ types for the elements of tensors, for builtins that work on the values themselves. Any thread.
#pragma once

#include <dlpack/dlpack.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace opscope::vm {

struct Half {
  std::uint16_t bits = 0;
};
struct BFloat16 {
  std::uint16_t bits = 0;
};

inline float toNumber(BFloat16 value) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(value.bits) << 16);
}

/// IEEE binary16 to binary32, exactly; a NaN keeps its payload.
inline float toNumber(Half value) {
  const std::uint32_t sign = static_cast<std::uint32_t>(value.bits & 0x8000U) << 16;
  const std::uint32_t exponent = (value.bits >> 10) & 0x1FU;
  const std::uint32_t fraction = value.bits & 0x3FFU;
  if (exponent == 0) {
    const float magnitude = std::ldexp(static_cast<float>(fraction), -24);
    return sign != 0 ? -magnitude : magnitude;
  }
  const std::uint32_t wide = exponent == 0x1F ? 0xFFU : exponent + 112;
  return std::bit_cast<float>(sign | wide << 23 | fraction << 13);
}

template <class T>
requires std::is_arithmetic_v<T> T toNumber(T value) {
  return value;
}

/// What elements of type T are compared as: themselves, or float for the 16-bit floats.
template <class T>
using NumberOf = decltype(toNumber(T{}));

/// Calls `visit` with a value of the C++ type behind `type`; false when there is none (lanes, sub-byte and
/// 8-bit floats, complex).
template <class Visitor>
bool visitElementType(DLDataType type, Visitor&& visit) {
  const auto key = [](int code, int bits) { return code * 256 + bits; };
  if (type.lanes != 1) {
    return false;
  }
  switch (key(type.code, type.bits)) {
    case key(kDLFloat, 32):
      return visit(float{}), true;
    case key(kDLFloat, 64):
      return visit(double{}), true;
    case key(kDLFloat, 16):
      return visit(Half{}), true;
    case key(kDLBfloat, 16):
      return visit(BFloat16{}), true;
    case key(kDLInt, 8):
      return visit(std::int8_t{}), true;
    case key(kDLInt, 16):
      return visit(std::int16_t{}), true;
    case key(kDLInt, 32):
      return visit(std::int32_t{}), true;
    case key(kDLInt, 64):
      return visit(std::int64_t{}), true;
    case key(kDLUInt, 8):
    case key(kDLBool, 8):
      return visit(std::uint8_t{}), true;
    case key(kDLUInt, 16):
      return visit(std::uint16_t{}), true;
    case key(kDLUInt, 32):
      return visit(std::uint32_t{}), true;
    case key(kDLUInt, 64):
      return visit(std::uint64_t{}), true;
    default:
      return false;
  }
}

/// First element of a tensor in host memory.
template <class T>
T* elementsOf(const DLTensor& tensor) {
  return reinterpret_cast<T*>(static_cast<char*>(tensor.data) + tensor.byte_offset);
}

}  // namespace opscope::vm
