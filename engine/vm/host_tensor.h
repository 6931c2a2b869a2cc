// SPDX-License-Identifier: Apache-2.0
// Small helpers of builtins for tensors in host memory. They raise tvm::ffi::Error as builtins do. Any
// thread.
#pragma once

#include <tvm/ffi/container/shape.h>
#include <tvm/ffi/container/tensor.h>

#include <cstdint>

namespace opscope::vm {

inline tvm::ffi::ShapeView shapeOf(const DLTensor& tensor) {
  return {tensor.shape, static_cast<std::size_t>(tensor.ndim)};
}

/// `base` seen with another shape of as many elements; keeps `base` alive. Raises ValueError when the counts
/// differ or `base` is not compact. A byte offset of `base` goes into the data pointer.
tvm::ffi::Tensor viewWithShape(const char* asker, const tvm::ffi::Tensor& base, tvm::ffi::ShapeView shape);

/// A new compact, aligned copy of host tensor `from`. Raises ValueError when it cannot be copied.
tvm::ffi::Tensor copyHostTensor(const char* asker, const DLTensor& from);

/// Element `index` of a compact host tensor of integers or bools. Raises TypeError for other types and
/// devices.
std::int64_t integerElement(const char* asker, const DLTensor& tensor, std::int64_t index);

}  // namespace opscope::vm
