// SPDX-License-Identifier: Apache-2.0
#include "engine/arrays/half.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace opscope::arrays {

namespace {

/// A format of 16 bits: a sign, exponent bits, and this many mantissa bits.
struct Format {
  int mantissaBits;
  int bias() const { return (1 << (14 - mantissaBits)) - 1; }
  std::uint32_t infinity() const { return 0x7fffu >> mantissaBits << mantissaBits; }
};
constexpr Format kFloat16{10};
constexpr Format kBfloat16{7};

std::uint16_t narrow(double value, Format format) {
  const std::uint32_t sign = std::signbit(value) ? 0x8000u : 0u;
  if (std::isnan(value)) {
    return static_cast<std::uint16_t>(sign | format.infinity() | 1u << (format.mantissaBits - 1));
  }
  const double magnitude = std::fabs(value);
  if (std::isinf(value)) {
    return static_cast<std::uint16_t>(sign | format.infinity());
  }
  // Scale so that the last mantissa bit counts 1, and round there. A carry into the exponent is right as it
  // is.
  const int smallest = 1 - format.bias();
  const int exponent = magnitude > 0 ? std::max(std::ilogb(magnitude), smallest) : smallest;
  const double scaled = std::nearbyint(std::ldexp(magnitude, format.mantissaBits - exponent));
  const double bits = std::ldexp(exponent - smallest, format.mantissaBits) + scaled;
  const double limited = std::min(bits, static_cast<double>(format.infinity()));
  return static_cast<std::uint16_t>(sign | static_cast<std::uint32_t>(limited));
}

double widen(std::uint16_t bits, Format format) {
  const std::uint32_t magnitude = bits & 0x7fffu;
  const double sign = (bits & 0x8000u) != 0 ? -1.0 : 1.0;
  if (magnitude > format.infinity()) {
    return std::copysign(std::numeric_limits<double>::quiet_NaN(), sign);
  }
  if (magnitude == format.infinity()) {
    return sign * std::numeric_limits<double>::infinity();
  }
  const int exponent = static_cast<int>(magnitude >> format.mantissaBits);
  const std::uint32_t mantissa = magnitude & ((1u << format.mantissaBits) - 1);
  const std::uint32_t whole = exponent > 0 ? mantissa | 1u << format.mantissaBits : mantissa;
  return sign * std::ldexp(whole, std::max(exponent, 1) - format.bias() - format.mantissaBits);
}

}  // namespace

std::uint16_t float16FromDouble(double value) {
  return narrow(value, kFloat16);
}

std::uint16_t bfloat16FromDouble(double value) {
  return narrow(value, kBfloat16);
}

double doubleFromFloat16(std::uint16_t bits) {
  return widen(bits, kFloat16);
}

double doubleFromBfloat16(std::uint16_t bits) {
  return widen(bits, kBfloat16);
}

}  // namespace opscope::arrays
