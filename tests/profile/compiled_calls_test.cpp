// SPDX-License-Identifier: Apache-2.0
// Calls inside compiled functions against the same model in bytecode, whose calls the machine itself shows.
#include "engine/profile/compiled_calls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/profile/call_lists.h"
#include "tests/vm/case_runner.h"

namespace opscope::profile {
namespace {

using test::CallList;
using test::callsOf;
using test::comparable;

struct Twins {
  const char* compiled;
  const char* bytecode;
};

class CompiledTwins : public ::testing::TestWithParam<Twins> {};

TEST_P(CompiledTwins, MakeTheSameCalls) {
  const auto [compiledName, bytecodeName] = GetParam();
  auto compiled = vm::test::openFixture(compiledName);
  auto bytecode = vm::test::openFixture(bytecodeName);
  ASSERT_TRUE(compiled) << compiled.error().message;
  ASSERT_TRUE(bytecode) << bytecode.error().message;
  const CallList seen = callsOf(*compiled->machine, compiledName);
  const CallList expected = callsOf(*bytecode->machine, bytecodeName);
  EXPECT_EQ(seen.problem, "");
  EXPECT_EQ(seen.facts.unmet, "");
  EXPECT_EQ(seen.facts.way, "slots");
  EXPECT_GT(expected.calls.size(), 0u);
  EXPECT_THAT(comparable(seen), ::testing::ContainerEq(comparable(expected)));
}

INSTANTIATE_TEST_SUITE_P(Fixtures, CompiledTwins,
                         ::testing::Values(Twins{"tvm027/chain_compiled", "tvm027/chain"},
                                           Twins{"tvm027/mlp_compiled", "tvm027/mlp"},
                                           Twins{"tvm025/mlp_compiled", "tvm025/mlp"},
                                           Twins{"tvm027/mlp_dyn_compiled", "tvm027/mlp_dyn"},
                                           Twins{"tvm027/ifelse_compiled", "tvm027/ifelse_f"}));

}  // namespace
}  // namespace opscope::profile
