// SPDX-License-Identifier: Apache-2.0
#include "engine/vm/host_tensor.h"

#include <fmt/format.h>
#include <tvm/ffi/dtype.h>

#include <cstring>
#include <utility>

#include "engine/runtime/storage.h"
#include "engine/runtime/tensor_copy.h"
#include "engine/vm/builtins/arguments.h"
#include "engine/vm/value_text.h"

namespace opscope::vm {

namespace ffi = tvm::ffi;

namespace {

/// Drops what a view was made from. A view of a view of a view ... is freed link by link here, not each one
/// from within the one before, which would need a stack as long as the chain.
void releaseBase(ffi::Tensor base) {
  static thread_local ffi::Tensor* next = nullptr;
  if (next != nullptr && !next->defined()) {
    *next = std::move(base);
    return;
  }
  ffi::Tensor following;
  ffi::Tensor* const outer = std::exchange(next, &following);
  for (; base.defined(); base = std::exchange(following, ffi::Tensor())) {
    base = ffi::Tensor();  // frees it when this was the last reference
  }
  next = outer;
}

/// Lets a view keep the tensor it looks into.
struct ViewOwner {
  ffi::Tensor base;

  explicit ViewOwner(ffi::Tensor from) : base(std::move(from)) {}
  ViewOwner(const ViewOwner&) = default;
  ViewOwner(ViewOwner&&) = default;
  ViewOwner& operator=(const ViewOwner&) = delete;
  ViewOwner& operator=(ViewOwner&&) = delete;
  ~ViewOwner() {
    if (base.defined()) {
      releaseBase(std::move(base));
    }
  }

  void AllocData(DLTensor* view) {
    view->data = static_cast<char*>(base.data_ptr()) + base.byte_offset();
    view->byte_offset = 0;
  }
  void FreeData(DLTensor*) {}
};

template <class T>
std::int64_t load(const void* data, std::int64_t index) {
  T value;
  std::memcpy(&value, static_cast<const char*>(data) + index * static_cast<std::int64_t>(sizeof(T)),
              sizeof(T));
  return static_cast<std::int64_t>(value);
}

}  // namespace

ffi::Tensor viewWithShape(const char* asker, const ffi::Tensor& base, ffi::ShapeView shape) {
  const std::int64_t wanted = elementCount(asker, shape);
  const std::int64_t present = elementCount(asker, base.shape());
  if (wanted != present) {
    raise("ValueError",
          fmt::format("{}: {} cannot be seen as shape {}: {} elements against {}", asker, describeValue(base),
                      shapeText({shape.data(), shape.size()}), present, wanted));
  }
  if (!base.IsContiguous()) {
    raise("ValueError", fmt::format("{}: {} is not compact in memory", asker, describeValue(base)));
  }
  return ffi::Tensor::FromNDAlloc(ViewOwner(base), shape, base.dtype(), base.device());
}

ffi::Tensor copyHostTensor(const char* asker, const DLTensor& from) {
  // The objects of an allocator may outlive it, so one of its own serves a single copy.
  runtime::StorageAllocator allocator(runtime::AllocatorKind::Naive);
  ffi::Tensor copy = runtime::emptyTensor(allocator, shapeOf(from), from.dtype, DLDevice{kDLCPU, 0});
  if (auto copied = runtime::copyTensor(from, *copy.GetDLTensorPtr()); !copied) {
    raise("ValueError", fmt::format("{}: {}", asker, copied.error().message));
  }
  return copy;
}

std::int64_t integerElement(const char* asker, const DLTensor& tensor, std::int64_t index) {
  const bool readable =
      (tensor.dtype.code == kDLInt || tensor.dtype.code == kDLUInt || tensor.dtype.code == kDLBool) &&
      tensor.dtype.lanes == 1 && tensor.device.device_type == kDLCPU;
  if (readable) {
    const void* data = static_cast<const char*>(tensor.data) + tensor.byte_offset;
    switch (tensor.dtype.bits) {
      case 1:
      case 8:
        return load<std::int8_t>(data, index);
      case 16:
        return load<std::int16_t>(data, index);
      case 32:
        return load<std::int32_t>(data, index);
      case 64:
        return load<std::int64_t>(data, index);
      default:
        break;
    }
  }
  raise("TypeError", fmt::format("{}: expected integers or bools in host memory, got {}", asker,
                                 std::string(ffi::DLDataTypeToString(tensor.dtype))));
}

}  // namespace opscope::vm
