// SPDX-License-Identifier: Apache-2.0
// Memory of tensors: storages from a pool, and tensors that keep their storage alive. An allocator belongs to
// a virtual machine; its objects may outlive it and may be freed on any thread. Behaviour: memory_manager and
// StorageObj::AllocTensor of TVM's runtime.
//
// These functions run once per op and inside builtins, so they raise tvm::ffi::Error as builtins do; outside
// of builtins call them under runtime::guarded.
#pragma once

#include <tvm/ffi/container/shape.h>
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/object.h>

#include <cstddef>
#include <cstdint>

#include "engine/runtime/options.h"

namespace opscope::runtime {

/// Kernels of TVM assume this alignment of each tensor's data and do not check it.
inline constexpr std::size_t kTensorAlignment = 64;

class MemoryLog;
class MemoryLogSlot;

struct AllocatorCounters {
  std::int64_t liveBytes = 0;  ///< asked for by the storages that live
  std::int64_t peakBytes = 0;  ///< highest liveBytes since creation or resetPeak
  std::int64_t heldBytes = 0;  ///< kept for reuse, in free blocks
  std::int64_t requests = 0;   ///< storages given out
  std::int64_t reused = 0;     ///< of these, how many came from a free block
};

namespace detail {
class AllocatorCore;
}

/// A piece of device memory. Freed (returned to its pool) with the last reference.
class StorageObj : public tvm::ffi::Object {
 public:
  void* data = nullptr;
  std::size_t size = 0;  ///< bytes asked for
  DLDevice device{kDLCPU, 0};

  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("opscope.Storage", StorageObj, tvm::ffi::Object);
};

class Storage : public tvm::ffi::ObjectRef {
 public:
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(Storage, tvm::ffi::ObjectRef, StorageObj);
};

class StorageAllocator {
 public:
  explicit StorageAllocator(AllocatorKind kind);
  /// Writes to the log of `slot` (see runLogSlot) as long as one is set there.
  StorageAllocator(AllocatorKind kind, MemoryLogSlot slot);
  /// Free blocks are released now, those in use when their last reference goes.
  ~StorageAllocator();
  StorageAllocator(const StorageAllocator&) = delete;
  StorageAllocator& operator=(const StorageAllocator&) = delete;

  AllocatorCounters counters() const;
  /// Makes peakBytes start again from liveBytes.
  void resetPeak();
  /// Releases free blocks to the system.
  void trim();
  /// Writes each storage and each tensor in one, taken or freed from now on, to `log`, which must live until
  /// another or nullptr (nothing is written) is set. Any thread. Not for an allocator with a slot of others.
  void setLog(MemoryLog* log);

 private:
  friend Storage allocateStorage(StorageAllocator&, std::size_t, std::size_t, DLDevice);
  detail::AllocatorCore* m_core;
};

/// A storage of `bytes` bytes (0 has a valid address too), aligned to `alignment` and at least to
/// kTensorAlignment. Contents are not initialised. Raises MemoryError when memory is out, ValueError for a
/// device without host memory or an alignment that is no power of two.
Storage allocateStorage(StorageAllocator& allocator, std::size_t bytes, std::size_t alignment,
                        DLDevice device);

/// A compact tensor at `offset` bytes into `storage`, which it keeps alive. Raises ValueError when shape,
/// offset and type do not fit into the storage.
tvm::ffi::Tensor tensorFromStorage(Storage storage, std::int64_t offset, tvm::ffi::ShapeView shape,
                                   DLDataType dtype);

/// A compact tensor with a storage of its own. Raises as the two functions above.
tvm::ffi::Tensor emptyTensor(StorageAllocator& allocator, tvm::ffi::ShapeView shape, DLDataType dtype,
                             DLDevice device);

/// Bytes of a compact tensor, sub-byte types packed. Raises ValueError for negative dimensions and sizes that
/// do not fit into 63 bits.
std::size_t tensorBytes(tvm::ffi::ShapeView shape, DLDataType dtype);

}  // namespace opscope::runtime
