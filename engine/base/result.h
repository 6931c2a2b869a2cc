// SPDX-License-Identifier: Apache-2.0
// Result<T>: a value or an Error. Any thread; owns what it holds.
#pragma once

#include <tl/expected.hpp>
#include <utility>

#include "engine/base/error.h"

namespace opscope::base {

/// A value of T or an Error; tl::expected with [[nodiscard]] and construction straight from an Error.
///   Result<int> f() { return Error{ErrorCode::Io, "..."}; }
template <class T = void>
class [[nodiscard]] Result : public tl::expected<T, Error> {
 public:
  using tl::expected<T, Error>::expected;
  // NOLINTNEXTLINE(google-explicit-constructor): a failing function returns its Error directly
  Result(Error error) : tl::expected<T, Error>(tl::unexpected<Error>(std::move(error))) {}
};

}  // namespace opscope::base

#define OPSCOPE_CONCAT_INNER(a, b) a##b
#define OPSCOPE_CONCAT(a, b) OPSCOPE_CONCAT_INNER(a, b)

/// Runs an expression of type Result<void>; returns its error from the calling function.
#define OPSCOPE_TRY(expression)                              \
  do {                                                       \
    if (auto opscopeResult = (expression); !opscopeResult) { \
      return std::move(opscopeResult).error();               \
    }                                                        \
  } while (false)

/// OPSCOPE_TRY_ASSIGN(auto x, f()): x becomes the value of f(), or the calling function returns f()'s error.
#define OPSCOPE_TRY_ASSIGN(declaration, expression) \
  OPSCOPE_TRY_ASSIGN_IMPL(OPSCOPE_CONCAT(opscopeResult, __LINE__), declaration, expression)
#define OPSCOPE_TRY_ASSIGN_IMPL(result, declaration, expression) \
  auto result = (expression);                                    \
  if (!result) {                                                 \
    return std::move(result).error();                            \
  }                                                              \
  declaration = std::move(*result)
