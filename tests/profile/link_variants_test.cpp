// SPDX-License-Identifier: Apache-2.0
// One compiled model in every form that linkers give it: always the calls of its bytecode twin, and the same
// results.
#include "tests/profile/link_variants.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <set>

#include "tests/profile/call_lists.h"
#include "tests/profile/refusing_pages.h"
#include "tests/vm/case_runner.h"

namespace opscope::profile {
namespace {

using test::CallList;
using test::callsOf;
using test::comparable;
using test::LinkedModels;
using test::LinkVariant;
using test::linkVariants;
using test::RefusingPages;

constexpr const char* kCase = "link_variants/model";

class LinkVariants : public ::testing::TestWithParam<LinkVariant> {
 protected:
  static void SetUpTestSuite() {
    s_models = new LinkedModels;
    auto bytecode = vm::test::openPath(s_models->bytecode());
    ASSERT_TRUE(bytecode) << bytecode.error().message;
    s_expected = callsOf(*bytecode->machine, kCase);
    ASSERT_EQ(s_expected.problem, "");
  }
  static void TearDownTestSuite() {
    delete s_models;
    s_models = nullptr;
  }

  /// Nothing where its linker is not installed, which is told, and where it does not open, which fails the
  /// test.
  static std::optional<vm::test::OpenMachine> openVariant() {
    const auto path = s_models->compiled(GetParam());
    if (!path) {
      return std::nullopt;
    }
    auto open = vm::test::openPath(*path);
    EXPECT_TRUE(open) << open.error().message;
    return open ? std::optional(*std::move(open)) : std::nullopt;
  }

  /// Every call of the twin, in its order, with its shapes; and nothing else.
  static void expectTwin(const CallList& seen) {
    EXPECT_EQ(seen.problem, "");
    EXPECT_EQ(seen.unended, 0u);
    EXPECT_THAT(comparable(seen), ::testing::ContainerEq(comparable(s_expected)));
  }

  static std::size_t copies(const CallList& list) {
    return static_cast<std::size_t>(std::ranges::count(list.calls, "vm.builtin.copy", &test::SeenCall::name));
  }
  static std::size_t functionCalls(const CallList& list) {
    return static_cast<std::size_t>(
        std::ranges::count(list.calls, "vm.builtin.invoke_closure", &test::SeenCall::name));
  }

  static LinkedModels* s_models;
  static CallList s_expected;
};

LinkedModels* LinkVariants::s_models = nullptr;
CallList LinkVariants::s_expected;

TEST_P(LinkVariants, MakeTheCallsOfTheirTwin) {
  const auto open = openVariant();
  if (!open) {
    return;
  }
  // Not seen before, seen, not seen again, and seen once more: patches leave nothing behind.
  EXPECT_EQ(vm::test::runAndCompare(*open->machine, kCase), "");
  for (int round = 0; round < 2; ++round) {
    const CallList seen = callsOf(*open->machine, kCase);
    expectTwin(seen);
    EXPECT_EQ(seen.facts.way, GetParam().way);
    EXPECT_EQ(seen.facts.unmet, "");
    // One copy before each return of a function, the entry's among them.
    EXPECT_EQ(copies(seen), copies(s_expected) + functionCalls(s_expected) + 1);
    EXPECT_EQ(vm::test::runAndCompare(*open->machine, kCase), "");
  }
}

TEST_P(LinkVariants, GapsShowTheSameWhereNothingMayBePatched) {
  const auto open = openVariant();
  if (!open) {
    return;
  }
  CompiledCalls::Options options;
  options.limits.slots = false;
  options.limits.callSites = false;
  const CallList seen = callsOf(*open->machine, kCase, options);
  expectTwin(seen);
  EXPECT_EQ(seen.facts.way, "gaps");
  EXPECT_EQ(seen.facts.unmet, "");
}

TEST_P(LinkVariants, RefusedPagesAreToldOrDoWithout) {
  const auto open = openVariant();
  if (!open) {
    return;
  }
  RefusingPages pages;
  CompiledCalls::Options options;
  options.pages = &pages;
  const CallList seen = callsOf(*open->machine, kCase, options);
  EXPECT_EQ(seen.problem, "");
  if (seen.facts.unmet.empty()) {
    expectTwin(seen);
  } else {
    EXPECT_EQ(seen.facts.way, "not");
  }
}

TEST_P(LinkVariants, KernelsBeyondTheThunksAreMetByGaps) {
  const auto open = openVariant();
  if (!open) {
    return;
  }
  CompiledCalls::Options options;
  options.limits.thunks = 2;
  const CallList mixed = callsOf(*open->machine, kCase, options);
  expectTwin(mixed);
  EXPECT_EQ(mixed.facts.way, std::string(GetParam().way) + " and gaps");
  options.gaps = false;
  const CallList fewer = callsOf(*open->machine, kCase, options);
  EXPECT_EQ(fewer.problem, "");
  EXPECT_NE(fewer.facts.unmet, "");
  EXPECT_LT(fewer.calls.size(), mixed.calls.size());
}

INSTANTIATE_TEST_SUITE_P(Linkers, LinkVariants, ::testing::ValuesIn(linkVariants()),
                         [](const auto& variant) { return std::string(variant.param.name); });

TEST(OddLibraries, WithoutTablesOfUnwinding) {
  const LinkedModels models;
  const LinkVariant slots{"NoFrames", "-Wl,--no-eh-frame-hdr -s", "slots", ""};
  auto open = vm::test::openPath(*models.compiled(slots));
  ASSERT_TRUE(open) << open.error().message;
  const CallList seen = callsOf(*open->machine, kCase);
  EXPECT_EQ(seen.problem, "");
  EXPECT_EQ(seen.facts.way, "slots");
  EXPECT_EQ(seen.facts.unmet, "");
  const LinkVariant symbolic{"NoFramesSymbolic", "-Wl,-Bsymbolic -Wl,--no-eh-frame-hdr -s", "not", ""};
  auto blind = vm::test::openPath(*models.compiled(symbolic));
  ASSERT_TRUE(blind) << blind.error().message;
  const CallList unseen = callsOf(*blind->machine, kCase);
  EXPECT_EQ(unseen.problem, "");
  EXPECT_EQ(unseen.facts.way, "not");
  EXPECT_THAT(unseen.facts.unmet, ::testing::HasSubstr("matmul"));
}

}  // namespace
}  // namespace opscope::profile
