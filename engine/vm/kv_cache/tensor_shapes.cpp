// SPDX-License-Identifier: Apache-2.0
#include "engine/vm/kv_cache/tensor_shapes.h"

#include <fmt/format.h>
#include <tvm/ffi/dtype.h>

#include <algorithm>

#include "engine/vm/builtins/arguments.h"
#include "engine/vm/value_text.h"

namespace opscope::vm {

namespace ffi = tvm::ffi;

namespace {

std::string typeText(DLDataType type) {
  return std::string(ffi::DLDataTypeToString(type));
}

}  // namespace

void requireShape(const char* what, const DLTensor& tensor, std::initializer_list<std::int64_t> shape,
                  DLDataType dtype) {
  const DLDataType type = tensor.dtype;
  if (type.code != dtype.code || type.bits != dtype.bits || type.lanes != dtype.lanes) {
    raise("TypeError", fmt::format("KV cache: {} should have elements of type {}, got {}", what,
                                   typeText(dtype), typeText(type)));
  }
  const bool same =
      tensor.ndim == static_cast<int>(shape.size()) && std::equal(shape.begin(), shape.end(), tensor.shape);
  if (!same) {
    raise("ValueError", fmt::format("KV cache: {} should have shape {}, got {}", what,
                                    shapeText({shape.begin(), shape.size()}),
                                    shapeText({tensor.shape, static_cast<std::size_t>(tensor.ndim)})));
  }
  if (tensor.device.device_type != kDLCPU) {
    raise("ValueError", fmt::format("KV cache: {} should be in host memory, got device type {}", what,
                                    static_cast<int>(tensor.device.device_type)));
  }
  if (tensor.strides != nullptr && !ffi::IsContiguous(tensor)) {
    raise("ValueError", fmt::format("KV cache: {} should be compact in memory", what));
  }
}

}  // namespace opscope::vm
