// SPDX-License-Identifier: Apache-2.0
#include "engine/arrays/array.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>

namespace opscope::arrays {

namespace {

struct NamedType {
  std::string_view name;
  ElementType type;
};

constexpr NamedType kTypes[] = {
    {"bool", {TypeCode::Bool, 8, 1}},        {"int8", {TypeCode::Int, 8, 1}},
    {"int16", {TypeCode::Int, 16, 1}},       {"int32", {TypeCode::Int, 32, 1}},
    {"int64", {TypeCode::Int, 64, 1}},       {"uint8", {TypeCode::UInt, 8, 1}},
    {"uint16", {TypeCode::UInt, 16, 1}},     {"uint32", {TypeCode::UInt, 32, 1}},
    {"uint64", {TypeCode::UInt, 64, 1}},     {"float16", {TypeCode::Float, 16, 1}},
    {"float32", {TypeCode::Float, 32, 1}},   {"float64", {TypeCode::Float, 64, 1}},
    {"bfloat16", {TypeCode::BFloat, 16, 1}},
};

/// Memory of the machine in bytes; more than that is never asked for, because the system would grant it and
/// end the process when it is used.
std::size_t machineMemory() {
  const long pages = ::sysconf(_SC_PHYS_PAGES);
  const long pageBytes = ::sysconf(_SC_PAGESIZE);
  if (pages <= 0 || pageBytes <= 0) {
    return std::numeric_limits<std::size_t>::max() / 2;
  }
  return static_cast<std::size_t>(pages) * static_cast<std::size_t>(pageBytes);
}

base::Error sizeMismatch(ElementType type, std::span<const std::int64_t> shape, std::size_t wanted,
                         std::size_t given) {
  return {base::ErrorCode::InvalidArgument,
          fmt::format("An array {} {} takes {} bytes, not {}.", elementTypeName(type), shapeText(shape),
                      wanted, given),
          {},
          {}};
}

}  // namespace

std::size_t elementBytes(ElementType type) {
  return (static_cast<std::size_t>(type.bits) * type.lanes + 7) / 8;
}

std::string elementTypeName(ElementType type) {
  for (const NamedType& known : kTypes) {
    if (known.type.code == type.code && known.type.bits == type.bits) {
      return type.lanes == 1 ? std::string(known.name) : fmt::format("{}x{}", known.name, type.lanes);
    }
  }
  return fmt::format("type {}/{} bits x{}", static_cast<int>(type.code), type.bits, type.lanes);
}

std::optional<ElementType> elementTypeFromName(std::string_view name) {
  for (const NamedType& known : kTypes) {
    if (known.name == name) {
      return known.type;
    }
  }
  return std::nullopt;
}

std::string shapeText(std::span<const std::int64_t> shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

base::Result<std::size_t> elementCount(std::span<const std::int64_t> shape) {
  for (const std::int64_t size : shape) {
    if (size < 0) {
      return base::Error{base::ErrorCode::InvalidArgument,
                         fmt::format("The shape {} has a negative size.", shapeText(shape)),
                         {},
                         {}};
    }
  }
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) {
    return std::size_t{0};
  }
  std::size_t count = 1;
  for (const std::int64_t size : shape) {
    if (__builtin_mul_overflow(count, static_cast<std::size_t>(size), &count)) {
      return base::Error{base::ErrorCode::InvalidArgument,
                         fmt::format("The shape {} has more elements than any memory.", shapeText(shape)),
                         {},
                         {}};
    }
  }
  return count;
}

base::Result<std::size_t> byteCount(ElementType type, std::span<const std::int64_t> shape) {
  OPSCOPE_TRY_ASSIGN(const std::size_t count, elementCount(shape));
  std::size_t bytes = 0;
  // Half of the address range, so that differences of addresses stay representable.
  if (__builtin_mul_overflow(count, elementBytes(type), &bytes) ||
      bytes > std::numeric_limits<std::size_t>::max() / 2) {
    return base::Error{
        base::ErrorCode::InvalidArgument,
        fmt::format("An array {} {} is larger than any memory.", elementTypeName(type), shapeText(shape)),
        {},
        {}};
  }
  return bytes;
}

void Bytes::Free::operator()(std::byte* data) const {
  std::free(data);
}

base::Result<Bytes> Bytes::allocate(std::size_t size) {
  const std::size_t rounded = (std::max<std::size_t>(size, 1) + kAlignment - 1) / kAlignment * kAlignment;
  void* data = rounded >= size && size <= machineMemory() ? std::aligned_alloc(kAlignment, rounded) : nullptr;
  if (data == nullptr) {
    return base::Error{base::ErrorCode::OutOfMemory,
                       fmt::format("There is no memory for an array of {} bytes.", size),
                       {},
                       "Choose smaller sizes, or close other programs."};
  }
  return Bytes(static_cast<std::byte*>(data), size);
}

base::Result<Array> Array::make(ElementType type, std::vector<std::int64_t> shape, Bytes bytes) {
  OPSCOPE_TRY_ASSIGN(const std::size_t wanted, byteCount(type, shape));
  if (wanted != bytes.size()) {
    return sizeMismatch(type, shape, wanted, bytes.size());
  }
  return Array(type, std::move(shape), std::make_shared<const Bytes>(std::move(bytes)));
}

base::Result<Array> Array::copyOf(ElementType type, std::vector<std::int64_t> shape, const void* data,
                                  std::size_t size) {
  OPSCOPE_TRY_ASSIGN(const std::size_t wanted, byteCount(type, shape));
  if (wanted != size) {
    return sizeMismatch(type, shape, wanted, size);
  }
  OPSCOPE_TRY_ASSIGN(Bytes bytes, Bytes::allocate(size));
  if (size > 0) {
    std::memcpy(bytes.data(), data, size);
  }
  return make(type, std::move(shape), std::move(bytes));
}

std::string describeArray(const Array& array) {
  return elementTypeName(array.type()) + " " + shapeText(array.shape());
}

}  // namespace opscope::arrays
