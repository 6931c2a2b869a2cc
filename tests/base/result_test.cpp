// SPDX-License-Identifier: Apache-2.0
#include "engine/base/result.h"

#include <gtest/gtest.h>

#include <memory>

namespace opscope::base {
namespace {

Result<int> half(int value) {
  if (value % 2 != 0) {
    return Error{ErrorCode::InvalidArgument, "odd", {}, {}};
  }
  return value / 2;
}

Result<int> quarter(int value) {
  OPSCOPE_TRY_ASSIGN(const int once, half(value));
  return half(once);
}

Result<> check(int value) {
  OPSCOPE_TRY(half(value));
  return {};
}

TEST(Result, CarriesValuesAndErrors) {
  EXPECT_EQ(*quarter(8), 2);
  EXPECT_EQ(quarter(6).error().message, "odd");
  EXPECT_TRUE(check(2));
  EXPECT_FALSE(check(3));
}

TEST(Result, MovesValues) {
  const auto make = []() -> Result<std::unique_ptr<int>> { return std::make_unique<int>(7); };
  auto pointer = make();
  ASSERT_TRUE(pointer);
  EXPECT_EQ(**pointer, 7);
}

TEST(Error, IsFormattedInLines) {
  const Error error{ErrorCode::Format, "bad file", "found a\nexpected b", "build it again"};
  EXPECT_EQ(formatError(error),
            "opscope: error: bad file\n  found a\n  expected b\n  hint: build it again\n");
  EXPECT_EQ(errorCodeName(ErrorCode::Internal), "Internal");
  EXPECT_EQ(errorCodeName(ErrorCode::InvalidArgument), "InvalidArgument");
}

}  // namespace
}  // namespace opscope::base
