// SPDX-License-Identifier: Apache-2.0
#include "engine/session/outputs.h"

#include <fmt/format.h>
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/shape.h>
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/string.h>

#include <algorithm>
#include <optional>

#include "engine/runtime/tensor_copy.h"
#include "engine/session/ffi_values.h"
#include "engine/session/value_facts.h"
#include "engine/vm/executable.h"
#include "engine/vm/value_text.h"

namespace opscope::session {

namespace ffi = tvm::ffi;
using arrays::ElementType;
using arrays::TypeCode;

namespace {

constexpr std::size_t kPreviewElements = 8;

base::Result<arrays::Array> arrayOfTensor(const std::string& path, const ffi::Tensor& tensor) {
  const DLDataType type = tensor.dtype();
  const std::string typeName = vm::dataTypeName({type.code, type.bits, type.lanes});
  const std::optional<ElementType> elementType = arrays::elementTypeFromName(typeName);
  if (!elementType) {
    return base::Error{
        base::ErrorCode::Unsupported,
        fmt::format("Output {} has elements of type {}, which npz files cannot hold.", path, typeName), "",
        "Run without --outputs, or convert the output in the model."};
  }
  const std::vector<std::int64_t> shape(tensor.shape().begin(), tensor.shape().end());
  OPSCOPE_TRY_ASSIGN(const std::size_t size, arrays::byteCount(*elementType, shape));
  OPSCOPE_TRY_ASSIGN(arrays::Bytes bytes, arrays::Bytes::allocate(size));
  DLTensor compact = *tensor.GetDLTensorPtr();
  compact.data = bytes.data();
  compact.strides = nullptr;
  compact.byte_offset = 0;
  OPSCOPE_TRY(runtime::copyTensor(*tensor.GetDLTensorPtr(), compact));
  return arrays::Array::make(*elementType, shape, std::move(bytes));
}

base::Result<> addArray(const std::string& path, arrays::Array array, std::string description,
                        Outputs& outputs) {
  outputs.summaries.push_back({path, std::move(description), previewOf(array), factsOf(array)});
  outputs.arrays.push_back({path, std::move(array)});
  return {};
}

template <class T>
base::Result<> addScalar(const std::string& path, ElementType type, T value, std::string description,
                         Outputs& outputs) {
  OPSCOPE_TRY_ASSIGN(arrays::Array array, arrays::Array::copyOf(type, {}, &value, sizeof value));
  return addArray(path, std::move(array), std::move(description), outputs);
}

base::Result<> addTensor(const std::string& path, const ffi::Any& value, const ffi::Tensor& tensor,
                         Outputs& outputs) {
  auto array = arrayOfTensor(path, tensor);
  if (!array && array.error().code == base::ErrorCode::Unsupported) {
    outputs.summaries.push_back({path, vm::describeValue(value), "(cannot be saved)"});
    return {};
  }
  OPSCOPE_TRY_ASSIGN(arrays::Array copied, std::move(array));
  return addArray(path, std::move(copied), vm::describeValue(value), outputs);
}

}  // namespace

std::string previewOf(const arrays::Array& array) {
  std::string text;
  for (std::size_t i = 0; i < std::min(array.size(), kPreviewElements); ++i) {
    text += (i == 0 ? "" : ", ") + elementText(array, i);
  }
  return array.size() > kPreviewElements ? text + ", …" : text;
}

base::Result<> addOutput(const std::string& path, const ffi::Any& value, Outputs& outputs) {
  if (const auto tensor = objectOf<ffi::Tensor>(value)) {
    return addTensor(path, value, *tensor, outputs);
  }
  if (const auto members = objectOf<ffi::Array<ffi::Any>>(value)) {
    for (std::size_t i = 0; i < members->size(); ++i) {
      OPSCOPE_TRY(
          addOutput(fmt::format("{}/{}", path, i), (*members)[static_cast<std::int64_t>(i)], outputs));
    }
    return {};
  }
  if (const auto shape = objectOf<ffi::Shape>(value)) {
    const auto count = static_cast<std::int64_t>(shape->size());
    OPSCOPE_TRY_ASSIGN(arrays::Array array,
                       arrays::Array::copyOf({TypeCode::Int, 64, 1}, {count}, shape->data(),
                                             static_cast<std::size_t>(count) * sizeof(std::int64_t)));
    return addArray(path, std::move(array), vm::describeValue(value), outputs);
  }
  switch (value.type_index()) {
    case kTVMFFIBool:
      return addScalar(path, {TypeCode::Bool, 8, 1}, static_cast<std::uint8_t>(value.cast<bool>()), "bool",
                       outputs);
    case kTVMFFIInt:
      return addScalar(path, {TypeCode::Int, 64, 1}, value.cast<std::int64_t>(), "int64", outputs);
    case kTVMFFIFloat:
      return addScalar(path, {TypeCode::Float, 64, 1}, value.cast<double>(), "float64", outputs);
    default:
      outputs.summaries.push_back({path, vm::describeValue(value), "(cannot be saved)"});
      return {};
  }
}

}  // namespace opscope::session
