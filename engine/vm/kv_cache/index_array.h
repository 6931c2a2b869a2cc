// SPDX-License-Identifier: Apache-2.0
// A growing list of int32 that kernels read as a tensor: aligned, without a byte offset, never copied. One
// thread, that of its cache. A tensor that was handed out stays valid, but shows what is written later.
#pragma once

#include <tvm/ffi/container/tensor.h>

#include <cstdint>

#include "engine/runtime/storage.h"

namespace opscope::vm {

class IndexArray {
 public:
  explicit IndexArray(runtime::StorageAllocator& allocator) : m_allocator(&allocator) {}

  void clear() { m_size = 0; }
  void push(std::int32_t value) {
    if (m_size == m_capacity) {
      grow();
    }
    m_data[m_size++] = value;
  }
  std::int64_t size() const { return m_size; }
  std::int32_t back() const { return m_data[m_size - 1]; }
  std::int32_t operator[](std::int64_t index) const { return m_data[index]; }

  /// The values as a vector, or as `rows` rows of equal length. Costs nothing while the size stays.
  const tvm::ffi::Tensor& vector() { return shaped(0); }
  const tvm::ffi::Tensor& matrix(std::int64_t rows) { return shaped(rows); }

 private:
  const tvm::ffi::Tensor& shaped(std::int64_t rows) {
    if (m_viewSize != m_size || m_viewRows != rows) {
      makeView(rows);
    }
    return m_view;
  }
  void grow();
  void makeView(std::int64_t rows);

  runtime::StorageAllocator* m_allocator;
  runtime::Storage m_storage;
  std::int32_t* m_data = nullptr;
  std::int64_t m_size = 0;
  std::int64_t m_capacity = 0;
  tvm::ffi::Tensor m_view;
  std::int64_t m_viewSize = -1;
  std::int64_t m_viewRows = -1;
};

}  // namespace opscope::vm
