// SPDX-License-Identifier: Apache-2.0
#include "engine/session/element_values.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "engine/arrays/half.h"
#include "engine/session/dimension_expression.h"
#include "tests/arrays/fixtures.h"

namespace opscope::session {
namespace {

using arrays::Bytes;
using arrays::ElementType;

arrays::Array filled(const std::string& text, std::int64_t count, std::size_t position = 0) {
  const InputSpec spec = *parseInputSpec(text);
  Bytes bytes = *Bytes::allocate(*arrays::byteCount(*spec.type, std::vector{count}));
  RandomStream random(spec.seed + position);
  EXPECT_TRUE(checkElementValues(spec, *spec.type)) << text;
  fillElements(spec, *spec.type, random, bytes);
  return *arrays::Array::make(*spec.type, {count}, std::move(bytes));
}

TEST(ElementValues, RandomIsTheOneOfTheReference) {
  std::ifstream in(std::string(OPSCOPE_TEST_DATA) + "/session/random.txt");
  std::string type, seed, low, high, hex;
  std::size_t position = 0;
  std::int64_t count = 0;
  int lines = 0;
  while (in >> type >> seed >> position >> low >> high >> count >> hex) {
    const std::string text = type + ":random:" + seed + (low == "-" ? std::string() : ":" + low + ":" + high);
    EXPECT_EQ(arrays::hexOf(filled(text, count, position)), hex) << text << " position " << position;
    ++lines;
  }
  EXPECT_EQ(lines, 30);
}

TEST(ElementValues, DefaultRangeIsZeroToOne) {
  for (const char* type : {"float32", "float16", "bfloat16", "float64", "int32", "bool"}) {
    const std::string name = type;
    EXPECT_EQ(arrays::hexOf(filled(name + ":random:3", 100)),
              arrays::hexOf(filled(name + ":random:3:0:1", 100)));
  }
}

TEST(ElementValues, ConstantsZerosOnesAndRange) {
  EXPECT_EQ(arrays::hexOf(filled("float32:const:3.5", 2)), "0000604000006040");
  EXPECT_EQ(arrays::hexOf(filled("float16:ones", 1)), "003c");
  EXPECT_EQ(arrays::hexOf(filled("bfloat16:const:-2", 1)), "00c0");
  EXPECT_EQ(arrays::hexOf(filled("int8:const:-1", 2)), "ffff");
  EXPECT_EQ(arrays::hexOf(filled("uint64:const:18446744073709551615", 1)), "ffffffffffffffff");
  EXPECT_EQ(arrays::hexOf(filled("bool:const:true", 1)), "01");
  EXPECT_EQ(arrays::hexOf(filled("int16:zeros", 2)), "00000000");
  EXPECT_EQ(arrays::hexOf(filled("int16:range", 3)), "000001000200");
  EXPECT_EQ(arrays::hexOf(filled("bool:range", 3)), "000100");
  EXPECT_EQ(arrays::hexOf(filled("float16:range", 3)), "0000003c0040");
  const arrays::Array wrapped = filled("int8:range", 130);
  EXPECT_EQ(static_cast<int>(wrapped.data()[127]), 127);
  EXPECT_EQ(static_cast<int>(wrapped.data()[128]), 0);
  EXPECT_EQ(arrays::hexOf(filled("float64:const:inf", 1)), "000000000000f07f");
}

std::string refusal(const std::string& text) {
  const auto spec = parseInputSpec(text);
  const auto fits = checkElementValues(*spec, *spec->type);
  return fits ? "" : fits.error().message;
}

TEST(ElementValues, TypesThatCannotHoldAValue) {
  EXPECT_EQ(refusal("int8:const:300"), "int8 holds whole numbers from -128 to 127. Given is 300.");
  EXPECT_EQ(refusal("uint8:const:-1"), "uint8 holds whole numbers from 0 to 255. Given is -1.");
  EXPECT_EQ(refusal("int32:const:3.5"),
            "int32 holds whole numbers from -2147483648 to 2147483647. Given is 3.5.");
  EXPECT_EQ(refusal("bool:const:2"), "bool holds whole numbers from 0 to 1. Given is 2.");
  EXPECT_EQ(refusal("float16:const:70000"), "float16 holds numbers up to 65504. Given is 70000.");
  EXPECT_EQ(refusal("uint8:random:0:0:256"), "uint8 holds whole numbers from 0 to 255. Given is 256.");
  EXPECT_EQ(refusal("int64:const:9223372036854775808"),
            "int64 holds whole numbers from -9223372036854775808 to 9223372036854775807. Given is "
            "9223372036854775808.");
  EXPECT_EQ(refusal("int32:const:nan"),
            "int32 holds whole numbers from -2147483648 to 2147483647. Given is nan.");
  EXPECT_EQ(refusal("int32:const:3.0"), "");
}

TEST(HalfFloats, EveryPatternGoesThereAndBack) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto pattern = static_cast<std::uint16_t>(bits);
    const double half = arrays::doubleFromFloat16(pattern);
    const double brain = arrays::doubleFromBfloat16(pattern);
    if (!std::isnan(half)) {
      ASSERT_EQ(arrays::float16FromDouble(half), pattern);
    }
    if (!std::isnan(brain)) {
      ASSERT_EQ(arrays::bfloat16FromDouble(brain), pattern);
    }
  }
  EXPECT_TRUE(std::isnan(arrays::doubleFromFloat16(arrays::float16FromDouble(std::nan("")))));
}

