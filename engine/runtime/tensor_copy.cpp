// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/tensor_copy.h"

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "engine/runtime/ffi_error.h"

namespace opscope::runtime {

namespace {

using base::Error;
using base::ErrorCode;
using base::Result;

bool isHost(const DLTensor& tensor) {
  return tensor.device.device_type == kDLCPU || tensor.device.device_type == kDLCUDAHost;
}

bool sameType(DLDataType a, DLDataType b) {
  return a.code == b.code && a.bits == b.bits && a.lanes == b.lanes;
}

std::string describe(const DLTensor& tensor) {
  std::string text = tvm::ffi::DLDataTypeToString(tensor.dtype);
  text += " [";
  for (int i = 0; i < tensor.ndim; ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(tensor.shape[i]);
  }
  return text + "]";
}

char* firstByte(const DLTensor& tensor) {
  return static_cast<char*>(tensor.data) + tensor.byte_offset;
}

std::vector<std::int64_t> byteStrides(const DLTensor& tensor, std::int64_t itemBytes) {
  std::vector<std::int64_t> strides(static_cast<std::size_t>(tensor.ndim));
  std::int64_t compact = itemBytes;
  for (int i = tensor.ndim - 1; i >= 0; --i) {
    const auto at = static_cast<std::size_t>(i);
    strides[at] = tensor.strides != nullptr ? tensor.strides[i] * itemBytes : compact;
    compact *= tensor.shape[i];
  }
  return strides;
}

/// Copies item by item along any strides. The shape has no zero dimension.
void copyStrided(const DLTensor& from, const DLTensor& to, std::size_t itemBytes) {
  const std::vector<std::int64_t> fromStrides = byteStrides(from, static_cast<std::int64_t>(itemBytes));
  const std::vector<std::int64_t> toStrides = byteStrides(to, static_cast<std::int64_t>(itemBytes));
  std::vector<std::int64_t> index(fromStrides.size(), 0);
  const char* source = firstByte(from);
  char* target = firstByte(to);
  while (true) {
    std::memcpy(target, source, itemBytes);
    std::size_t axis = index.size();
    while (axis > 0) {
      --axis;
      source += fromStrides[axis];
      target += toStrides[axis];
      if (++index[axis] < from.shape[axis]) {
        break;
      }
      source -= fromStrides[axis] * index[axis];
      target -= toStrides[axis] * index[axis];
      index[axis] = 0;
      if (axis == 0) {
        return;
      }
    }
    if (index.empty()) {
      return;
    }
  }
}

Result<> checkCopyable(const DLTensor& from, const DLTensor& to) {
  if (!isHost(from) || !isHost(to)) {
    return Error{ErrorCode::Unsupported, "a tensor can only be copied within host memory", {}, {}};
  }
  bool same = from.ndim == to.ndim && sameType(from.dtype, to.dtype);
  for (int i = 0; same && i < from.ndim; ++i) {
    same = from.shape[i] == to.shape[i];
  }
  if (!same) {
    return Error{ErrorCode::InvalidArgument,
                 "cannot copy a tensor " + describe(from) + " to a tensor " + describe(to),
                 {},
                 {}};
  }
  return {};
}

}  // namespace

Result<> copyTensor(const DLTensor& from, const DLTensor& to) {
  OPSCOPE_TRY(checkCopyable(from, to));
  return guarded(ErrorCode::InvalidArgument, "copying a tensor", [&]() -> Result<> {
    const std::size_t bytes =
        tensorBytes(tvm::ffi::ShapeView(from.shape, static_cast<std::size_t>(from.ndim)), from.dtype);
    if (bytes == 0) {
      return {};
    }
    if (from.data == nullptr || to.data == nullptr) {
      return Error{ErrorCode::InvalidArgument, "a tensor " + describe(from) + " has no data", {}, {}};
    }
    if (tvm::ffi::IsContiguous(from) && tvm::ffi::IsContiguous(to)) {
      std::memmove(firstByte(to), firstByte(from), bytes);
      return {};
    }
    const std::size_t itemBits = std::size_t{from.dtype.bits} * from.dtype.lanes;
    if (itemBits % 8 != 0) {
      return Error{ErrorCode::Unsupported,
                   "a packed tensor " + describe(from) + " must be compact to be copied",
                   {},
                   {}};
    }
    copyStrided(from, to, itemBits / 8);
    return {};
  });
}

bool isAligned(const DLTensor& tensor) {
  return isHost(tensor) && tensor.byte_offset == 0 && tensor.data != nullptr &&
         reinterpret_cast<std::uintptr_t>(tensor.data) % kTensorAlignment == 0 &&
         tvm::ffi::IsContiguous(tensor);
}

Result<tvm::ffi::Tensor> toAligned(StorageAllocator& allocator, const tvm::ffi::Tensor& tensor) {
  const DLTensor& source = *tensor.GetDLTensorPtr();
  if (isAligned(source)) {
    return tensor;
  }
  return guarded(ErrorCode::InvalidArgument, "aligning a tensor", [&]() -> Result<tvm::ffi::Tensor> {
    tvm::ffi::Tensor copy = emptyTensor(allocator, tensor.shape(), tensor.dtype(), DLDevice{kDLCPU, 0});
    OPSCOPE_TRY(copyTensor(source, *copy.GetDLTensorPtr()));
    return copy;
  });
}

Result<tvm::ffi::Tensor> tensorFromBytes(StorageAllocator& allocator, tvm::ffi::ShapeView shape,
                                         DLDataType dtype, std::string_view bytes) {
  return guarded(ErrorCode::InvalidArgument, "making a tensor", [&]() -> Result<tvm::ffi::Tensor> {
    tvm::ffi::Tensor tensor = emptyTensor(allocator, shape, dtype, DLDevice{kDLCPU, 0});
    const std::size_t expected = tensorBytes(shape, dtype);
    if (bytes.size() != expected) {
      return Error{ErrorCode::InvalidArgument,
                   "a tensor " + describe(*tensor.GetDLTensorPtr()) + " has " + std::to_string(expected) +
                       " bytes, given were " + std::to_string(bytes.size()),
                   {},
                   {}};
    }
    if (expected != 0) {
      std::memcpy(tensor.data_ptr(), bytes.data(), expected);
    }
    return tensor;
  });
}

}  // namespace opscope::runtime
