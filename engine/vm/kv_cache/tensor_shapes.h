// SPDX-License-Identifier: Apache-2.0
// Checks of tensors that a KV cache is given. Any thread.
#pragma once

#include <tvm/ffi/container/tensor.h>

#include <cstdint>
#include <initializer_list>

namespace opscope::vm {

/// Raises ValueError or TypeError, naming `what`, unless `tensor` is a compact host tensor of this shape and
/// type.
void requireShape(const char* what, const DLTensor& tensor, std::initializer_list<std::int64_t> shape,
                  DLDataType dtype);

inline void requireShape(const char* what, const tvm::ffi::Tensor& tensor,
                         std::initializer_list<std::int64_t> shape, DLDataType dtype) {
  requireShape(what, *tensor.GetDLTensorPtr(), shape, dtype);
}

}  // namespace opscope::vm
