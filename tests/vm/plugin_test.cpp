// SPDX-License-Identifier: Apache-2.0
// Executables that call functions of their user's library. In a program of its own: a plugin stays loaded.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/runtime/library.h"
#include "tests/vm/case_runner.h"

namespace opscope::vm::test {

using testing::AllOf;
using testing::HasSubstr;

namespace {

class PluginTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    auto plugin = runtime::loadPlugin(OPSCOPE_TEST_PLUGIN);
    ASSERT_TRUE(plugin) << plugin.error().message;
    EXPECT_THAT(plugin->functions,
                testing::UnorderedElementsAre("proto.add_ret", "proto.dps_add", "proto.fail"));
  }
};

TEST_F(PluginTest, RunsCallsFromBytecodeAndFromKernels) {
  for (const char* name : {"tvm027/dpspacked", "tvm027/kernelcall"}) {
    auto open = openFixture(name);
    ASSERT_TRUE(open) << open.error().message;
    EXPECT_EQ(runAndCompare(*open->machine, name), "");
    EXPECT_EQ(runAndCompare(*open->machine, name), "");
    EXPECT_EQ((*open)->allocatorCounters().liveBytes, 0);
  }
}

TEST_F(PluginTest, AnErrorInsideAParallelLoopIsNotLost) {
  auto open = openFixture("tvm027/parfail");
  ASSERT_TRUE(open) << open.error().message;
  for (int i = 0; i < 20; ++i) {
    auto result = (*open)->invoke(scenarioFunction("tvm027/parfail"), scenarioArguments("tvm027/parfail"));
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, base::ErrorCode::KernelFailed);
    EXPECT_THAT(result.error().message,
                AllOf(HasSubstr("main, instruction"), HasSubstr("proto.fail was called")));
    EXPECT_EQ((*open)->allocatorCounters().liveBytes, 0);
  }
}

}  // namespace

}  // namespace opscope::vm::test
