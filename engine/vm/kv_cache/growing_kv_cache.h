// SPDX-License-Identifier: Apache-2.0
// The older KV cache, of one sequence and one tensor: rows that are appended, seen as a whole, and taken
// back; or a ring of the newest rows behind some that stay. One thread at a time. All functions raise
// tvm::ffi::Error. Behaviour: AttentionKVCacheLegacyObj of TVM's lm_support.cc.
#pragma once

#include <tvm/ffi/container/shape.h>
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/object.h>

#include <cstdint>
#include <vector>

#include "engine/runtime/run_context.h"
#include "engine/runtime/storage.h"

namespace opscope::vm {

class GrowingKvCacheObj : public tvm::ffi::Object {
 public:
  /// Room for `capacity[0]` rows at first. `filled`, if not negative, says how many rows count as filled.
  GrowingKvCacheObj(tvm::ffi::ShapeView capacity, const DLTensor& initial, std::int64_t filled);

  /// Adds rows behind those that are filled; memory doubles when it does not suffice.
  void append(const DLTensor& rows);
  /// Overwrites all filled rows.
  void update(const DLTensor& rows);
  /// Adds rows; from `limit` on they overwrite the oldest ones behind the first `sinks`.
  void appendToRing(const DLTensor& rows, std::int64_t limit, std::int64_t sinks);
  void pop(std::int64_t count);
  void clear();
  /// The filled rows, on the cache's memory: later writes show.
  tvm::ffi::Tensor view() const;
  /// The same, checked to have this shape.
  tvm::ffi::Tensor view(tvm::ffi::ShapeView shape) const;

  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("opscope.GrowingKvCache", GrowingKvCacheObj, tvm::ffi::Object);

 private:
  void reserve(std::int64_t rows);
  void requireRows(const DLTensor& rows) const;
  void write(std::int64_t row, const DLTensor& from, std::int64_t firstRow, std::int64_t count);

  runtime::StorageAllocator m_allocator{runtime::AllocatorKind::Naive, runtime::runLogSlot()};
  DLDataType m_dtype;
  std::vector<std::int64_t> m_shape;  // the first dimension is the capacity
  std::size_t m_rowBytes = 0;
  runtime::Storage m_storage;
  std::int64_t m_filled = 0;
  std::int64_t m_ringRow = 0;  // where the next row of a ring goes
};

}  // namespace opscope::vm
