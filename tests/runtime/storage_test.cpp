// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/storage.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <memory>
#include <thread>
#include <vector>

#include "engine/runtime/allocator_core.h"
#include "engine/runtime/ffi_error.h"

namespace opscope::runtime {
namespace {

constexpr DLDevice kHost{kDLCPU, 0};
constexpr DLDataType kFloat{kDLFloat, 32, 1};

using Shape = tvm::ffi::Shape;

template <class F>
std::string kindRaisedBy(F&& function) {
  try {
    function();
  } catch (const tvm::ffi::Error& error) {
    return error.kind();
  }
  return {};
}

bool aligned(const void* data, std::size_t alignment = kTensorAlignment) {
  return reinterpret_cast<std::uintptr_t>(data) % alignment == 0;
}

TEST(SizeClass, HoldsItsSizesAndWastesLittle) {
  int previous = 0;
  for (std::size_t bytes = 1; bytes < (std::size_t{1} << 24); bytes += 1 + bytes / 97) {
    const int sizeClass = detail::sizeClassOf(bytes);
    const std::size_t capacity = detail::bytesOfSizeClass(sizeClass);
    ASSERT_GE(capacity, bytes);
    ASSERT_GE(sizeClass, previous);
    ASSERT_LE(capacity, std::max<std::size_t>(bytes + 63, bytes + bytes / 8 + 1));
    ASSERT_EQ(detail::sizeClassOf(capacity), sizeClass);
    previous = sizeClass;
  }
  EXPECT_LT(detail::sizeClassOf(detail::kMaxBlockBytes), detail::kSizeClasses);
  EXPECT_EQ(detail::bytesOfSizeClass(detail::sizeClassOf(0)), 64U);
}

class StorageOfBothKinds : public ::testing::TestWithParam<AllocatorKind> {};
INSTANTIATE_TEST_SUITE_P(Storage, StorageOfBothKinds,
                         ::testing::Values(AllocatorKind::Pooled, AllocatorKind::Naive));

TEST_P(StorageOfBothKinds, GivesAlignedWritableMemoryOfAnySize) {
  StorageAllocator allocator(GetParam());
  std::vector<Storage> storages;
  for (const std::size_t bytes : {0, 1, 63, 64, 65, 1000, 4096, 100000, 3000000}) {
    Storage storage = allocateStorage(allocator, bytes, 64, kHost);
    ASSERT_NE(storage->data, nullptr);
    EXPECT_EQ(storage->size, bytes);
    EXPECT_TRUE(aligned(storage->data));
    std::memset(storage->data, static_cast<int>(bytes % 251), bytes);
    storages.push_back(std::move(storage));
  }
  for (const Storage& storage : storages) {
    for (std::size_t i = 0; i < storage->size; i += 97) {
      ASSERT_EQ(static_cast<unsigned char*>(storage->data)[i], storage->size % 251);
    }
  }
}

TEST_P(StorageOfBothKinds, HonoursLargerAlignments) {
  StorageAllocator allocator(GetParam());
  for (std::size_t alignment = 64; alignment <= 65536; alignment *= 2) {
    const Storage first = allocateStorage(allocator, 100, alignment, kHost);
    const Storage second = allocateStorage(allocator, 100, alignment, kHost);
    EXPECT_TRUE(aligned(first->data, alignment));
    EXPECT_TRUE(aligned(second->data, alignment));
  }
  EXPECT_EQ(kindRaisedBy([&] { allocateStorage(allocator, 100, 96, kHost); }), "ValueError");
}

TEST_P(StorageOfBothKinds, CountsBytes) {
  StorageAllocator allocator(GetParam());
  {
    const Storage first = allocateStorage(allocator, 1000, 64, kHost);
    const Storage second = allocateStorage(allocator, 500, 64, kHost);
    EXPECT_EQ(allocator.counters().liveBytes, 1500);
  }
  const Storage third = allocateStorage(allocator, 990, 64, kHost);
  const AllocatorCounters counters = allocator.counters();
  EXPECT_EQ(counters.liveBytes, 990);
  EXPECT_EQ(counters.peakBytes, 1500);
  EXPECT_EQ(counters.requests, 3);
  const bool pooled = GetParam() == AllocatorKind::Pooled;
  EXPECT_EQ(counters.reused, pooled ? 1 : 0);
  EXPECT_EQ(counters.heldBytes, pooled ? 512 : 0);
  allocator.resetPeak();
  EXPECT_EQ(allocator.counters().peakBytes, 990);
  allocator.trim();
  EXPECT_EQ(allocator.counters().heldBytes, 0);
}

TEST_P(StorageOfBothKinds, OutOfMemoryIsAnErrorAndLeavesTheAllocatorWorking) {
  StorageAllocator allocator(GetParam());
  for (const std::size_t bytes : {std::size_t{1} << 50, std::numeric_limits<std::size_t>::max(),
                                  std::numeric_limits<std::size_t>::max() - 63}) {
    EXPECT_EQ(kindRaisedBy([&] { allocateStorage(allocator, bytes, 64, kHost); }), "MemoryError");
  }
  const auto result = guarded(base::ErrorCode::KernelFailed, "alloc_storage",
                              [&] { return allocateStorage(allocator, std::size_t{1} << 50, 64, kHost); });
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, base::ErrorCode::OutOfMemory);
  EXPECT_EQ(allocator.counters().requests, 0);
  EXPECT_NE(allocateStorage(allocator, 10, 64, kHost)->data, nullptr);
}

TEST_P(StorageOfBothKinds, ObjectsOutliveTheAllocatorAndMayDieOnOtherThreads) {
  auto allocator = std::make_unique<StorageAllocator>(GetParam());
  const Shape shape{4, 4};
  tvm::ffi::Tensor tensor = emptyTensor(*allocator, shape, kFloat, kHost);
  Storage storage = allocateStorage(*allocator, 128, 64, kHost);
  allocator.reset();
  std::memset(tensor.data_ptr(), 1, 64);
  std::memset(storage->data, 1, 128);
  std::thread([moved = std::move(tensor), storage = std::move(storage)] {}).join();
}

TEST_P(StorageOfBothKinds, ManyThreadsShareAnAllocator) {
  StorageAllocator allocator(GetParam());
  constexpr int kThreads = 4;
  constexpr int kRounds = 2000;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&allocator, t] {
      std::vector<Storage> kept;
      for (int i = 0; i < kRounds; ++i) {
        Storage storage = allocateStorage(allocator, static_cast<std::size_t>(i % 700), 64, kHost);
        std::memset(storage->data, t, storage->size);
        kept.push_back(std::move(storage));
        if (kept.size() > 8) {
          kept.erase(kept.begin());
        }
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(allocator.counters().liveBytes, 0);
  EXPECT_EQ(allocator.counters().requests, kThreads * kRounds);
}

TEST(Tensor, IsAViewThatKeepsItsStorage) {
  StorageAllocator allocator(AllocatorKind::Pooled);
  Storage storage = allocateStorage(allocator, 256, 64, kHost);
  void* data = storage->data;
  const Shape shape{2, 3, 4};
  tvm::ffi::Tensor tensor = tensorFromStorage(storage, 64, shape, kFloat);
  storage = Storage();
  EXPECT_EQ(allocator.counters().liveBytes, 256);
  EXPECT_EQ(tensor.data_ptr(), static_cast<char*>(data) + 64);
  EXPECT_EQ(tensor.ndim(), 3);
  EXPECT_EQ(tensor.stride(0), 12);
  EXPECT_EQ(tensor.stride(2), 1);
  EXPECT_TRUE(tensor.IsContiguous());
  EXPECT_EQ(tensor.GetDLTensorPtr()->byte_offset, 0U);
  tensor = tvm::ffi::Tensor();
  EXPECT_EQ(allocator.counters().liveBytes, 0);
}

TEST(Tensor, RefusesWhatDoesNotFit) {
  StorageAllocator allocator(AllocatorKind::Pooled);
  const Storage storage = allocateStorage(allocator, 64, 64, kHost);
  const auto kindOf = [&](std::int64_t offset, const Shape& shape) {
    return kindRaisedBy([&] { tensorFromStorage(storage, offset, shape, kFloat); });
  };
  EXPECT_EQ(kindOf(0, {16}), "");
  EXPECT_EQ(kindOf(64, {0}), "");
  EXPECT_EQ(kindOf(0, {17}), "ValueError");
  EXPECT_EQ(kindOf(4, {16}), "ValueError");
  EXPECT_EQ(kindOf(-4, {1}), "ValueError");
  EXPECT_EQ(kindOf(65, {0}), "ValueError");
  EXPECT_EQ(kindOf(std::numeric_limits<std::int64_t>::max(), {1}), "ValueError");
  EXPECT_EQ(kindOf(0, {-1, 4}), "ValueError");
  EXPECT_EQ(kindOf(0, {std::int64_t{1} << 62, 8}), "ValueError");
  EXPECT_EQ(kindOf(0, {0, -1}), "ValueError");
  EXPECT_EQ(kindRaisedBy([] { tensorFromStorage(Storage(), 0, Shape{1}, kFloat); }), "ValueError");
}

TEST(Tensor, ZeroSizedAndRankZero) {
  StorageAllocator allocator(AllocatorKind::Pooled);
  const tvm::ffi::Tensor empty = emptyTensor(allocator, Shape{3, 0, std::int64_t{1} << 62, 8}, kFloat, kHost);
  EXPECT_NE(empty.data_ptr(), nullptr);
  EXPECT_EQ(empty.numel(), 0);
  const tvm::ffi::Tensor scalar = emptyTensor(allocator, Shape{}, kFloat, kHost);
  EXPECT_EQ(scalar.ndim(), 0);
  EXPECT_EQ(scalar.numel(), 1);
  EXPECT_EQ(allocator.counters().liveBytes, 4);
}

TEST(Tensor, PacksSubByteTypes) {
  EXPECT_EQ(tensorBytes(Shape{3}, DLDataType{kDLInt, 4, 1}), 2U);
  EXPECT_EQ(tensorBytes(Shape{9}, DLDataType{kDLUInt, 1, 1}), 2U);
  EXPECT_EQ(tensorBytes(Shape{2, 2}, DLDataType{kDLFloat, 16, 8}), 64U);
  EXPECT_EQ(tensorBytes(Shape{}, DLDataType{kDLFloat, 64, 1}), 8U);
}

TEST(Tensor, RefusesDevicesWithoutHostMemory) {
  StorageAllocator allocator(AllocatorKind::Pooled);
  EXPECT_EQ(kindRaisedBy([&] {
              emptyTensor(allocator, Shape{1}, kFloat, DLDevice{kDLCUDA, 0});
            }),
            "ValueError");
}

}  // namespace
}  // namespace opscope::runtime
