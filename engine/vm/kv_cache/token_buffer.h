// SPDX-License-Identifier: Apache-2.0
// Scratch memory of one row per token, seen as a tensor of as many rows as a forward pass has tokens.
#pragma once

#include <tvm/ffi/container/tensor.h>

#include <cstdint>
#include <vector>

#include "engine/runtime/storage.h"

namespace opscope::vm {

class TokenBuffer {
 public:
  /// Room for `capacity` rows of shape `row`.
  TokenBuffer(runtime::StorageAllocator& allocator, std::int64_t capacity, std::vector<std::int64_t> row,
              DLDataType dtype)
      : m_shape(std::move(row)), m_dtype(dtype) {
    m_shape.insert(m_shape.begin(), capacity);
    m_storage = runtime::allocateStorage(allocator, runtime::tensorBytes(shape(), dtype),
                                         runtime::kTensorAlignment, DLDevice{kDLCPU, 0});
  }

  /// The first `tokens` rows; costs nothing while the number stays. The caller keeps to the capacity.
  const tvm::ffi::Tensor& rows(std::int64_t tokens) {
    if (!m_view.defined() || m_shape[0] != tokens) {
      m_shape[0] = tokens;
      m_view = runtime::tensorFromStorage(m_storage, 0, shape(), m_dtype);
    }
    return m_view;
  }

 private:
  tvm::ffi::ShapeView shape() const { return {m_shape.data(), m_shape.size()}; }

  std::vector<std::int64_t> m_shape;
  DLDataType m_dtype;
  runtime::Storage m_storage;
  tvm::ffi::Tensor m_view;
};

}  // namespace opscope::vm
