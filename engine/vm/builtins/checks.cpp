// SPDX-License-Identifier: Apache-2.0
// Checks of arguments and casts. Their last argument words the place for the error.
#include <fmt/format.h>
#include <tvm/ffi/dtype.h>

#include <array>

#include "engine/vm/builtins/arguments.h"
#include "engine/vm/builtins/families.h"
#include "engine/vm/closure.h"
#include "engine/vm/host_tensor.h"
#include "engine/vm/value_text.h"

namespace opscope::vm {

namespace ffi = tvm::ffi;

namespace {

[[noreturn]] void failCheck(const char* kind, ffi::AnyView context, const std::string& expected,
                            ffi::AnyView found) {
  const std::string place = contextText(context);
  raise(kind, fmt::format("{}{}expected {}, got {}", place, place.empty() ? "" : ": ", expected,
                          describeValue(found)));
}

bool sameType(DLDataType a, DLDataType b) {
  return a.code == b.code && a.bits == b.bits && a.lanes == b.lanes;
}

// (value, ndim or -1, [dtype], context)
void checkTensorInfo(ffi::PackedArgs packed, ffi::Any*) {
  const Arguments arguments("vm.builtin.check_tensor_info", packed);
  arguments.requireCount(3, 4);
  const ffi::AnyView context = arguments.at(arguments.size() - 1);
  const std::int64_t ndim = arguments.integer(1);
  const DLTensor* tensor = arguments.tensorOrNull(0);
  if (tensor == nullptr) {
    failCheck("TypeError", context, "a tensor", arguments.at(0));
  }
  if (ndim != -1 && tensor->ndim != ndim) {
    failCheck("ValueError", context, fmt::format("a tensor of {} dimensions", ndim), arguments.at(0));
  }
  if (arguments.size() == 4 && arguments.at(2) != nullptr) {
    const DLDataType dtype = arguments.dtype(2);
    if (!sameType(tensor->dtype, dtype)) {
      failCheck("ValueError", context,
                fmt::format("a tensor of {}", std::string(ffi::DLDataTypeToString(dtype))), arguments.at(0));
    }
  }
}

// (value, ndim or -1, context)
void checkShapeInfo(ffi::PackedArgs packed, ffi::Any*) {
  const Arguments arguments("vm.builtin.check_shape_info", packed);
  arguments.requireCount(3, 3);
  const std::int64_t ndim = arguments.integer(1);
  if (arguments.at(0).type_index() != kTVMFFIShape) {
    failCheck("TypeError", arguments.at(2), "a shape", arguments.at(0));
  }
  if (ndim != -1 && static_cast<std::int64_t>(arguments.shape(0).size()) != ndim) {
    failCheck("ValueError", arguments.at(2), fmt::format("a shape of {} dimensions", ndim), arguments.at(0));
  }
}

bool holdsScalar(ffi::AnyView value, DLDataType dtype) {
  switch (dtype.code) {
    case kDLBool:
      return value.try_cast<bool>().has_value();
    case kDLInt:
    case kDLUInt:
      return value.try_cast<std::int64_t>().has_value();
    case kDLFloat:
      return value.try_cast<double>().has_value();
    default:
      return value.type_index() == kTVMFFIOpaquePtr || value == nullptr;
  }
}

// (value, dtype, context)
void checkPrimValueInfo(ffi::PackedArgs packed, ffi::Any*) {
  const Arguments arguments("vm.builtin.check_prim_value_info", packed);
  arguments.requireCount(3, 3);
  const DLDataType dtype = arguments.dtype(1);
  const bool known =
      dtype.code <= kDLFloat || dtype.code == kDLBool || (dtype.code == kDLOpaqueHandle && dtype.bits != 0);
  if (!known) {
    failCheck("TypeError", arguments.at(2), "a scalar of a type that the machine knows", arguments.at(1));
  }
  if (arguments.at(0).type_index() >= kTVMFFIStaticObjectBegin || !holdsScalar(arguments.at(0), dtype)) {
    failCheck("TypeError", arguments.at(2),
              fmt::format("a scalar of {}", std::string(ffi::DLDataTypeToString(dtype))), arguments.at(0));
  }
}

// (value, context)
void checkStringInfo(ffi::PackedArgs packed, ffi::Any*) {
  const Arguments arguments("vm.builtin.check_string_info", packed);
  arguments.requireCount(2, 2);
  if (!arguments.at(0).try_cast<ffi::String>().has_value()) {
    failCheck("TypeError", arguments.at(1), "a string", arguments.at(0));
  }
}

// (value, size, context)
void checkTupleInfo(ffi::PackedArgs packed, ffi::Any*) {
  const Arguments arguments("vm.builtin.check_tuple_info", packed);
  arguments.requireCount(3, 3);
  const std::int64_t size = arguments.integer(1);
  const auto* tuple = arguments.at(0).as<ffi::ArrayObj>();
  if (tuple == nullptr) {
    failCheck("TypeError", arguments.at(2), "a tuple", arguments.at(0));
  }
  if (static_cast<std::int64_t>(tuple->size()) != size) {
    failCheck("ValueError", arguments.at(2), fmt::format("a tuple of {}", size), arguments.at(0));
  }
}

// (value, context)
void checkFuncInfo(ffi::PackedArgs packed, ffi::Any*) {
  const Arguments arguments("vm.builtin.check_func_info", packed);
  arguments.requireCount(2, 2);
  const ffi::AnyView value = arguments.at(0);
  if (value.type_index() != kTVMFFIFunction && value.as<ClosureObj>() == nullptr) {
    failCheck("TypeError", arguments.at(1), "a function", value);
  }
}

// (condition) -> bool: a scalar, or the first element of an integer or bool tensor.
void readIfCondition(ffi::PackedArgs packed, ffi::Any* result) {
  const Arguments arguments("vm.builtin.read_if_cond", packed);
  arguments.requireCount(1, 1);
  const DLTensor* tensor = arguments.tensorOrNull(0);
  if (tensor == nullptr) {
    auto value = arguments.at(0).try_cast<bool>();
    if (!value.has_value()) {
      arguments.failType(0, "a bool, an integer or a tensor of one element");
    }
    *result = *value;
    return;
  }
  if (elementCount(arguments.name(), {tensor->shape, static_cast<std::size_t>(tensor->ndim)}) < 1) {
    arguments.failType(0, "a tensor of one element");
  }
  *result = integerElement(arguments.name(), *tensor, 0) != 0;
}

constexpr std::array kBuiltins = {
    Builtin{"vm.builtin.check_tensor_info", checkTensorInfo},
    Builtin{"vm.builtin.check_shape_info", checkShapeInfo},
    Builtin{"vm.builtin.check_prim_value_info", checkPrimValueInfo},
    Builtin{"vm.builtin.check_string_info", checkStringInfo},
    Builtin{"vm.builtin.check_tuple_info", checkTupleInfo},
    Builtin{"vm.builtin.check_func_info", checkFuncInfo},
    Builtin{"vm.builtin.read_if_cond", readIfCondition},
};

}  // namespace

std::span<const Builtin> checkBuiltins() {
  return kBuiltins;
}

}  // namespace opscope::vm
