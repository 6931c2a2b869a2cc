// SPDX-License-Identifier: Apache-2.0
#include "engine/session/value_facts.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <type_traits>

#include "engine/arrays/half.h"

namespace opscope::session {

namespace {

using arrays::TypeCode;

// Elements that C++20 has no types for.
struct Half {
  std::uint16_t bits;
};
struct BFloat {
  std::uint16_t bits;
};
struct Truth {
  std::uint8_t byte;
};

template <class T>
T elementAt(const arrays::Array& array, std::size_t index) {
  T value;
  std::memcpy(&value, array.data() + index * sizeof(T), sizeof(T));
  return value;
}

template <class T>
auto numberOf(T value) {
  if constexpr (std::is_same_v<T, Half>) {
    return arrays::doubleFromFloat16(value.bits);
  } else if constexpr (std::is_same_v<T, BFloat>) {
    return arrays::doubleFromBfloat16(value.bits);
  } else if constexpr (std::is_same_v<T, Truth>) {
    return value.byte != 0 ? 1 : 0;
  } else {
    return value;
  }
}

template <class T>
std::string textOf(T value) {
  if constexpr (std::is_same_v<T, Truth>) {
    return value.byte != 0 ? "true" : "false";
  } else if constexpr (std::is_integral_v<T>) {
    return fmt::format("{}", +value);
  } else {
    return fmt::format("{:.6g}", static_cast<double>(numberOf(value)));
  }
}

/// Calls `visit` with a value of the type that the elements have.
template <class Visit>
auto withElementType(arrays::ElementType type, Visit&& visit) {
  switch (type.code) {
    case TypeCode::Bool:
      return visit(Truth{});
    case TypeCode::BFloat:
      return visit(BFloat{});
    case TypeCode::Float:
      return type.bits == 64 ? visit(double{}) : type.bits == 32 ? visit(float{}) : visit(Half{});
    case TypeCode::Int:
      return type.bits == 64   ? visit(std::int64_t{})
             : type.bits == 32 ? visit(std::int32_t{})
             : type.bits == 16 ? visit(std::int16_t{})
                               : visit(std::int8_t{});
    case TypeCode::UInt:
      break;
  }
  return type.bits == 64   ? visit(std::uint64_t{})
         : type.bits == 32 ? visit(std::uint32_t{})
         : type.bits == 16 ? visit(std::uint16_t{})
                           : visit(std::uint8_t{});
}

/// Of values whose sum is more than a double holds.
template <class T>
double meanOfLarge(const arrays::Array& array, double count) {
  double mean = 0;
  for (std::size_t i = 0; i < array.size(); ++i) {
    const auto value = static_cast<double>(numberOf(elementAt<T>(array, i)));
    if (std::isfinite(value)) {
      mean += value / count;
    }
  }
  return mean;
}

template <class T>
void scan(const arrays::Array& array, ValueFacts& facts) {
  std::size_t least = array.size(), largest = array.size();
  double sum = 0;
  std::uint64_t finite = 0;
  for (std::size_t i = 0; i < array.size(); ++i) {
    const auto value = numberOf(elementAt<T>(array, i));
    const auto floating = static_cast<double>(value);
    if (std::isnan(floating)) {
      ++facts.nans;
      continue;
    }
    if (std::isinf(floating)) {
      ++facts.infinities;
      continue;
    }
    if (finite++ == 0) {
      least = largest = i;
    }
    if (value < numberOf(elementAt<T>(array, least))) {
      least = i;
    }
    if (value > numberOf(elementAt<T>(array, largest))) {
      largest = i;
    }
    sum += floating;
  }
  if (finite == 0) {
    return;
  }
  facts.least = textOf(elementAt<T>(array, least));
  facts.largest = textOf(elementAt<T>(array, largest));
  const auto count = static_cast<double>(finite);
  facts.mean = std::isfinite(sum) ? sum / count : meanOfLarge<T>(array, count);
}

}  // namespace

std::string elementText(const arrays::Array& array, std::size_t index) {
  return withElementType(array.type(),
                         [&](auto one) { return textOf(elementAt<decltype(one)>(array, index)); });
}

ValueFacts factsOf(const arrays::Array& array) {
  ValueFacts facts;
  facts.type = arrays::elementTypeName(array.type());
  facts.shape = array.shape();
  facts.elements = array.size();
  withElementType(array.type(), [&](auto one) {
    scan<decltype(one)>(array, facts);
    return true;
  });
  return facts;
}

}  // namespace opscope::session
