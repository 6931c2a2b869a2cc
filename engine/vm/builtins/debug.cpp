// SPDX-License-Identifier: Apache-2.0
// Calls out of the executable to functions of its user.
#include <fmt/format.h>

#include <array>
#include <climits>
#include <vector>

#include "engine/vm/builtins/arguments.h"
#include "engine/vm/builtins/families.h"

namespace opscope::vm {

namespace ffi = tvm::ffi;

namespace {

// (none, name of a registered function, line, arguments...): calls it with the line and the arguments
void invokeDebugFunction(ffi::PackedArgs packed, ffi::Any* result) {
  const Arguments arguments("vm.builtin.invoke_debug_func", packed);
  arguments.requireCount(3, INT_MAX);
  if (arguments.at(0) != nullptr) {
    arguments.failType(0, "none");
  }
  const std::string name = arguments.text(1);
  const std::optional<ffi::Function> function = ffi::Function::GetGlobal(name);
  if (!function.has_value()) {
    arguments.failValue(fmt::format("no function {} is registered; load a library that registers it", name));
  }
  std::vector<ffi::AnyView> callArguments(packed.data() + 2, packed.data() + packed.size());
  ffi::Any ignored;
  function->CallPacked(ffi::PackedArgs(callArguments.data(), static_cast<std::int32_t>(callArguments.size())),
                       &ignored);
  result->reset();
}

void callPythonFunction(ffi::PackedArgs, ffi::Any*) {
  raise("RuntimeError",
        "vm.builtin.call_py_func: the executable calls back into Python, which needs the Python program that "
        "built it");
}

constexpr std::array kBuiltins = {
    Builtin{"vm.builtin.invoke_debug_func", invokeDebugFunction},
    Builtin{"vm.builtin.call_py_func", callPythonFunction},
};

}  // namespace

std::span<const Builtin> debugBuiltins() {
  return kBuiltins;
}

}  // namespace opscope::vm
