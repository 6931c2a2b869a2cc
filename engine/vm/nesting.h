// SPDX-License-Identifier: Apache-2.0
// How deep values hold each other. Values are freed by recursion, so a program that nests without end would
// end the process; builtins that make nested values ask here. Any thread.
#pragma once

#include <tvm/ffi/function.h>

#include <span>

namespace opscope::vm {

/// Far beyond what models nest, far below what a thread's stack holds.
inline constexpr int kMostNesting = 200;

/// Raises ValueError when one of `values` holds tuples and closures in each other kMostNesting levels deep,
/// so that one more level would be too many. Cheap for values that hold no such value.
void requireShallow(const char* asker, std::span<const tvm::ffi::AnyView> values);

}  // namespace opscope::vm
