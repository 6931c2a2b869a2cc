// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/storage.h"

#include <tvm/ffi/memory.h>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "engine/runtime/allocator_core.h"
#include "engine/runtime/memory_log_slot.h"

namespace opscope::runtime {

namespace {

[[noreturn]] void raise(const char* kind, std::string message) {
  // Without a trace: taking one costs milliseconds and tells a user nothing.
  throw tvm::ffi::Error(kind, std::move(message), "");
}

std::string shapeText(tvm::ffi::ShapeView shape) {
  std::string text = "[";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
  }
  return text + "]";
}

/// A tensor object with shape and strides behind it in the same allocation.
class StorageTensorObj : public tvm::ffi::TensorObj {
 public:
  StorageTensorObj(Storage&& owner, void* address, std::size_t bytes, tvm::ffi::ShapeView dimensions,
                   DLDataType type)
      : m_storage(std::move(owner)) {
    block()->core->tensorMade(this, bytes, block());
    data = address;
    device = m_storage->device;
    ndim = static_cast<int>(dimensions.size());
    dtype = type;
    byte_offset = 0;
    shape = reinterpret_cast<std::int64_t*>(reinterpret_cast<char*>(this) + sizeof(StorageTensorObj));
    strides = shape + dimensions.size();
    std::int64_t stride = 1;
    for (std::size_t i = dimensions.size(); i-- > 0;) {
      shape[i] = dimensions[i];
      strides[i] = stride;
      // A zero dimension makes strides meaningless, so those of its outer ones may wrap.
      stride = static_cast<std::int64_t>(static_cast<std::uint64_t>(stride) *
                                         static_cast<std::uint64_t>(dimensions[i]));
    }
  }

  ~StorageTensorObj() { block()->core->tensorFreed(this); }
  StorageTensorObj(const StorageTensorObj&) = delete;
  StorageTensorObj& operator=(const StorageTensorObj&) = delete;

 private:
  /// Storages are made by allocators only.
  const detail::BlockObj* block() const { return static_cast<const detail::BlockObj*>(m_storage.get()); }

  Storage m_storage;
};

void checkDevice(DLDevice device) {
  if (device.device_type != kDLCPU && device.device_type != kDLCUDAHost) {
    raise("ValueError", "this build allocates host memory only, asked for was memory of device type " +
                            std::to_string(device.device_type));
  }
}

}  // namespace

StorageAllocator::StorageAllocator(AllocatorKind kind) : StorageAllocator(kind, MemoryLogSlot::make()) {}

StorageAllocator::StorageAllocator(AllocatorKind kind, MemoryLogSlot slot)
    : m_core(new detail::AllocatorCore(kind, std::move(slot))) {}

StorageAllocator::~StorageAllocator() {
  m_core->abandon();
}

AllocatorCounters StorageAllocator::counters() const {
  return m_core->counters();
}

void StorageAllocator::resetPeak() {
  m_core->resetPeak();
}

void StorageAllocator::trim() {
  m_core->trim();
}

void StorageAllocator::setLog(MemoryLog* log) {
  m_core->setLog(log);
}

Storage allocateStorage(StorageAllocator& allocator, std::size_t bytes, std::size_t alignment,
                        DLDevice device) {
  checkDevice(device);
  if ((alignment & (alignment - 1)) != 0 || alignment > detail::kMaxAlignment) {
    raise("ValueError", "an alignment must be a power of two up to " + std::to_string(detail::kMaxAlignment) +
                            ", asked for was " + std::to_string(alignment));
  }
  tvm::ffi::ObjectPtr<detail::BlockObj> block = allocator.m_core->allocate(bytes, alignment, device);
  if (block == nullptr) {
    raise("MemoryError", "memory is out: " + std::to_string(bytes) + " bytes were asked for while " +
                             std::to_string(allocator.counters().liveBytes) + " bytes are in use");
  }
  return Storage(std::move(block));
}

std::size_t tensorBytes(tvm::ffi::ShapeView shape, DLDataType dtype) {
  constexpr std::uint64_t kLimit = std::numeric_limits<std::int64_t>::max();
  std::uint64_t bits = static_cast<std::uint64_t>(dtype.bits) * dtype.lanes;
  bool overflow = false;
  std::int64_t signs = 0;
  for (const std::int64_t dimension : shape) {
    overflow |= __builtin_mul_overflow(bits, static_cast<std::uint64_t>(dimension), &bits);
    signs |= dimension;
  }
  if (signs < 0) {
    raise("ValueError", "a shape has no negative dimensions, given was " + shapeText(shape));
  }
  if ((overflow || bits > kLimit) && std::find(shape.begin(), shape.end(), 0) == shape.end()) {
    raise("ValueError", "a tensor of shape " + shapeText(shape) + " is too large for any memory");
  }
  return overflow ? 0 : static_cast<std::size_t>((bits + 7) / 8);
}

tvm::ffi::Tensor tensorFromStorage(Storage storage, std::int64_t offset, tvm::ffi::ShapeView shape,
                                   DLDataType dtype) {
  const std::size_t bytes = tensorBytes(shape, dtype);
  if (!storage.defined()) {
    raise("ValueError", "a tensor was asked for in a storage that does not exist");
  }
  if (offset < 0 || static_cast<std::uint64_t>(offset) > storage->size ||
      bytes > storage->size - static_cast<std::uint64_t>(offset)) {
    raise("ValueError", "a tensor of shape " + shapeText(shape) + " needs " + std::to_string(bytes) +
                            " bytes at offset " + std::to_string(offset) + ", the storage has " +
                            std::to_string(storage->size));
  }
  void* address = static_cast<char*>(storage->data) + offset;
  return tvm::ffi::Tensor(tvm::ffi::make_inplace_array_object<StorageTensorObj, std::int64_t>(
      shape.size() * 2, std::move(storage), address, bytes, shape, dtype));
}

tvm::ffi::Tensor emptyTensor(StorageAllocator& allocator, tvm::ffi::ShapeView shape, DLDataType dtype,
                             DLDevice device) {
  return tensorFromStorage(allocateStorage(allocator, tensorBytes(shape, dtype), kTensorAlignment, device), 0,
                           shape, dtype);
}

}  // namespace opscope::runtime
