// SPDX-License-Identifier: Apache-2.0
#include "engine/profile/shape_table.h"

#include <gtest/gtest.h>

#include <array>

#include "tests/profile/fake_tensors.h"

namespace opscope::profile {
namespace {

using testing::FakeTensors;

template <std::size_t N>
std::uint32_t indexOf(ShapeTable& table, std::uint32_t instruction, const std::array<TVMFFIAny, N>& args) {
  return table.indexOf(instruction, args.data(), static_cast<std::int32_t>(N));
}

TEST(ShapeTable, TextIsAsInTvmReports) {
  FakeTensors make;
  ShapeTable table(1);
  const std::array args{make.tensor({1, 3, 224, 224}), FakeTensors::integer(4), make.tensor({}),
                        make.tensor({64}, {kDLInt, 8, 4}), make.tensor({2}, {kDLBool, 8, 1})};
  const std::uint32_t index = indexOf(table, 0, args);
  EXPECT_EQ(table.text(index), "float32[1, 3, 224, 224], float32[], int8x4[64], bool[2]");
  EXPECT_EQ(table.device(index), "cpu0");
}

TEST(ShapeTable, DeviceIsThatOfTheLastTensor) {
  FakeTensors make;
  ShapeTable table(1);
  const std::array args{make.tensor({2}), make.tensor({2}, {kDLFloat, 32, 1}, {kDLCUDA, 1}),
                        FakeTensors::integer(0)};
  EXPECT_EQ(table.device(indexOf(table, 0, args)), "cuda1");
}

TEST(ShapeTable, CallsWithoutTensorsHaveNoShapes) {
  ShapeTable table(2);
  const std::array args{FakeTensors::integer(1), FakeTensors::integer(2)};
  EXPECT_EQ(indexOf(table, 0, args), base::kNoShapes);
  EXPECT_EQ(table.indexOf(1, nullptr, 0), base::kNoShapes);
  EXPECT_EQ(table.size(), 0u);
}

TEST(ShapeTable, EqualShapesShareOneEntryAcrossInstructionsAndTensors) {
  FakeTensors make;
  ShapeTable table(2);
  const std::uint32_t first = indexOf(table, 0, std::array{make.tensor({2, 3}), make.tensor({3})});
  EXPECT_EQ(indexOf(table, 0, std::array{make.tensor({2, 3}), make.tensor({3})}), first);
  EXPECT_EQ(indexOf(table, 1, std::array{make.tensor({2, 3}), make.tensor({3})}), first);
  EXPECT_EQ(table.size(), 1u);
}

TEST(ShapeTable, EverythingThatDiffersIsSeen) {
  FakeTensors make;
  ShapeTable table(1);
  const std::uint32_t base = indexOf(table, 0, std::array{make.tensor({2, 3})});
  EXPECT_NE(indexOf(table, 0, std::array{make.tensor({3, 2})}), base);
  EXPECT_NE(indexOf(table, 0, std::array{make.tensor({2, 3, 1})}), base);
  EXPECT_NE(indexOf(table, 0, std::array{make.tensor({2})}), base);
  EXPECT_NE(indexOf(table, 0, std::array{make.tensor({2, 3}, {kDLInt, 32, 1})}), base);
  EXPECT_NE(indexOf(table, 0, std::array{make.tensor({2, 3}, {kDLFloat, 32, 1}, {kDLCPU, 1})}), base);
  EXPECT_NE(indexOf(table, 0, std::array{make.tensor({2, 3}), make.tensor({2, 3})}), base);
  EXPECT_EQ(indexOf(table, 0, std::array{FakeTensors::integer(1)}), base::kNoShapes);
  EXPECT_EQ(indexOf(table, 0, std::array{make.tensor({2, 3})}), base);
  EXPECT_EQ(table.size(), 7u);
}

TEST(ShapeTable, InstructionsBeyondItsSizeAreHandled) {
  FakeTensors make;
  ShapeTable table(0);
  EXPECT_EQ(table.text(indexOf(table, 99, std::array{make.tensor({7})})), "float32[7]");
}

}  // namespace
}  // namespace opscope::profile
