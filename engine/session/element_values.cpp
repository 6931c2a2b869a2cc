// SPDX-License-Identifier: Apache-2.0
#include "engine/session/element_values.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "engine/arrays/half.h"

namespace opscope::session {

namespace {

using arrays::ElementType;
using arrays::TypeCode;
using base::Error;
using base::ErrorCode;
using base::Result;

bool isFloating(ElementType type) {
  return type.code == TypeCode::Float || type.code == TypeCode::BFloat;
}

/// The whole numbers that an integer type or bool holds.
struct WholeRange {
  std::int64_t low = 0;
  std::uint64_t high = 0;
};

WholeRange wholeRange(ElementType type) {
  if (type.code == TypeCode::Bool) {
    return {0, 1};
  }
  const std::uint64_t all = std::numeric_limits<std::uint64_t>::max() >> (64 - type.bits);
  if (type.code == TypeCode::UInt) {
    return {0, all};
  }
  return {-static_cast<std::int64_t>(all >> 1) - 1, all >> 1};
}

std::string numberText(const Number& number) {
  return number.integer           ? std::to_string(*number.integer)
         : number.unsignedInteger ? std::to_string(*number.unsignedInteger)
                                  : fmt::format("{}", number.floating);
}

/// Mantissa bits of a float type, the hidden one among them.
int precision(ElementType type) {
  return type.code == TypeCode::BFloat ? 8 : type.bits == 16 ? 11 : type.bits == 32 ? 24 : 53;
}

double largest(ElementType type) {
  return type.code == TypeCode::BFloat ? arrays::doubleFromBfloat16(0x7f7f)
         : type.bits == 16             ? 65504.0
         : type.bits == 32             ? static_cast<double>(std::numeric_limits<float>::max())
                                       : std::numeric_limits<double>::max();
}

Result<> checkNumber(const Number& number, ElementType type) {
  const auto refuse = [&](std::string needs) {
    return Error{
        ErrorCode::InvalidArgument,
        fmt::format("{} holds {}. Given is {}.", arrays::elementTypeName(type), needs, numberText(number)),
        {},
        {}};
  };
  if (isFloating(type)) {
    const bool finite = std::isfinite(number.floating);
    if (finite && std::fabs(number.floating) > largest(type)) {
      return refuse(fmt::format("numbers up to {}", largest(type)));
    }
    return {};
  }
  const WholeRange range = wholeRange(type);
  const bool fits =
      number.integer ? *number.integer >= range.low &&
                           (*number.integer < 0 || static_cast<std::uint64_t>(*number.integer) <= range.high)
                     : number.unsignedInteger && *number.unsignedInteger <= range.high;
  if (!fits) {
    return refuse(fmt::format("whole numbers from {} to {}", range.low, range.high));
  }
  return {};
}

/// The bits of a whole number, for any integer type after truncation.
std::uint64_t wholeBits(const Number& number) {
  return number.integer ? static_cast<std::uint64_t>(*number.integer) : number.unsignedInteger.value_or(0);
}

/// Writes `count` elements of Size bytes; `bitsOf(i)` gives each as bits in the low bytes (little endian).
template <std::size_t Size, class BitsOf>
void fillBits(arrays::Bytes& bytes, BitsOf&& bitsOf) {
  std::byte* to = bytes.data();
  const std::size_t count = bytes.size() / Size;
  for (std::size_t i = 0; i < count; ++i, to += Size) {
    const std::uint64_t bits = bitsOf(i);
    std::memcpy(to, &bits, Size);
  }
}

template <class BitsOf>
void fillBitsOf(ElementType type, arrays::Bytes& bytes, BitsOf&& bitsOf) {
  switch (arrays::elementBytes(type)) {
    case 1:
      return fillBits<1>(bytes, bitsOf);
    case 2:
      return fillBits<2>(bytes, bitsOf);
    case 4:
      return fillBits<4>(bytes, bitsOf);
    default:
      return fillBits<8>(bytes, bitsOf);
  }
}

/// The bits of the float nearest to `value`.
std::uint64_t floatBits(ElementType type, double value) {
  if (type.code == TypeCode::BFloat) {
    return arrays::bfloat16FromDouble(value);
  }
  if (type.bits == 16) {
    return arrays::float16FromDouble(value);
  }
  if (type.bits == 32) {
    return std::bit_cast<std::uint32_t>(static_cast<float>(value));
  }
  return std::bit_cast<std::uint64_t>(value);
}

double floatFromBits(ElementType type, std::uint64_t bits) {
  return type.code == TypeCode::BFloat ? arrays::doubleFromBfloat16(static_cast<std::uint16_t>(bits))
         : type.bits == 16             ? arrays::doubleFromFloat16(static_cast<std::uint16_t>(bits))
         : type.bits == 32             ? std::bit_cast<float>(static_cast<std::uint32_t>(bits))
                                       : std::bit_cast<double>(bits);
}

/// LO + k * 2^-precision * (HI - LO), held below HI when rounding would reach it.
std::uint64_t uniformBits(ElementType type, std::uint64_t step, double low, double high) {
  const double value = low + std::ldexp(static_cast<double>(step), -precision(type)) * (high - low);
  const std::uint64_t bits = floatBits(type, value);
  return low < high && floatFromBits(type, bits) >= high ? floatBits(type, low) : bits;
}

void fillRandomFloats(const InputSpec& spec, ElementType type, RandomStream& random, arrays::Bytes& bytes) {
  const double low = spec.range ? spec.range->first.floating : 0.0;
  const double high = spec.range ? spec.range->second.floating : 1.0;
  const int shift = 64 - precision(type);
  if (type.bits > 16) {
    fillBitsOf(type, bytes,
               [&](std::size_t) { return uniformBits(type, random.next() >> shift, low, high); });
    return;
  }
  // At most 2048 different values: made once.
  std::vector<std::uint64_t> table(std::size_t{1} << precision(type));
  for (std::size_t step = 0; step < table.size(); ++step) {
    table[step] = uniformBits(type, step, low, high);
  }
  fillBits<2>(bytes, [&](std::size_t) { return table[random.next() >> shift]; });
}

void fillRandom(const InputSpec& spec, ElementType type, RandomStream& random, arrays::Bytes& bytes) {
  if (isFloating(type)) {
    fillRandomFloats(spec, type, random, bytes);
    return;
  }
  const std::uint64_t low = spec.range ? wholeBits(spec.range->first) : 0;
  const std::uint64_t high = spec.range ? wholeBits(spec.range->second) : 1;
  // Both ends belong to it; all 64-bit numbers give a count of 0.
  const std::uint64_t count = high - low + 1;
  fillBitsOf(type, bytes, [&](std::size_t) { return low + random.below(count); });
}

void fillRange(ElementType type, arrays::Bytes& bytes) {
  if (isFloating(type)) {
    const std::uint64_t exact = std::uint64_t{1} << precision(type);
    fillBitsOf(type, bytes, [&](std::size_t i) { return floatBits(type, static_cast<double>(i % exact)); });
    return;
  }
  const std::uint64_t high = wholeRange(type).high;
  fillBitsOf(type, bytes, [&](std::size_t i) {
    return high == std::numeric_limits<std::uint64_t>::max() ? i : i % (high + 1);
  });
}

}  // namespace

Result<> checkElementValues(const InputSpec& spec, ElementType type) {
  if (spec.kind == InputSpec::Kind::Constant) {
    return checkNumber(spec.constant, type);
  }
  if (spec.kind == InputSpec::Kind::Random && spec.range) {
    OPSCOPE_TRY(checkNumber(spec.range->first, type));
    OPSCOPE_TRY(checkNumber(spec.range->second, type));
  }
  return {};
}

void fillElements(const InputSpec& spec, ElementType type, RandomStream& random, arrays::Bytes& bytes) {
  switch (spec.kind) {
    case InputSpec::Kind::Random:
      return fillRandom(spec, type, random, bytes);
    case InputSpec::Kind::Range:
      return fillRange(type, bytes);
    case InputSpec::Kind::Zeros:
    case InputSpec::Kind::File:
      std::memset(bytes.data(), 0, bytes.size());
      return;
    case InputSpec::Kind::Ones:
    case InputSpec::Kind::Constant:
      break;
  }
  Number one;
  one.floating = 1;
  one.integer = 1;
  const Number& number = spec.kind == InputSpec::Kind::Ones ? one : spec.constant;
  const std::uint64_t bits = isFloating(type) ? floatBits(type, number.floating) : wholeBits(number);
  fillBitsOf(type, bytes, [bits](std::size_t) { return bits; });
}

}  // namespace opscope::session
