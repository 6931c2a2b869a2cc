// SPDX-License-Identifier: Apache-2.0
// Every small executable of TVM 0.21, 0.25 and 0.27 gives TVM's own results, bit for bit.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "engine/arrays/npz.h"
#include "tests/vm/case_runner.h"
#include "tests/vm/fixture_files.h"

namespace opscope::vm::test {

namespace ffi = tvm::ffi;

namespace {

class RunCase : public testing::TestWithParam<const char*> {};

TEST_P(RunCase, GivesTvmsResultsTwice) {
  auto open = openFixture(GetParam());
  ASSERT_TRUE(open) << open.error().message;
  EXPECT_EQ(runAndCompare(*open->machine, GetParam()), "");
  EXPECT_EQ(runAndCompare(*open->machine, GetParam()), "");
}

TEST_P(RunCase, GivesTvmsResultsWithTheNaiveAllocator) {
  VirtualMachine::Options options;
  options.allocator = runtime::AllocatorKind::Naive;
  auto open = openFixture(GetParam(), options);
  ASSERT_TRUE(open) << open.error().message;
  EXPECT_EQ(runAndCompare(*open->machine, GetParam()), "");
}

TEST_P(RunCase, ReleasesItsMemory) {
  auto open = openFixture(GetParam());
  ASSERT_TRUE(open) << open.error().message;
  ASSERT_EQ(runAndCompare(*open->machine, GetParam()), "");
  EXPECT_EQ((*open)->allocatorCounters().liveBytes, 0);
}

std::string testName(const testing::TestParamInfo<const char*>& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '/', '_');
  return name;
}

constexpr const char* kCases[] = {
    "tvm027/chain",
    "tvm027/chain_compiled",
    "tvm027/closure",
    "tvm027/cnn",
    "tvm027/dynreshape",
    "tvm027/fp16",
    "tvm027/ifelse",
    "tvm027/ifelse_f",
    "tvm027/mlp",
    "tvm027/mlp_compiled",
    "tvm027/mlp_const",
    "tvm027/mlp_dyn",
    "tvm027/mlp_zero",
    "tvm027/multinomial",
    "tvm027/mlp_dyn_compiled",
    "tvm027/ifelse_compiled",
    "tvm027/recursion",
    "tvm027/tirvars",
    "tvm027/transformer",
    "tvm027/tuples",
    "tvm027/sortetc",
    "tvm027/printassert",
    "tvm027/workspace",
    "tvm027/parallel",
    "tvm027/tiny_llama",
    "tvm021/chain21",
    "tvm021/rich21_bytecode",
    "tvm025/closure",
    "tvm025/cnn",
    "tvm025/mlp",
    "tvm025/mlp_compiled",
    "tvm025/mlp_dyn",
    "tvm025/recursion",
    "tvm025/tirvars",
};

// x + uniform(0, 1): the numbers differ from TVM's; what can be held is their type, shape and range.
TEST(RunRandomCase, GivesNumbersInRange) {
  auto open = openFixture("tvm027/rnd");
  ASSERT_TRUE(open) << open.error().message;
  const std::vector<ffi::Any> arguments = scenarioArguments("tvm027/rnd");
  auto result = (*open)->invoke("main", arguments);
  ASSERT_TRUE(result) << result.error().message;
  const std::vector<float> base = floatsOf(arguments[0]);
  const std::vector<float> values = floatsOf(*result);
  ASSERT_EQ(values.size(), base.size());
  bool differ = false;
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_GE(values[i] - base[i], -1e-6F);
    EXPECT_LT(values[i] - base[i], 1.0F + 1e-6F);
    differ = differ || values[i] - base[i] != values[0] - base[0];
  }
  EXPECT_TRUE(differ);
  EXPECT_EQ((*open)->allocatorCounters().liveBytes, static_cast<std::int64_t>(values.size() * sizeof(float)));
}

// What export_library writes for names in .tar, an object, and a static archive of the same model.
TEST(RunLinked, ArchivesAndObjectsGiveTvmsResults) {
  for (const std::string ending : {".tar", ".o", ".a"}) {
    const auto path = std::filesystem::path(fixturePath("linked/model")).replace_extension(ending);
    auto open = openPath(path);
    ASSERT_TRUE(open) << base::formatError(open.error());
    const auto arrays = arrays::NpzReader::open(std::filesystem::path(path).replace_extension(".npz"));
    ASSERT_TRUE(arrays);
    auto result = (*open)->invoke("main", std::vector<ffi::Any>{tensorOf(arrays->read("in").value())});
    ASSERT_TRUE(result) << base::formatError(result.error());
    EXPECT_EQ(floatsOf(*result), floatsOf(tensorOf(arrays->read("out").value()))) << ending;
  }
}

INSTANTIATE_TEST_SUITE_P(Fixtures, RunCase, testing::ValuesIn(kCases), testName);

}  // namespace

}  // namespace opscope::vm::test
