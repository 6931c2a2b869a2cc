// SPDX-License-Identifier: Apache-2.0
#include "engine/rpc/server/handle_table.h"

#include <gtest/gtest.h>
#include <tvm/ffi/container/shape.h>

#include <set>

#include "engine/rpc/server/memory_map.h"

namespace opscope::rpc::server {

namespace {

namespace ffi = tvm::ffi;

TEST(HandleTable, GivesBackWhatWasAdded) {
  HandleTable table;
  const ffi::Shape first({1, 2});
  const ffi::Shape second({3});
  const auto a = table.add(first);
  const auto b = table.add(second);
  EXPECT_NE(a, 0U);
  EXPECT_NE(a, b);
  EXPECT_EQ(table.find(a), first.get());
  EXPECT_EQ(table.find(b), second.get());
  EXPECT_EQ(table.size(), 2U);
}

TEST(HandleTable, FreedHandlesAreUnknownEvenWhenTheirPlaceIsUsedAgain) {
  HandleTable table;
  std::set<HandleTable::Handle> seen;
  for (int i = 0; i < 1000; ++i) {
    const auto handle = table.add(ffi::Shape({i}));
    EXPECT_TRUE(seen.insert(handle).second);
    EXPECT_TRUE(table.remove(handle).defined());
    EXPECT_EQ(table.find(handle), nullptr);
    EXPECT_FALSE(table.remove(handle).defined());
  }
  EXPECT_EQ(table.size(), 0U);
}

TEST(HandleTable, OtherNumbersAreUnknown) {
  HandleTable table;
  const auto handle = table.add(ffi::Shape({1}));
  for (const HandleTable::Handle wrong :
       {HandleTable::Handle{0}, handle + 1, handle + (HandleTable::Handle{1} << 32), ~HandleTable::Handle{0},
        static_cast<HandleTable::Handle>(reinterpret_cast<std::uintptr_t>(&table))}) {
    EXPECT_EQ(table.find(wrong), nullptr) << wrong;
    EXPECT_FALSE(table.remove(wrong).defined()) << wrong;
  }
}

TEST(HandleTable, HoldsOneReference) {
  HandleTable table;
  const ffi::Shape shape({1});
  const auto before = shape.use_count();
  const auto handle = table.add(shape);
  EXPECT_EQ(shape.use_count(), before + 1);
  table.remove(handle);
  EXPECT_EQ(shape.use_count(), before);
}

TEST(MemoryMap, KnowsItsPiecesAndNothingElse) {
  MemoryMap memory;
  const std::uint64_t address = memory.allocate(100, 64, {kDLCPU, 0});
  EXPECT_EQ(address % 64, 0U);
  EXPECT_TRUE(memory.contains(address, 100));
  EXPECT_TRUE(memory.contains(address + 99, 1));
  EXPECT_TRUE(memory.contains(0, 0));
  EXPECT_FALSE(memory.contains(address, 101));
  EXPECT_FALSE(memory.contains(address + 100, 1));
  EXPECT_FALSE(memory.contains(address - 1, 2));
  EXPECT_FALSE(memory.contains(address + 50, UINT64_MAX));
  EXPECT_FALSE(memory.contains(UINT64_MAX, 1));
  EXPECT_FALSE(memory.free(address + 1));
  EXPECT_TRUE(memory.free(address));
  EXPECT_FALSE(memory.free(address));
  EXPECT_FALSE(memory.contains(address, 1));
}

TEST(MemoryMap, OverlappingPiecesAreKnownOneByOne) {
  MemoryMap memory;
  memory.know(1000, 100);
  memory.know(1000, 100);
  memory.know(1050, 10);
  memory.know(900, 300);
  EXPECT_TRUE(memory.contains(1055, 45));
  memory.forget(900, 300);
  EXPECT_FALSE(memory.contains(950, 10));
  EXPECT_TRUE(memory.contains(1055, 45));  // the small piece in front of it does not hide the large one
  memory.forget(1000, 100);
  EXPECT_TRUE(memory.contains(1000, 100));
  memory.forget(1000, 100);
  EXPECT_FALSE(memory.contains(1000, 100));
  EXPECT_TRUE(memory.contains(1050, 10));
  memory.forget(1050, 11);  // no such piece
  EXPECT_EQ(memory.pieces(), 1U);
}

}  // namespace

}  // namespace opscope::rpc::server
