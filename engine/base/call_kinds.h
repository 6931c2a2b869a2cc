// SPDX-License-Identifier: Apache-2.0
// What calls of a virtual machine do, told by their callees' names: one list for our own machine
// (profile::CallWatch) and for a board's (the probe). Any thread; pure functions. Needs headers of the C++
// library alone, which the probe is not linked with.
#pragma once

#include <cstdint>
#include <string_view>

namespace opscope::base {

enum class CallKind : std::uint8_t {
  Kernel,       ///< of the executable's library, or a registered function
  Builtin,      ///< of the runtime, one that reads or makes values of tensors
  Bookkeeping,  ///< of the runtime: memory, checks, shapes, tuples; no values change
  Function,     ///< of the executable, or a closure: calls of its own are shown too
};

inline constexpr std::string_view kAllocTensor = "vm.builtin.alloc_tensor";
inline constexpr std::string_view kBuiltinPrefix = "vm.builtin.";
/// Beginnings of names, after kBuiltinPrefix, of what handles values without looking at elements.
inline constexpr std::string_view kBookkeepingBuiltins[] = {"alloc_",
                                                            "check_",
                                                            "match_",
                                                            "make_",
                                                            "null_value",
                                                            "tuple_",
                                                            "shape_of",
                                                            "read_if_cond",
                                                            "memory_manager",
                                                            "tensor_to_shape",
                                                            "prim_value",
                                                            "to_device",
                                                            "ensure_zero_offset"};

/// Of a callee that is none of the executable's own functions: those are CallKind::Function, whatever their
/// names.
constexpr CallKind callKindOf(std::string_view name) {
  if (name == "vm.builtin.invoke_closure") {
    return CallKind::Function;
  }
  if (!name.starts_with(kBuiltinPrefix)) {
    return CallKind::Kernel;
  }
  name.remove_prefix(kBuiltinPrefix.size());
  for (const std::string_view begin : kBookkeepingBuiltins) {
    if (name.starts_with(begin)) {
      return CallKind::Bookkeeping;
    }
  }
  return CallKind::Builtin;
}

/// Whether a kernel only looks at its arguments.
constexpr bool onlyLooks(std::string_view name) {
  return name.starts_with("relax.run.");
}

}  // namespace opscope::base
