// SPDX-License-Identifier: Apache-2.0
// Memory of intermediate tensors. The VM calls alloc_storage, alloc_tensor and null_value about once per op
// each, so they read their arguments without conversions.
#include <fmt/format.h>
#include <tvm/ffi/cast.h>

#include <array>

#include "engine/vm/builtins/arguments.h"
#include "engine/vm/builtins/families.h"
#include "engine/vm/machine_context.h"

namespace opscope::vm {

namespace ffi = tvm::ffi;

namespace {

void requireGlobalScope(const Arguments& arguments, std::int32_t index) {
  const std::string_view scope = arguments.textView(index);
  if (!scope.empty() && scope != "global") {
    arguments.failValue(fmt::format("memory scope \"{}\" does not exist on the CPU", scope));
  }
}

/// Number of the device that the executable means; -1 is the host, which is last.
std::size_t deviceNumber(const Arguments& arguments, const MachineContext& machine, std::int64_t index) {
  const auto& devices = machine.devices();
  if (index == -1) {
    return devices.size() - 1;
  }
  if (index < 0 || index >= static_cast<std::int64_t>(devices.size())) {
    arguments.failValue(fmt::format("the executable asks for memory on its device {}, but it runs with {} {}",
                                    index, devices.size(), devices.size() == 1 ? "device" : "devices"));
  }
  return static_cast<std::size_t>(index);
}

// (vm, shape, device index or -1 for the host, dtype, scope) -> storage
void allocStorage(ffi::PackedArgs packed, ffi::Any* result) {
  const Arguments arguments("vm.builtin.alloc_storage", packed);
  arguments.requireCount(5, 5);
  MachineContext& machine = arguments.machine(0);
  machine.throwIfStopped();
  requireGlobalScope(arguments, 4);
  const std::size_t device = deviceNumber(arguments, machine, arguments.integer(2));
  const std::size_t bytes = runtime::tensorBytes(arguments.shape(1), arguments.dtype(3));
  *result = runtime::allocateStorage(machine.allocator(device), bytes, runtime::kTensorAlignment,
                                     machine.devices()[device]);
}

// (storage, byte offset, shape, dtype, [scope]) -> tensor
void allocTensor(ffi::PackedArgs packed, ffi::Any* result) {
  const Arguments arguments("vm.builtin.alloc_tensor", packed);
  arguments.requireCount(4, 5);
  auto* storage = const_cast<runtime::StorageObj*>(arguments.at(0).as<runtime::StorageObj>());
  if (storage == nullptr) {
    arguments.failType(0, "a storage");
  }
  if (arguments.size() == 5) {
    requireGlobalScope(arguments, 4);
  }
  *result = runtime::tensorFromStorage(ffi::GetRef<runtime::Storage>(storage), arguments.integer(1),
                                       arguments.shape(2), arguments.dtype(3));
}

// () -> none: assigned to a register, it releases what the register held.
void nullValue(ffi::PackedArgs, ffi::Any* result) {
  result->reset();
}

// (): releases the free memory of every machine of the process
void clearMemory(ffi::PackedArgs packed, ffi::Any*) {
  Arguments("vm.builtin.memory_manager.clear", packed).requireCount(0, 0);
  machineList()->trimPools();
}

constexpr std::array kBuiltins = {
    Builtin{"vm.builtin.alloc_storage", allocStorage},
    Builtin{"vm.builtin.alloc_tensor", allocTensor},
    Builtin{"vm.builtin.null_value", nullValue},
    Builtin{"vm.builtin.memory_manager.clear", clearMemory},
};

}  // namespace

std::span<const Builtin> memoryBuiltins() {
  return kBuiltins;
}

}  // namespace opscope::vm
