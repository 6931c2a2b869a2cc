// SPDX-License-Identifier: Apache-2.0
// Functions as values.
#include <fmt/format.h>

#include <array>
#include <climits>
#include <vector>

#include "engine/vm/builtins/arguments.h"
#include "engine/vm/builtins/families.h"
#include "engine/vm/closure.h"
#include "engine/vm/machine_context.h"
#include "engine/vm/nesting.h"

namespace opscope::vm {

namespace ffi = tvm::ffi;

namespace {

// (closure, captured...) -> closure. What is captured now comes before what was captured earlier.
void makeClosure(ffi::PackedArgs packed, ffi::Any* result) {
  const Arguments arguments("vm.builtin.make_closure", packed);
  arguments.requireCount(1, INT_MAX);
  const auto* base = arguments.at(0).as<ClosureObj>();
  if (base == nullptr) {
    arguments.failType(0, "a function of the executable");
  }
  requireShallow(arguments.name(), {packed.data(), static_cast<std::size_t>(packed.size())});
  auto closure = ffi::make_object<ClosureObj>();
  closure->name = base->name;
  closure->function = base->function;
  closure->machine = base->machine;
  closure->dropsResult = base->dropsResult;
  closure->captured.reserve(static_cast<std::size_t>(arguments.size() - 1) + base->captured.size());
  for (std::int32_t i = 1; i < arguments.size(); ++i) {
    closure->captured.emplace_back(arguments.at(i));
  }
  closure->captured.insert(closure->captured.end(), base->captured.begin(), base->captured.end());
  *result = Closure(std::move(closure));
}

// (vm, closure or function, arguments...) -> its result
void invokeClosure(ffi::PackedArgs packed, ffi::Any* result) {
  const Arguments arguments("vm.builtin.invoke_closure", packed);
  arguments.requireCount(2, INT_MAX);
  MachineContext& machine = arguments.machine(0);
  machine.throwIfStopped();
  machine.callValue(arguments.at(1), packed.Slice(2), result);
}

// (function, arguments..., shape): calls it with the arguments and the shape's dimensions as integers
void callTirDyn(ffi::PackedArgs packed, ffi::Any* result) {
  const Arguments arguments("vm.builtin.call_tir_dyn", packed);
  arguments.requireCount(2, INT_MAX);
  if (arguments.at(0).type_index() != kTVMFFIFunction) {
    arguments.failType(0, "a function");
  }
  const ffi::ShapeView shape = arguments.shape(arguments.size() - 1);
  std::vector<ffi::AnyView> callArguments(packed.data() + 1, packed.data() + packed.size() - 1);
  callArguments.insert(callArguments.end(), shape.begin(), shape.end());
  const auto* function = arguments.at(0).as<ffi::FunctionObj>();
  function->CallPacked(callArguments.data(), static_cast<std::int32_t>(callArguments.size()), result);
}

constexpr std::array kBuiltins = {
    Builtin{"vm.builtin.make_closure", makeClosure},
    Builtin{"vm.builtin.invoke_closure", invokeClosure},
    Builtin{"vm.builtin.call_tir_dyn", callTirDyn},
};

}  // namespace

std::span<const Builtin> closureBuiltins() {
  return kBuiltins;
}

}  // namespace opscope::vm
