// SPDX-License-Identifier: Apache-2.0
#include "engine/session/value_compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "engine/arrays/half.h"

namespace opscope::session {

namespace {

using arrays::ElementType;
using arrays::TypeCode;

struct Half {
  std::uint16_t bits;
};
struct BFloat {
  std::uint16_t bits;
};

template <class T>
T elementAt(std::span<const std::byte> bytes, std::size_t index) {
  T value;
  std::memcpy(&value, bytes.data() + index * sizeof(T), sizeof(T));
  return value;
}

template <class T>
double asDouble(T value) {
  if constexpr (std::is_same_v<T, Half>) {
    return arrays::doubleFromFloat16(value.bits);
  } else if constexpr (std::is_same_v<T, BFloat>) {
    return arrays::doubleFromBfloat16(value.bits);
  } else {
    return static_cast<double>(value);
  }
}

template <class T>
std::string textOf(T value) {
  if constexpr (std::is_integral_v<T>) {
    return fmt::format("{}", +value);
  } else if constexpr (std::is_same_v<T, float>) {
    return fmt::format("{}", value);  // the shortest digits that read back equal
  } else {
    return fmt::format("{:.9g}", asDouble(value));
  }
}

template <class A, class B>
ValueDifference compare(std::span<const std::byte> a, std::span<const std::byte> b, Tolerance tolerance) {
  ValueDifference found;
  const std::size_t count = a.size() / sizeof(A);
  for (std::size_t i = 0; i < count; ++i) {
    const A rawA = elementAt<A>(a, i);
    const B rawB = elementAt<B>(b, i);
    const double valueA = asDouble(rawA);
    const double valueB = asDouble(rawB);
    bool agrees = false;
    if (std::isfinite(valueA) && std::isfinite(valueB)) {
      double error = std::abs(valueB - valueA);
      if constexpr (std::is_integral_v<A> && std::is_same_v<A, B>) {
        error = rawA == rawB ? 0 : std::max(error, 1.0);  // beyond 2^53 doubles do not tell them apart
      }
      found.maxAbsolute = std::max(found.maxAbsolute, error);
      if (valueA != 0) {
        found.maxRelative = std::max(found.maxRelative, error / std::abs(valueA));
      }
      agrees = error <= tolerance.atol + tolerance.rtol * std::abs(valueA);
    } else {
      agrees = valueA == valueB || (std::isnan(valueA) && std::isnan(valueB));
    }
    if (!agrees && found.beyond++ == 0) {
      found.firstIndex = i;
      found.valueA = textOf(rawA);
      found.valueB = textOf(rawB);
    }
  }
  found.maxAbsolute = std::min(found.maxAbsolute, std::numeric_limits<double>::max());
  found.maxRelative = std::min(found.maxRelative, std::numeric_limits<double>::max());
  return found;
}

/// Calls `use` with a value of the type's C++ type.
template <class Use>
ValueDifference withType(ElementType type, Use&& use) {
  switch (type.code) {
    case TypeCode::Float:
      return type.bits == 16 ? use(Half{}) : type.bits == 32 ? use(float{}) : use(double{});
    case TypeCode::BFloat:
      return use(BFloat{});
    case TypeCode::Bool:
      return use(std::uint8_t{});
    case TypeCode::Int:
      return type.bits == 8    ? use(std::int8_t{})
             : type.bits == 16 ? use(std::int16_t{})
             : type.bits == 32 ? use(std::int32_t{})
                               : use(std::int64_t{});
    case TypeCode::UInt:
      return type.bits == 8    ? use(std::uint8_t{})
             : type.bits == 16 ? use(std::uint16_t{})
             : type.bits == 32 ? use(std::uint32_t{})
                               : use(std::uint64_t{});
  }
  return {};
}

}  // namespace

ValueDifference compareValues(ElementType typeA, std::span<const std::byte> a, ElementType typeB,
                              std::span<const std::byte> b, Tolerance tolerance) {
  if (typeA == typeB && std::ranges::equal(a, b)) {
    return {};
  }
  return withType(typeA, [&](auto valueA) {
    return withType(
        typeB, [&](auto valueB) { return compare<decltype(valueA), decltype(valueB)>(a, b, tolerance); });
  });
}

}  // namespace opscope::session
