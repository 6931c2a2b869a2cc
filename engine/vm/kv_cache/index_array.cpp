// SPDX-License-Identifier: Apache-2.0
#include "engine/vm/kv_cache/index_array.h"

#include <cstring>

namespace opscope::vm {

namespace {
constexpr std::int64_t kFirstCapacity = 16;  // one aligned line
constexpr DLDataType kIndexType{kDLInt, 32, 1};
}  // namespace

void IndexArray::grow() {
  const std::int64_t capacity = m_capacity == 0 ? kFirstCapacity : m_capacity * 2;
  runtime::Storage larger =
      runtime::allocateStorage(*m_allocator, static_cast<std::size_t>(capacity) * sizeof(std::int32_t),
                               runtime::kTensorAlignment, DLDevice{kDLCPU, 0});
  auto* data = static_cast<std::int32_t*>(larger->data);
  if (m_size > 0) {
    std::memcpy(data, m_data, static_cast<std::size_t>(m_size) * sizeof(std::int32_t));
  }
  m_storage = std::move(larger);
  m_data = data;
  m_capacity = capacity;
  m_viewSize = -1;
}

void IndexArray::makeView(std::int64_t rows) {
  if (!m_storage.defined()) {
    grow();
  }
  const std::int64_t shape[] = {rows, rows == 0 ? m_size : m_size / rows};
  const tvm::ffi::ShapeView view =
      rows == 0 ? tvm::ffi::ShapeView(shape + 1, 1) : tvm::ffi::ShapeView(shape, 2);
  m_view = runtime::tensorFromStorage(m_storage, 0, view, kIndexType);
  m_viewSize = m_size;
  m_viewRows = rows;
}

}  // namespace opscope::vm
