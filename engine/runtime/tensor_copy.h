// SPDX-License-Identifier: Apache-2.0
// Copies of tensors in host memory. Any thread; the callers own the tensors.
#pragma once

#include <tvm/ffi/container/shape.h>
#include <tvm/ffi/container/tensor.h>

#include <string_view>

#include "engine/base/result.h"
#include "engine/runtime/storage.h"

namespace opscope::runtime {

/// Copies the elements of `from` to `to`: same shape and type, any strides and byte offsets (for types of
/// whole bytes). Errors: InvalidArgument naming both sides; Unsupported for devices without host memory.
base::Result<> copyTensor(const DLTensor& from, const DLTensor& to);

/// Whether kernels can take it as it is: in host memory, compact, aligned to kTensorAlignment and without
/// byte offset.
bool isAligned(const DLTensor& tensor);

/// `tensor` itself when it isAligned; otherwise a copy that is.
base::Result<tvm::ffi::Tensor> toAligned(StorageAllocator& allocator, const tvm::ffi::Tensor& tensor);

/// A new aligned tensor on the host filled from `bytes`, which must hold exactly its elements. For constants.
base::Result<tvm::ffi::Tensor> tensorFromBytes(StorageAllocator& allocator, tvm::ffi::ShapeView shape,
                                               DLDataType dtype, std::string_view bytes);

}  // namespace opscope::runtime
