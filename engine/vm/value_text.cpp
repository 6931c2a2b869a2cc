// SPDX-License-Identifier: Apache-2.0
#include "engine/vm/value_text.h"

#include <fmt/format.h>
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/dtype.h>

#include "engine/vm/closure.h"

namespace opscope::vm {

namespace ffi = tvm::ffi;

namespace {

std::string tensorText(const DLTensor& tensor) {
  return fmt::format("{} {}", std::string(ffi::DLDataTypeToString(tensor.dtype)),
                     shapeText({tensor.shape, static_cast<std::size_t>(tensor.ndim)}));
}

std::string describe(ffi::AnyView value) {
  const TVMFFIAny raw = value.CopyToTVMFFIAny();
  switch (raw.type_index) {
    case kTVMFFINone:
      return "none";
    case kTVMFFIInt:
      return fmt::format("int {}", raw.v_int64);
    case kTVMFFIBool:
      return raw.v_int64 != 0 ? "bool true" : "bool false";
    case kTVMFFIFloat:
      return fmt::format("float {}", raw.v_float64);
    case kTVMFFIOpaquePtr:
      return "a handle";
    case kTVMFFIDataType:
      return fmt::format("dtype {}", std::string(ffi::DLDataTypeToString(raw.v_dtype)));
    case kTVMFFIDLTensorPtr:
      return tensorText(*static_cast<const DLTensor*>(raw.v_ptr));
    case kTVMFFITensor:
      return tensorText(*TVMFFITensorGetDLTensorPtr(raw.v_obj));
    case kTVMFFIShape: {
      const TVMFFIShapeCell* cell = TVMFFIShapeGetCellPtr(raw.v_obj);
      return fmt::format("shape {}", shapeText({cell->data, cell->size}));
    }
    case kTVMFFIArray:
      return fmt::format("tuple of {}", value.as<ffi::ArrayObj>()->size());
    case kTVMFFIFunction:
      return "a function";
    default:
      break;
  }
  if (const auto* closure = value.as<ClosureObj>()) {
    return fmt::format("closure {}", closure->name);
  }
  if (auto text = value.try_cast<ffi::String>()) {
    return fmt::format("string \"{}\"", std::string(*text));
  }
  return value.GetTypeKey();
}

}  // namespace

std::string shapeText(std::span<const int64_t> shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

std::string describeValue(ffi::AnyView value) {
  try {
    return describe(value);
  } catch (const std::exception&) {
    return fmt::format("a value of type {}", value.type_index());
  }
}

}  // namespace opscope::vm
