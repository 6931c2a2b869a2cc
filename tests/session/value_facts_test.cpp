// SPDX-License-Identifier: Apache-2.0
#include "engine/session/value_facts.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "engine/arrays/half.h"

namespace opscope::session {

namespace {

using arrays::TypeCode;

template <class T>
ValueFacts factsOfValues(arrays::ElementType type, const std::vector<T>& values) {
  const auto array = arrays::Array::copyOf(type, {static_cast<std::int64_t>(values.size())}, values.data(),
                                           values.size() * sizeof(T));
  EXPECT_TRUE(array);
  return factsOf(*array);
}

}  // namespace

TEST(ValueFacts, TellsWhatIsNotFiniteBesideTheRest) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float inf = std::numeric_limits<float>::infinity();
  const auto facts = factsOfValues<float>({}, {1.5F, nan, -2.0F, inf, -inf, nan, 2.0F});
  EXPECT_EQ(facts.type, "float32");
  EXPECT_EQ(facts.shape, std::vector<std::int64_t>{7});
  EXPECT_EQ(facts.elements, 7U);
  EXPECT_EQ(facts.nans, 2U);
  EXPECT_EQ(facts.infinities, 2U);
  EXPECT_EQ(facts.least, "-2");
  EXPECT_EQ(facts.largest, "2");
  EXPECT_DOUBLE_EQ(*facts.mean, 0.5);
}

TEST(ValueFacts, HasNothingToTellOfNoElements) {
  const auto facts = factsOfValues<float>({}, {});
  EXPECT_EQ(facts.elements, 0U);
  EXPECT_EQ(facts.least, "");
  EXPECT_FALSE(facts.mean);
  const auto nans = factsOfValues<double>({TypeCode::Float, 64, 1}, {std::nan("")});
  EXPECT_EQ(nans.nans, 1U);
  EXPECT_EQ(nans.largest, "");
  EXPECT_FALSE(nans.mean);
}

TEST(ValueFacts, HasAMeanWhereTheSumIsTooLarge) {
  const auto facts = factsOfValues<double>({TypeCode::Float, 64, 1}, {1.5e308, 1.5e308, 1.5e308, 1.5e308});
  ASSERT_TRUE(facts.mean);
  EXPECT_DOUBLE_EQ(*facts.mean, 1.5e308);
}

TEST(ValueFacts, KeepsWholeNumbersInFull) {
  const auto facts =
      factsOfValues<std::int64_t>({TypeCode::Int, 64, 1}, {9007199254740993, 9007199254740992, -1});
  EXPECT_EQ(facts.least, "-1");
  EXPECT_EQ(facts.largest, "9007199254740993");
  const auto large = factsOfValues<std::uint64_t>({TypeCode::UInt, 64, 1}, {18446744073709551615U});
  EXPECT_EQ(large.largest, "18446744073709551615");
  const auto small = factsOfValues<std::int8_t>({TypeCode::Int, 8, 1}, {-128, 127});
  EXPECT_EQ(small.least, "-128");
  EXPECT_DOUBLE_EQ(*small.mean, -0.5);
}

TEST(ValueFacts, CountsTruthAndReadsShortFloats) {
  const auto truth = factsOfValues<std::uint8_t>({TypeCode::Bool, 8, 1}, {1, 0, 1, 1});
  EXPECT_EQ(truth.least, "false");
  EXPECT_EQ(truth.largest, "true");
  EXPECT_DOUBLE_EQ(*truth.mean, 0.75);
  const auto half = factsOfValues<std::uint16_t>(
      {TypeCode::Float, 16, 1}, {arrays::float16FromDouble(0.5), arrays::float16FromDouble(-65504), 0x7C00});
  EXPECT_EQ(half.type, "float16");
  EXPECT_EQ(half.infinities, 1U);
  EXPECT_EQ(half.least, "-65504");
  EXPECT_EQ(half.largest, "0.5");
  const auto brain = factsOfValues<std::uint16_t>({TypeCode::BFloat, 16, 1}, {arrays::bfloat16FromDouble(2)});
  EXPECT_EQ(brain.type, "bfloat16");
  EXPECT_EQ(brain.largest, "2");
}

TEST(ValueFacts, OfOneValueWithoutAShape) {
  const std::int32_t value = -7;
  const auto array = arrays::Array::copyOf({TypeCode::Int, 32, 1}, {}, &value, sizeof value);
  ASSERT_TRUE(array);
  const auto facts = factsOf(*array);
  EXPECT_TRUE(facts.shape.empty());
  EXPECT_EQ(facts.elements, 1U);
  EXPECT_EQ(facts.least, "-7");
  EXPECT_EQ(elementText(*array, 0), "-7");
}

}  // namespace opscope::session
