// SPDX-License-Identifier: Apache-2.0
#include "engine/vm/input_conversion.h"

#include <fmt/format.h>
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/tensor.h>

#include <algorithm>

#include "engine/runtime/ffi_error.h"
#include "engine/runtime/tensor_copy.h"

namespace opscope::vm {

namespace ffi = tvm::ffi;

namespace {

/// Tuples nest; deeper than this they are not data but a mistake.
constexpr int kDeepestTuple = 64;

bool isFit(DLDevice device, const TVMFFIAny& value, int depth) {
  if (value.type_index == kTVMFFITensor) {
    const DLTensor& tensor = *TVMFFITensorGetDLTensorPtr(value.v_obj);
    return tensor.device.device_type == device.device_type && tensor.device.device_id == device.device_id &&
           runtime::isAligned(tensor);
  }
  if (value.type_index != kTVMFFIArray) {
    return value.type_index != kTVMFFIDLTensorPtr;
  }
  const auto* tuple = ffi::AnyView::CopyFromTVMFFIAny(value).as<ffi::ArrayObj>();
  return depth < kDeepestTuple && std::all_of(tuple->begin(), tuple->end(), [&](const ffi::Any& item) {
           return isFit(device, reinterpret_cast<const TVMFFIAny&>(item), depth + 1);
         });
}

class Converter {
 public:
  Converter(runtime::StorageAllocator& allocator, DLDevice device, const std::string& name)
      : m_allocator(allocator), m_device(device), m_name(name) {}

  base::Result<ffi::Any> convert(ffi::AnyView value, int depth) {
    switch (value.type_index()) {
      case kTVMFFITensor:
        return convertTensor(value.cast<ffi::Tensor>());
      case kTVMFFIDLTensorPtr:
        return copy(*value.cast<DLTensor*>());
      case kTVMFFIArray:
        return convertTuple(value.cast<ffi::Array<ffi::Any>>(), depth + 1);
      default:
        return ffi::Any(value);
    }
  }

 private:
  base::Error outsideHost(DLDevice device) const {
    return {base::ErrorCode::Unsupported,
            fmt::format("input {} lies on device type {}, this machine runs on the CPU", m_name,
                        static_cast<int>(device.device_type)),
            {},
            {}};
  }

  base::Error inInput(base::Error error) const {
    error.message = fmt::format("input {}: {}", m_name, error.message);
    return error;
  }

  base::Result<ffi::Any> copy(const DLTensor& tensor) {
    if (tensor.device.device_type != kDLCPU) {
      return outsideHost(tensor.device);
    }
    ffi::Tensor made =
        runtime::emptyTensor(m_allocator, ffi::ShapeView(tensor.shape, static_cast<std::size_t>(tensor.ndim)),
                             tensor.dtype, m_device);
    auto copied = runtime::copyTensor(tensor, *made.GetDLTensorPtr());
    if (!copied) {
      return inInput(std::move(copied).error());
    }
    return ffi::Any(std::move(made));
  }

  base::Result<ffi::Any> convertTensor(const ffi::Tensor& tensor) {
    const DLDevice device = tensor.device();
    if (device.device_type != m_device.device_type || device.device_id != m_device.device_id) {
      return copy(*tensor.GetDLTensorPtr());
    }
    auto aligned = runtime::toAligned(m_allocator, tensor);
    if (!aligned) {
      return inInput(std::move(aligned).error());
    }
    return ffi::Any(*std::move(aligned));
  }

  base::Result<ffi::Any> convertTuple(const ffi::Array<ffi::Any>& tuple, int depth) {
    if (depth > kDeepestTuple) {
      return base::Error{base::ErrorCode::InvalidArgument,
                         fmt::format("input {} nests tuples more than {} deep", m_name, kDeepestTuple),
                         {},
                         {}};
    }
    std::vector<ffi::Any> items;
    items.reserve(tuple.size());
    for (const ffi::Any& item : tuple) {
      OPSCOPE_TRY_ASSIGN(ffi::Any converted, convert(item, depth));
      items.push_back(std::move(converted));
    }
    return ffi::Any(ffi::Array<ffi::Any>(items.begin(), items.end()));
  }

  runtime::StorageAllocator& m_allocator;
  DLDevice m_device;
  const std::string& m_name;
};

}  // namespace

bool isFitInput(DLDevice device, ffi::AnyView value) {
  return isFit(device, value.CopyToTVMFFIAny(), 0);
}

base::Result<ffi::Any> convertInput(runtime::StorageAllocator& allocator, DLDevice device, ffi::AnyView value,
                                    const std::string& name) {
  return runtime::guarded(base::ErrorCode::InvalidArgument, "input " + name,
                          [&] { return Converter(allocator, device, name).convert(value, 0); });
}

}  // namespace opscope::vm
