// SPDX-License-Identifier: Apache-2.0
#include "engine/session/kernel_calls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/vm/fixture_files.h"

namespace opscope::session {

namespace {

vm::ExecutableFile open(const char* fixture) {
  auto file = vm::readExecutableFile(vm::test::fixturePath(fixture));
  EXPECT_TRUE(file) << file.error().message;
  return *std::move(file);
}

TEST(KernelCalls, OfFixedShapesAreAllThere) {
  const vm::ExecutableFile file = open("tvm027/cnn");
  const KernelCalls found = findKernelCalls(file, vm::findFunction(*file.data, "forward"), {});
  EXPECT_TRUE(found.unknown.empty());
  ASSERT_EQ(found.calls.size(), 10U);
  EXPECT_EQ(found.calls.front().kernel, "conv2d");
  ASSERT_EQ(found.calls.front().arguments.size(), 3U);
  EXPECT_EQ(found.calls.front().arguments[1].shape, (std::vector<std::int64_t>{8, 3, 3, 3}));
  EXPECT_EQ(found.calls.back().kernel, "softmax");
}

TEST(KernelCalls, FreeDimensionsGetTheirSizes) {
  const vm::ExecutableFile file = open("tvm027/mlp_dyn");
  const std::int64_t function = vm::findFunction(*file.data, "forward");
  const KernelCalls without = findKernelCalls(file, function, {});
  EXPECT_THAT(without.unknown, testing::Contains("relu"));
  const KernelCalls with = findKernelCalls(file, function, {{"n", 5}});
  EXPECT_THAT(with.unknown, testing::Each("shape_func"));
  for (const KernelCall& call : with.calls) {
    if (call.kernel == "relu") {
      EXPECT_EQ(call.arguments[0].shape, (std::vector<std::int64_t>{5, 256}));
    }
  }
}

TEST(KernelCalls, FunctionsThatCallThemselvesEnd) {
  const vm::ExecutableFile file = open("tvm027/recursion");
  EXPECT_LT(findKernelCalls(file, vm::findFunction(*file.data, "main"), {}).calls.size(), 100U);
  EXPECT_TRUE(findKernelCalls(file, -1, {}).calls.empty());
}

TEST(KernelCalls, SizesComeFromGivenShapes) {
  vm::Signature signature;
  vm::Parameter& shape = signature.parameters.emplace_back();
  shape.dimensions = {{-1, "n", false}, {4, "", false}, {-1, "n * 2", true}};
  const auto sizes = sizesOf(signature, {InputValue{ShapeValue{{3, 4, 6}}}});
  EXPECT_EQ(sizes, (std::map<std::string, std::int64_t>{{"n", 3}}));
}

}  // namespace

}  // namespace opscope::session