TEST(HalfFloats, TiesGoToEvenAndLargeBecomesInfinity) {
  EXPECT_EQ(arrays::float16FromDouble(1.0 + 0x1p-11), 0x3c00);
  EXPECT_EQ(arrays::float16FromDouble(1.0 + 3 * 0x1p-11), 0x3c02);
  EXPECT_EQ(arrays::float16FromDouble(65519.9), 0x7bff);
  EXPECT_EQ(arrays::float16FromDouble(65520), 0x7c00);
  EXPECT_EQ(arrays::float16FromDouble(0x1p-25), 0x0000);
  EXPECT_EQ(arrays::float16FromDouble(0x1.8p-25), 0x0001);
  EXPECT_EQ(arrays::float16FromDouble(-0.0), 0x8000);
  EXPECT_EQ(arrays::bfloat16FromDouble(1.0 + 0x1p-8), 0x3f80);
  EXPECT_EQ(arrays::bfloat16FromDouble(1e300), 0x7f80);
}

TEST(DimensionExpression, ComputesWhatTvmWrites) {
  const std::map<std::string, std::int64_t> sizes = {{"n", 7}, {"m", 3}};
  EXPECT_EQ(evaluateDimension("n", sizes), 7);
  EXPECT_EQ(evaluateDimension("n * 2 + m", sizes), 17);
  EXPECT_EQ(evaluateDimension("T.int64(4) * (n - m)", sizes), 16);
  EXPECT_EQ(evaluateDimension("(n + 3) // 4 % 2", sizes), 0);
  EXPECT_EQ(evaluateDimension("T.max(n, m) - T.min(n, m)", sizes), 4);
  EXPECT_EQ(evaluateDimension("-n // 2", sizes), -4);
  for (const char* bad : {"", "k", "n +", "n * (", "n n", "n // 0", "T.ceildiv(n, 2)", "n / 2", "2n",
                          "9223372036854775807 * n", "99999999999999999999"}) {
    EXPECT_FALSE(evaluateDimension(bad, sizes)) << bad;
  }
  EXPECT_FALSE(evaluateDimension(std::string(100000, '('), sizes));
  EXPECT_FALSE(evaluateDimension(std::string(100000, '-'), sizes));
  EXPECT_EQ(namesInDimension("T.int64(4) * n + T.min(m, n)"), (std::vector<std::string>{"n", "m"}));
}

}  // namespace
}  // namespace opscope::session
