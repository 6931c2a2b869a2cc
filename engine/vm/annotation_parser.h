// SPDX-License-Identifier: Apache-2.0
// Reads the texts in which an executable describes values: Relax annotations ("R.Tensor((n, 3),
// dtype=\"float32\")"), the error contexts around them, and the kernel signatures of the library. Any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/vm/signature.h"

namespace opscope::vm {

/// Spellings R. and T. alike; "T.int64(4)" is 4; unknown annotations are Opaque. A dimension that is neither
/// number nor name keeps its text as an expression, with typed numbers made plain ("n * 4"). Nothing when the
/// text is not well formed or nested too deep.
std::optional<Parameter> parseAnnotation(std::string_view text);

/// A constant "ErrorContext(fn=main, loc=param[0], param=x, annotation=...)".
struct ErrorContext {
  std::string function;
  std::int64_t parameterIndex = -1;  ///< -1: the result ("loc=return")
  std::string parameterName;         ///< empty for the result
  std::string annotation;
};
/// Nothing for other texts and for other places (a cast inside a function).
std::optional<ErrorContext> parseErrorContext(std::string_view text);

/// "add(a: Tensor([T.int64(1), n], float32), k: int64)" -> its parameters with their names.
std::optional<std::vector<Parameter>> parseKernelSignature(std::string_view text);

}  // namespace opscope::vm
