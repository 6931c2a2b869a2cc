// SPDX-License-Identifier: Apache-2.0
#include "engine/profile/shape_string.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstring>

#include "engine/vm/executable.h"

namespace opscope::profile {

namespace {

base::Error notAShape(const DLTensor& tensor, const char* expected) {
  return {
      base::ErrorCode::InvalidArgument,
      fmt::format("A tensor {} holds no shape.",
                  shapeString(std::span(tensor.shape, static_cast<std::size_t>(tensor.ndim)), tensor.dtype)),
      fmt::format("Expected {}.", expected), ""};
}

template <class Element>
std::vector<std::int64_t> elementsOf(const DLTensor& tensor) {
  const auto* data = static_cast<const char*>(tensor.data) + tensor.byte_offset;
  const std::int64_t stride = tensor.strides == nullptr ? 1 : tensor.strides[0];
  std::vector<std::int64_t> elements;
  for (std::int64_t i = 0; i < tensor.shape[0]; ++i) {
    Element element;
    std::memcpy(&element, data + i * stride * static_cast<std::int64_t>(sizeof(Element)), sizeof(Element));
    elements.push_back(element);
  }
  return elements;
}

}  // namespace

std::string shapeString(std::span<const std::int64_t> shape, DLDataType type) {
  return fmt::format("{}[{}]", vm::dataTypeName({type.code, type.bits, type.lanes}), fmt::join(shape, ", "));
}

std::string shapeString(std::span<const DLTensor* const> tensors) {
  std::string text;
  for (const DLTensor* tensor : tensors) {
    text += text.empty() ? "" : ", ";
    text += shapeString(std::span(tensor->shape, static_cast<std::size_t>(tensor->ndim)), tensor->dtype);
  }
  return text;
}

base::Result<std::vector<std::int64_t>> shapeHeldBy(const DLTensor& tensor) {
  if (tensor.ndim == 0) {
    return std::vector<std::int64_t>();
  }
  if (tensor.ndim != 1) {
    return notAShape(tensor, "a vector");
  }
  if (tensor.dtype.code != kDLInt || tensor.dtype.lanes != 1) {
    return notAShape(tensor, "int32 or int64 elements");
  }
  if (tensor.device.device_type != kDLCPU && tensor.device.device_type != kDLCUDAHost) {
    return notAShape(tensor, "one in the host's memory");
  }
  switch (tensor.dtype.bits) {
    case 32:
      return elementsOf<std::int32_t>(tensor);
    case 64:
      return elementsOf<std::int64_t>(tensor);
    default:
      return notAShape(tensor, "int32 or int64 elements");
  }
}

}  // namespace opscope::profile
