// SPDX-License-Identifier: Apache-2.0
// Libraries as the loader has them: what is read of them, and words in them that change for a while.
#include "engine/code/loaded_library.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "engine/code/function_bounds.h"
#include "engine/code/page_access.h"
#include "engine/code/word_patches.h"

namespace opscope::code {
namespace {

/// The C++ library: large, bound at load, stripped, and in every process.
class LoadedLibraryTest : public ::testing::Test {
 protected:
  void SetUp() override {
    m_handle = dlopen("libstdc++.so.6", RTLD_NOW);
    ASSERT_NE(m_handle, nullptr);
    auto library = LoadedLibrary::of(m_handle);
    ASSERT_TRUE(library) << library.error().message;
    m_library = *std::move(library);
  }
  void TearDown() override { dlclose(m_handle); }

  void* m_handle = nullptr;
  LoadedLibrary m_library;
};

TEST_F(LoadedLibraryTest, KnowsItsFunctions) {
  ASSERT_GT(m_library.functions().size(), 1000u);
  const auto expected = reinterpret_cast<std::uintptr_t>(dlsym(m_handle, "__cxa_demangle"));
  EXPECT_EQ(m_library.addressOf("__cxa_demangle"), expected);
  EXPECT_TRUE(m_library.isCode(expected));
  EXPECT_FALSE(m_library.isWritable(expected));
  EXPECT_EQ(m_library.addressOf("no such function"), 0u);
}

TEST_F(LoadedLibraryTest, KnowsItsSlots) {
  const auto slot = std::ranges::find(m_library.slots(), "memcpy", &Slot::symbol);
  ASSERT_NE(slot, m_library.slots().end());
  EXPECT_EQ(slot->definition, 0u);
  EXPECT_NE(*slot->address, 0u);
}

TEST_F(LoadedLibraryTest, BoundsHoldEveryExportedFunction) {
  const std::vector<AddressRange> functions = functionBounds(m_library);
  ASSERT_GT(functions.size(), 1000u);
  EXPECT_TRUE(std::ranges::is_sorted(functions, {}, &AddressRange::begin));
  std::size_t within = 0;
  for (const ExportedFunction& function : m_library.functions()) {
    const auto after = std::ranges::upper_bound(functions, function.address, {}, &AddressRange::begin);
    within += after != functions.begin() && std::prev(after)->contains(function.address) ? 1 : 0;
  }
  EXPECT_EQ(within, m_library.functions().size());
}

TEST_F(LoadedLibraryTest, WordsAreRestored) {
  PageAccess pages;
  const auto slot = std::ranges::find(m_library.slots(), "__cxa_demangle", &Slot::symbol);
  const auto any = slot != m_library.slots().end() ? slot : m_library.slots().begin();
  ASSERT_NE(any, m_library.slots().end());
  const std::uintptr_t before = *any->address;
  {
    WordPatches patches(m_library, pages);
    ASSERT_TRUE(patches.set(any->address, before));  // the same value: others use this library meanwhile
  }
  EXPECT_EQ(*any->address, before);
}

class RefusingPages final : public PageAccess {
 public:
  bool set(std::uintptr_t, std::size_t, int) override { return false; }
};

TEST_F(LoadedLibraryTest, ARefusalLeavesTheWord) {
  RefusingPages pages;
  const auto slot = std::ranges::find_if(m_library.slots(), [&](const Slot& each) {
    return !m_library.isWritable(reinterpret_cast<std::uintptr_t>(each.address));
  });
  ASSERT_NE(slot, m_library.slots().end());
  const std::uintptr_t before = *slot->address;
  WordPatches patches(m_library, pages);
  EXPECT_FALSE(patches.set(slot->address, before + 1));
  EXPECT_EQ(*slot->address, before);
}

TEST(LoadedLibrary, NothingIsNoLibrary) {
  EXPECT_FALSE(LoadedLibrary::of(nullptr));
}

TEST(PageAccessTest, MemoryIsMappedNear) {
  PageAccess pages;
  const auto here = reinterpret_cast<std::uintptr_t>(&functionBounds);
  void* const got = pages.mapNear(here, 4096, 4096);
  ASSERT_NE(got, nullptr);
  const auto distance = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(got) - here);
  EXPECT_LT(std::abs(distance), std::int64_t{1} << 31);
  pages.unmap(got, 4096);
}

}  // namespace
}  // namespace opscope::code
