// SPDX-License-Identifier: Apache-2.0
// Calls out of the executable to functions of its user, and what it prints for him.
#include <fmt/format.h>
#include <tvm/ffi/container/shape.h>
#include <tvm/ffi/dtype.h>

#include <array>
#include <climits>
#include <cstdio>
#include <vector>

#include "engine/vm/builtins/arguments.h"
#include "engine/vm/builtins/array_text.h"
#include "engine/vm/builtins/families.h"
#include "engine/vm/builtins/tensor_checks.h"

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

/// Functions for call_py_func stand in the ffi registry under this prefix; there is no second registry.
constexpr std::string_view kPythonFunction = "opscope.py_func.";

ffi::Function pythonFunction(const char* builtin, const std::string& name) {
  const auto function = ffi::Function::GetGlobal(std::string(kPythonFunction) + name);
  if (!function.has_value()) {
    raise("InternalError",
          fmt::format("{}: the executable calls the Python function {}, which needs the Python program that "
                      "built it, or a plugin that registers it with vm.builtin.register_py_func",
                      builtin, name));
  }
  return *function;
}

// (tuple of name and tuple of arguments) -> result of the function registered under that name
void callPythonFunction(ffi::PackedArgs packed, ffi::Any* result) {
  const Arguments arguments("vm.builtin.call_py_func", packed);
  arguments.requireCount(1, 1);
  const ffi::Array<ffi::Any> call = arguments.tuple(0);
  if (call.size() != 2) {
    arguments.failValue(fmt::format("expected a tuple of name and arguments, got {} items", call.size()));
  }
  const std::array<ffi::AnyView, 2> items = {call[0], call[1]};
  const Arguments parts(arguments.name(), ffi::PackedArgs(items.data(), 2));
  const ffi::Array<ffi::Any> given = parts.tuple(1);
  const std::vector<ffi::AnyView> views(given.begin(), given.end());
  pythonFunction(arguments.name(), parts.text(0))
      .CallPacked(ffi::PackedArgs(views.data(), static_cast<std::int32_t>(views.size())), result);
}

// (name, function)
void registerPythonFunction(ffi::PackedArgs packed, ffi::Any*) {
  const Arguments arguments("vm.builtin.register_py_func", packed);
  arguments.requireCount(2, 2);
  const auto function = objectIn<ffi::Function>(arguments.at(1));
  if (!function.has_value()) {
    arguments.failType(1, "a function");
  }
  ffi::Function::SetGlobal(std::string(kPythonFunction) + arguments.text(0), *function, /*override=*/true);
}

// (name) -> function
void getPythonFunction(ffi::PackedArgs packed, ffi::Any* result) {
  const Arguments arguments("vm.builtin.get_py_func", packed);
  arguments.requireCount(1, 1);
  *result = pythonFunction(arguments.name(), arguments.text(0));
}

// (): forgets all of them
void clearPythonFunctions(ffi::PackedArgs packed, ffi::Any*) {
  Arguments("vm.builtin.clear_py_func_registry", packed).requireCount(0, 0);
  for (const ffi::String& name : ffi::Function::ListGlobalNames()) {
    if (std::string_view(name.data(), name.size()).starts_with(kPythonFunction)) {
      ffi::Function::RemoveGlobal(name);
    }
  }
}

// (line, tensor): shape, type and data of the tensor on standard output
void debugPrint(ffi::PackedArgs packed, ffi::Any*) {
  const Arguments arguments("vm.builtin.debug_print", packed);
  arguments.requireCount(2, 2);
  const DLTensor& tensor = hostTensor(arguments, 1);
  const ffi::Shape shape(tensor.shape, tensor.shape + tensor.ndim);
  const std::string line =
      fmt::format("{}: shape = {}, dtype = {}, data =\n{}\n", arguments.text(0), pythonText(shape),
                  std::string(ffi::DLDataTypeToString(tensor.dtype)), arrayText(tensor));
  std::fwrite(line.data(), 1, line.size(), stdout);
  std::fflush(stdout);
}

// Graphs of launches are recorded by the driver of a CUDA device.
template <const char* const& kName>
void refuseGraph(ffi::PackedArgs, ffi::Any*) {
  raise(
      "RuntimeError",
      fmt::format("{}: the executable was compiled to use CUDA graphs, which need a CUDA device; compile it "
                  "without relax.backend.use_cuda_graph",
                  kName));
}
constexpr const char* kRunOrCapture = "vm.builtin.cuda_graph.run_or_capture";
constexpr const char* kCachedAlloc = "vm.builtin.cuda_graph.get_cached_alloc";

constexpr std::array kBuiltins = {
    Builtin{"vm.builtin.invoke_debug_func", invokeDebugFunction},
    Builtin{"vm.builtin.call_py_func", callPythonFunction},
    Builtin{"vm.builtin.register_py_func", registerPythonFunction},
    Builtin{"vm.builtin.get_py_func", getPythonFunction},
    Builtin{"vm.builtin.clear_py_func_registry", clearPythonFunctions},
    Builtin{"vm.builtin.debug_print", debugPrint},
    Builtin{kRunOrCapture, refuseGraph<kRunOrCapture>},
    Builtin{kCachedAlloc, refuseGraph<kCachedAlloc>},
};

}  // namespace

std::span<const Builtin> debugBuiltins() {
  return kBuiltins;
}

}  // namespace opscope::vm
