// SPDX-License-Identifier: Apache-2.0
#include "engine/vm/builtins/tensor_checks.h"

#include <fmt/format.h>
#include <tvm/ffi/dtype.h>

namespace opscope::vm {

namespace ffi = tvm::ffi;

const DLTensor& hostTensor(const Arguments& arguments, std::int32_t index) {
  const DLTensor& tensor = arguments.tensor(index);
  const DLDeviceType device = tensor.device.device_type;
  if (device != kDLCPU && device != kDLCUDAHost && device != kDLROCMHost) {
    arguments.failValue(fmt::format("argument {} is on device type {}, this function works on the host only",
                                    index, static_cast<int>(device)));
  }
  const std::int64_t count =
      elementCount(arguments.name(), {tensor.shape, static_cast<std::size_t>(tensor.ndim)});
  if (count > 0 && tensor.data == nullptr) {
    arguments.failValue(fmt::format("argument {} has no data", index));
  }
  if (tensor.strides != nullptr && !ffi::IsContiguous(tensor)) {
    arguments.failValue(fmt::format("argument {} is not compact", index));
  }
  return tensor;
}

std::int64_t elementCount(const DLTensor& tensor) {
  std::int64_t count = 1;
  for (std::int32_t axis = 0; axis < tensor.ndim; ++axis) {
    count *= tensor.shape[axis];
  }
  return count;
}

void failElementType(const Arguments& arguments, DLDataType type) {
  arguments.failValue(
      fmt::format("elements of type {} are not supported", std::string(ffi::DLDataTypeToString(type))));
}

}  // namespace opscope::vm
