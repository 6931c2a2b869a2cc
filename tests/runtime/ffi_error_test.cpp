// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/ffi_error.h"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>

namespace opscope::runtime {
namespace {

using base::ErrorCode;

TEST(Guarded, PassesValuesResultsAndNothing) {
  EXPECT_EQ(*guarded(ErrorCode::Internal, "here", [] { return 7; }), 7);
  EXPECT_TRUE(guarded(ErrorCode::Internal, "here", [] {}));
  EXPECT_EQ(*guarded(ErrorCode::Internal, "here", []() -> base::Result<int> { return 8; }), 8);
  const auto kept = guarded(ErrorCode::Internal, "here", []() -> base::Result<int> {
    return base::Error{ErrorCode::Io, "own", {}, {}};
  });
  EXPECT_EQ(kept.error().message, "own");
}

TEST(Guarded, TurnsExceptionsIntoErrors) {
  const auto ffi = guarded(ErrorCode::KernelFailed, "kernel add",
                           []() -> int { throw tvm::ffi::Error("ValueError", "shapes differ", ""); });
  ASSERT_FALSE(ffi);
  EXPECT_EQ(ffi.error().code, ErrorCode::KernelFailed);
  EXPECT_EQ(ffi.error().message, "kernel add: shapes differ");
  EXPECT_EQ(ffi.error().detail, "raised as ValueError");

  const auto std = guarded(ErrorCode::Internal, "here", [] { throw std::runtime_error("boom"); });
  EXPECT_EQ(std.error().message, "here: boom");
  const auto memory = guarded(ErrorCode::Internal, "here", [] { throw std::bad_alloc(); });
  EXPECT_EQ(memory.error().code, ErrorCode::OutOfMemory);
  const auto other = guarded(ErrorCode::Internal, "here", [] { throw 5; });
  EXPECT_NE(other.error().message.find("unknown type"), std::string::npos);
  const auto environment = guarded(ErrorCode::Internal, "here", [] { throw tvm::ffi::EnvErrorAlreadySet(); });
  EXPECT_NE(environment.error().message.find("environment"), std::string::npos);
}

TEST(Guarded, KeepsCauses) {
  const tvm::ffi::Error cause("TypeError", "not a tensor", "");
  const auto result = guarded(ErrorCode::KernelFailed, "add", [&]() -> int {
    throw tvm::ffi::Error("RuntimeError", "call failed", "", cause, std::nullopt);
  });
  EXPECT_EQ(result.error().detail, "raised as RuntimeError\ncaused by TypeError: not a tensor");
}

TEST(TakeRaisedError, TellsAFailureWithoutAnError) {
  TVMFFIErrorSetRaisedFromCStr("MemoryError", "no more");
  const base::Error raised = takeRaisedError(ErrorCode::Internal, "kernel");
  EXPECT_EQ(raised.code, ErrorCode::OutOfMemory);
  EXPECT_EQ(raised.message, "kernel: no more");
  EXPECT_EQ(takeRaisedError(ErrorCode::KernelFailed, "kernel").message,
            "kernel: it reported a failure but raised no error");
}

}  // namespace
}  // namespace opscope::runtime
