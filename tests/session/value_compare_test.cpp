// SPDX-License-Identifier: Apache-2.0
#include "engine/session/value_compare.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace opscope::session {
namespace {

using arrays::ElementType;
using arrays::TypeCode;

constexpr ElementType kFloat32{TypeCode::Float, 32, 1};
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

template <class A, class B>
ValueDifference compare(ElementType typeA, const std::vector<A>& a, ElementType typeB,
                        const std::vector<B>& b, Tolerance tolerance = {}) {
  return compareValues(typeA, std::as_bytes(std::span(a)), typeB, std::as_bytes(std::span(b)), tolerance);
}
ValueDifference floats(const std::vector<float>& a, const std::vector<float>& b, Tolerance tolerance = {}) {
  return compare(kFloat32, a, kFloat32, b, tolerance);
}

TEST(CompareValues, EqualBytesAgree) {
  const ValueDifference found = floats({1, kNan, -kInf}, {1, kNan, -kInf});
  EXPECT_EQ(found.beyond, 0u);
  EXPECT_EQ(found.maxAbsolute, 0);
}

TEST(CompareValues, TheToleranceIsOfTheReference) {
  EXPECT_EQ(floats({100}, {101}, {0.01, 0}).beyond, 0u);
  EXPECT_EQ(floats({101}, {100}, {0.0099, 0}).beyond, 1u);
  EXPECT_EQ(floats({0}, {0.5F}, {1, 0}).beyond, 1u);
  EXPECT_EQ(floats({0}, {0.5F}, {0, 0.5}).beyond, 0u);
}

TEST(CompareValues, TellsSizeCountAndTheFirst) {
  const ValueDifference found = floats({1, 2, 4, 0}, {1, 3, 4.5F, 0.25F});
  EXPECT_EQ(found.beyond, 3u);
  EXPECT_EQ(found.maxAbsolute, 1);
  EXPECT_EQ(found.maxRelative, 0.5);
  EXPECT_EQ(found.firstIndex, 1u);
  EXPECT_EQ(found.valueA, "2");
  EXPECT_EQ(found.valueB, "3");
}

TEST(CompareValues, SmallErrorsAreTellable) {
  const ValueDifference found = floats({1}, {1.000001F});
  EXPECT_EQ(found.beyond, 0u);
  EXPECT_NEAR(found.maxAbsolute, 1e-6, 1e-7);
}

TEST(CompareValues, NanAndInfAgreeWithTheirLikeAlone) {
  EXPECT_EQ(floats({kNan, kInf, -kInf, 2}, {-kNan, kInf, -kInf, 2}).beyond, 0u);
  const ValueDifference found = floats({kNan, kInf, 1, 1}, {1, -kInf, kNan, kInf});
  EXPECT_EQ(found.beyond, 4u);
  EXPECT_EQ(found.maxAbsolute, 0);
  EXPECT_EQ(found.valueA, "nan");
  EXPECT_EQ(found.valueB, "1");
}

TEST(CompareValues, NumbersStayFinite) {
  constexpr double kMost = std::numeric_limits<double>::max();
  const ElementType type{TypeCode::Float, 64, 1};
  const auto found = compare<double, double>(type, {-kMost, 5e-324}, type, {kMost, 1});
  EXPECT_EQ(found.beyond, 2u);
  EXPECT_TRUE(std::isfinite(found.maxAbsolute));
  EXPECT_TRUE(std::isfinite(found.maxRelative));
}

TEST(CompareValues, LongIntegersAreToldApart) {
  const ElementType type{TypeCode::Int, 64, 1};
  const std::int64_t large = std::int64_t{1} << 60;
  const auto found = compare<std::int64_t, std::int64_t>(type, {large}, type, {large + 1}, {0, 0});
  EXPECT_EQ(found.beyond, 1u);
  EXPECT_EQ(found.maxAbsolute, 1);
  EXPECT_EQ(found.valueB, std::to_string(large + 1));
}

TEST(CompareValues, TypesMayDiffer) {
  const auto found =
      compare<float, std::uint16_t>(kFloat32, {1, 1.5F}, {TypeCode::Float, 16, 1}, {0x3C00, 0x3C00});
  EXPECT_EQ(found.beyond, 1u);
  EXPECT_EQ(found.maxAbsolute, 0.5);
  const auto bfloat = compare<std::uint16_t, float>({TypeCode::BFloat, 16, 1}, {0x3F80}, kFloat32, {1});
  EXPECT_EQ(bfloat.beyond, 0u);
}

}  // namespace
}  // namespace opscope::session
