// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/tensor_copy.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace opscope::runtime {
namespace {

constexpr DLDevice kHost{kDLCPU, 0};
constexpr DLDataType kInt{kDLInt, 32, 1};

using Shape = tvm::ffi::Shape;

tvm::ffi::Tensor counting(StorageAllocator& allocator, const Shape& shape) {
  tvm::ffi::Tensor tensor = emptyTensor(allocator, shape, kInt, kHost);
  auto* values = static_cast<std::int32_t*>(tensor.data_ptr());
  std::iota(values, values + tensor.numel(), 0);
  return tensor;
}

std::vector<std::int32_t> valuesOf(const tvm::ffi::Tensor& tensor) {
  const auto* values = static_cast<const std::int32_t*>(tensor.data_ptr());
  return {values, values + tensor.numel()};
}

TEST(CopyTensor, CopiesCompactTensors) {
  StorageAllocator allocator(AllocatorKind::Pooled);
  const auto from = counting(allocator, {2, 3});
  const auto to = emptyTensor(allocator, Shape{2, 3}, kInt, kHost);
  ASSERT_TRUE(copyTensor(*from.GetDLTensorPtr(), *to.GetDLTensorPtr()));
  EXPECT_EQ(valuesOf(to), valuesOf(from));
}

TEST(CopyTensor, FollowsStridesAndOffsets) {
  StorageAllocator allocator(AllocatorKind::Pooled);
  const auto from = counting(allocator, {2, 3, 4});
  const auto transposed = from.as_strided(Shape{4, 2, 3}, Shape{1, 12, 4});
  const auto to = emptyTensor(allocator, Shape{4, 2, 3}, kInt, kHost);
  ASSERT_TRUE(copyTensor(*transposed.GetDLTensorPtr(), *to.GetDLTensorPtr()));
  EXPECT_EQ(valuesOf(to), (std::vector<std::int32_t>{0, 4, 8,  12, 16, 20, 1, 5, 9,  13, 17, 21,
                                                     2, 6, 10, 14, 18, 22, 3, 7, 11, 15, 19, 23}));
  DLTensor tail = *from.GetDLTensorPtr();
  std::int64_t shape = 4;
  tail.ndim = 1;
  tail.shape = &shape;
  tail.strides = nullptr;
  tail.byte_offset = 20 * sizeof(std::int32_t);
  const auto four = emptyTensor(allocator, Shape{4}, kInt, kHost);
  ASSERT_TRUE(copyTensor(tail, *four.GetDLTensorPtr()));
  EXPECT_EQ(valuesOf(four), (std::vector<std::int32_t>{20, 21, 22, 23}));
}

TEST(CopyTensor, EmptyAndRankZero) {
  StorageAllocator allocator(AllocatorKind::Pooled);
  const auto empty = emptyTensor(allocator, Shape{0, 3}, kInt, kHost);
  EXPECT_TRUE(copyTensor(*empty.GetDLTensorPtr(), *empty.GetDLTensorPtr()));
  const auto from = counting(allocator, {});
  const auto to = emptyTensor(allocator, Shape{}, kInt, kHost);
  EXPECT_TRUE(copyTensor(*from.GetDLTensorPtr(), *to.GetDLTensorPtr()));
  EXPECT_EQ(valuesOf(to), std::vector<std::int32_t>{0});
}

TEST(CopyTensor, NamesBothSidesOfAMismatch) {
  StorageAllocator allocator(AllocatorKind::Pooled);
  const auto from = counting(allocator, {2, 3});
  const auto to = counting(allocator, {3, 2});
  const auto result = copyTensor(*from.GetDLTensorPtr(), *to.GetDLTensorPtr());
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message, "cannot copy a tensor int32 [2, 3] to a tensor int32 [3, 2]");
  DLTensor onGpu = *from.GetDLTensorPtr();
  onGpu.device = DLDevice{kDLCUDA, 0};
  EXPECT_EQ(copyTensor(onGpu, *from.GetDLTensorPtr()).error().code, base::ErrorCode::Unsupported);
}

TEST(ToAligned, CopiesOnlyWhatKernelsCannotRead) {
  StorageAllocator allocator(AllocatorKind::Pooled);
  const auto good = counting(allocator, {2, 3});
  EXPECT_TRUE(toAligned(allocator, good)->same_as(good));
  const auto skewed = good.as_strided(Shape{3}, Shape{1}, 1);
  const auto fixed = toAligned(allocator, skewed);
  ASSERT_TRUE(fixed);
  EXPECT_TRUE(fixed->IsAligned(kTensorAlignment));
  EXPECT_EQ(valuesOf(*fixed), (std::vector<std::int32_t>{1, 2, 3}));
  const auto transposed = toAligned(allocator, good.as_strided(Shape{3, 2}, Shape{1, 3}));
  ASSERT_TRUE(transposed);
  EXPECT_EQ(valuesOf(*transposed), (std::vector<std::int32_t>{0, 3, 1, 4, 2, 5}));
}

TEST(TensorFromBytes, ChecksTheNumberOfBytes) {
  StorageAllocator allocator(AllocatorKind::Pooled);
  const std::string bytes("\1\0\0\0\2\0\0\0", 8);
  const auto tensor = tensorFromBytes(allocator, Shape{2}, kInt, bytes);
  ASSERT_TRUE(tensor);
  EXPECT_EQ(valuesOf(*tensor), (std::vector<std::int32_t>{1, 2}));
  const auto wrong = tensorFromBytes(allocator, Shape{3}, kInt, bytes);
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().message, "a tensor int32 [3] has 12 bytes, given were 8");
  EXPECT_TRUE(tensorFromBytes(allocator, Shape{0}, kInt, ""));
}

}  // namespace
}  // namespace opscope::runtime
