// SPDX-License-Identifier: Apache-2.0
// Whole tensors: other views of them and copies.
#include <fmt/format.h>

#include <array>

#include "engine/runtime/storage.h"
#include "engine/vm/builtins/arguments.h"
#include "engine/vm/builtins/families.h"
#include "engine/vm/host_tensor.h"

namespace opscope::vm {

namespace ffi = tvm::ffi;

namespace {

// (tensor, shape) -> tensor on the same memory. A bare DLTensor has no owner to share, so it is copied.
void reshape(ffi::PackedArgs packed, ffi::Any* result) {
  const Arguments arguments("vm.builtin.reshape", packed);
  arguments.requireCount(2, 2);
  const ffi::ShapeView shape = arguments.shape(1);
  if (arguments.at(0).type_index() == kTVMFFIDLTensorPtr) {
    *result = viewWithShape(arguments.name(), copyHostTensor(arguments.name(), arguments.tensor(0)), shape);
    return;
  }
  *result = viewWithShape(arguments.name(), arguments.ownedTensor(0), shape);
}

// (value) -> the same value
void copy(ffi::PackedArgs packed, ffi::Any* result) {
  const Arguments arguments("vm.builtin.copy", packed);
  arguments.requireCount(1, 1);
  *result = arguments.at(0);
}

// (tensor, device type, device id, [scope]) -> copy on that device
void toDevice(ffi::PackedArgs packed, ffi::Any* result) {
  const Arguments arguments("vm.builtin.to_device", packed);
  arguments.requireCount(3, 4);
  const std::int64_t type = arguments.integer(1);
  if (type != kDLCPU) {
    arguments.failValue(fmt::format("device type {} is not available, only the CPU (1) is", type));
  }
  if (arguments.size() == 4) {
    const std::string_view scope = arguments.textView(3);
    if (!scope.empty() && scope != "global") {
      arguments.failValue(fmt::format("memory scope \"{}\" does not exist on the CPU", scope));
    }
  }
  *result = copyHostTensor(arguments.name(), arguments.tensor(0));
}

// (tensor) -> the same data without a byte offset
void ensureZeroOffset(ffi::PackedArgs packed, ffi::Any* result) {
  const Arguments arguments("vm.builtin.ensure_zero_offset", packed);
  arguments.requireCount(1, 1);
  ffi::Tensor tensor = arguments.ownedTensor(0);
  if (tensor.byte_offset() == 0) {
    *result = std::move(tensor);
  } else if (tensor.byte_offset() % runtime::kTensorAlignment == 0 && tensor.IsContiguous()) {
    *result = viewWithShape(arguments.name(), tensor, tensor.shape());
  } else {
    *result = copyHostTensor(arguments.name(), *tensor.GetDLTensorPtr());
  }
}

constexpr std::array kBuiltins = {
    Builtin{"vm.builtin.reshape", reshape},
    Builtin{"vm.builtin.copy", copy},
    Builtin{"vm.builtin.to_device", toDevice},
    Builtin{"vm.builtin.ensure_zero_offset", ensureZeroOffset},
};

}  // namespace

std::span<const Builtin> tensorBuiltins() {
  return kBuiltins;
}

}  // namespace opscope::vm
