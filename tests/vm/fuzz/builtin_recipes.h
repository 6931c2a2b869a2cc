// SPDX-License-Identifier: Apache-2.0
// What the builtins take and give, as far as the bytecode fuzzer needs it to get past their first checks.
#pragma once

#include <span>
#include <string_view>

namespace opscope::vm::test {

inline constexpr std::string_view kCacheMaker = "vm.builtin.paged_attention_kv_cache_create";

/// One letter an argument: v machine, h shape heap, s shape, t tensor, i integer, d element type, S string,
/// G memory scope, T tuple, g storage, c closure, f any function, K a KV cache, b condition, z zero, 1 and 8
/// themselves, x anything; p a count and pairs; * repeats the letter before it.
struct Recipe {
  std::string_view name;
  std::string_view arguments;
  char result = 'x';
};

/// All of them, those that are registered but not listed here with arguments of any kind. After
/// registerBuiltins.
std::span<const Recipe> builtinRecipes();

}  // namespace opscope::vm::test
