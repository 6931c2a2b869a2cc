// SPDX-License-Identifier: Apache-2.0
#include "engine/arrays/array.h"

#include <cstring>

#include "tests/arrays/fixtures.h"

namespace opscope::arrays {
namespace {

constexpr ElementType kFloat32{TypeCode::Float, 32, 1};

TEST(Array, NamesGoBothWays) {
  for (const char* name : {"bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
                           "float16", "float32", "float64", "bfloat16"}) {
    const auto type = elementTypeFromName(name);
    ASSERT_TRUE(type) << name;
    EXPECT_EQ(elementTypeName(*type), name);
  }
  EXPECT_FALSE(elementTypeFromName("complex64"));
  EXPECT_EQ(elementBytes(*elementTypeFromName("bool")), 1u);
  EXPECT_EQ(elementBytes(*elementTypeFromName("bfloat16")), 2u);
}

TEST(Array, SizesAreChecked) {
  EXPECT_EQ(*byteCount(kFloat32, std::vector<std::int64_t>{2, 3}), 24u);
  EXPECT_EQ(*byteCount(kFloat32, std::vector<std::int64_t>{}), 4u);
  EXPECT_EQ(*byteCount(kFloat32, std::vector<std::int64_t>{INT64_MAX, INT64_MAX, 0}), 0u);
  const auto negative = byteCount(kFloat32, std::vector<std::int64_t>{2, -1});
  ASSERT_FALSE(negative);
  EXPECT_EQ(negative.error().message, "The shape [2, -1] has a negative size.");
  EXPECT_FALSE(byteCount(kFloat32, std::vector<std::int64_t>{INT64_MAX}));
  EXPECT_FALSE(byteCount(kFloat32, std::vector<std::int64_t>{1LL << 32, 1LL << 32}));
}

TEST(Array, MemoryIsAlignedAndBounded) {
  for (const std::size_t size : {0u, 1u, 63u, 64u, 65u, 100000u}) {
    const auto bytes = Bytes::allocate(size);
    ASSERT_TRUE(bytes);
    EXPECT_NE(bytes->data(), nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(bytes->data()) % Bytes::kAlignment, 0u);
    EXPECT_EQ(bytes->size(), size);
  }
  for (const std::size_t size : {std::size_t{1} << 50, SIZE_MAX, SIZE_MAX - 10}) {
    const auto bytes = Bytes::allocate(size);
    ASSERT_FALSE(bytes);
    EXPECT_EQ(bytes.error().code, base::ErrorCode::OutOfMemory);
  }
}

TEST(Array, MakeHoldsBytesAgainstShape) {
  const auto wrong = Array::make(kFloat32, {2, 3}, *Bytes::allocate(20));
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().message, "An array float32 [2, 3] takes 24 bytes, not 20.");
  EXPECT_FALSE(Array::copyOf(kFloat32, {2}, "1234", 4));
}

TEST(Array, CopiesShareTheirBytes) {
  const Array array = arrayOf<float>(kFloat32, {3}, {1, 2, 3});
  const Array copy = array;  // NOLINT(performance-unnecessary-copy-initialization): the copy is the test
  EXPECT_EQ(copy.data(), array.data());
  EXPECT_EQ(copy.size(), 3u);
  EXPECT_EQ(describeArray(copy), "float32 [3]");
  float second = 0;
  std::memcpy(&second, copy.data() + 4, 4);
  EXPECT_EQ(second, 2.0f);
}

}  // namespace
}  // namespace opscope::arrays
