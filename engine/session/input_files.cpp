// SPDX-License-Identifier: Apache-2.0
#include "engine/session/input_files.h"

#include <fmt/format.h>

#include <cstring>
#include <limits>

#include "engine/arrays/half.h"
#include "engine/arrays/npy.h"

namespace opscope::session {

namespace {

using arrays::Array;
using arrays::TypeCode;
using base::Result;

/// More members than any tuple of a model has.
constexpr std::size_t kMembersLimit = 1 << 20;

template <class T>
T elementAt(const Array& array, std::size_t index) {
  T value;
  std::memcpy(&value, array.data() + index * sizeof(T), sizeof(T));
  return value;
}

/// A whole number of any integer type; nothing for floats and for numbers that int64 cannot hold.
std::optional<std::int64_t> wholeAt(const Array& array, std::size_t index) {
  const bool isUnsigned = array.type().code == TypeCode::UInt || array.type().code == TypeCode::Bool;
  if (!isUnsigned && array.type().code != TypeCode::Int) {
    return std::nullopt;
  }
  switch (array.type().bits) {
    case 8:
      return isUnsigned ? elementAt<std::uint8_t>(array, index) : elementAt<std::int8_t>(array, index);
    case 16:
      return isUnsigned ? elementAt<std::uint16_t>(array, index) : elementAt<std::int16_t>(array, index);
    case 32:
      return isUnsigned ? std::int64_t{elementAt<std::uint32_t>(array, index)}
                        : std::int64_t{elementAt<std::int32_t>(array, index)};
    default:
      break;
  }
  const auto value = elementAt<std::int64_t>(array, index);
  return isUnsigned && value < 0 ? std::nullopt : std::optional(value);
}

double floatingAt(const Array& array, std::size_t index) {
  if (array.type().code == TypeCode::BFloat) {
    return arrays::doubleFromBfloat16(elementAt<std::uint16_t>(array, index));
  }
  switch (array.type().bits) {
    case 16:
      return arrays::doubleFromFloat16(elementAt<std::uint16_t>(array, index));
    case 32:
      return elementAt<float>(array, index);
    default:
      return elementAt<double>(array, index);
  }
}

InputValue scalarFrom(const Array& array) {
  if (array.type().code == TypeCode::Bool) {
    return {elementAt<std::uint8_t>(array, 0) != 0};
  }
  if (array.type().code == TypeCode::Float || array.type().code == TypeCode::BFloat) {
    return {floatingAt(array, 0)};
  }
  const auto whole = wholeAt(array, 0);
  return whole ? InputValue{*whole} : InputValue{array};
}

InputValue shapeFrom(const Array& array) {
  ShapeValue shape;
  for (std::size_t i = 0; i < array.size(); ++i) {
    const auto whole = wholeAt(array, i);
    if (!whole) {
      return {array};
    }
    shape.values.push_back(*whole);
  }
  return {shape};
}

}  // namespace

Result<const arrays::NpzReader*> InputFiles::archive(const std::string& path) {
  const auto found = m_archives.find(path);
  if (found != m_archives.end()) {
    return &found->second;
  }
  OPSCOPE_TRY_ASSIGN(arrays::NpzReader reader, arrays::NpzReader::open(path));
  return &m_archives.emplace(path, std::move(reader)).first->second;
}

Result<InputValue> InputFiles::load(const std::string& path, const std::string& key) {
  if (!key.empty()) {
    OPSCOPE_TRY_ASSIGN(const arrays::NpzReader* reader, archive(path));
    return loadKey(*reader, key);
  }
  const auto found = m_arrays.find({path, key});
  if (found != m_arrays.end()) {
    return InputValue{found->second};
  }
  OPSCOPE_TRY_ASSIGN(Array array, arrays::readNpy(path));
  m_arrays.emplace(std::pair{path, key}, array);
  return InputValue{std::move(array)};
}

Result<InputValue> InputFiles::loadKey(const arrays::NpzReader& reader, const std::string& key) {
  const std::pair place{reader.path().string(), key};
  const auto found = m_arrays.find(place);
  if (found != m_arrays.end()) {
    return InputValue{found->second};
  }
  if (!reader.has(key) && reader.has(key + "/0")) {
    TupleValue tuple;
    for (std::size_t i = 0; i < kMembersLimit && reader.has(fmt::format("{}/{}", key, i)); ++i) {
      OPSCOPE_TRY_ASSIGN(InputValue member, loadKey(reader, fmt::format("{}/{}", key, i)));
      tuple.members.push_back(std::move(member));
    }
    return InputValue{std::move(tuple)};
  }
  OPSCOPE_TRY_ASSIGN(Array array, reader.read(key));
  m_arrays.emplace(place, array);
  return InputValue{std::move(array)};
}

InputValue fitToParameter(const vm::Parameter& parameter, InputValue value) {
  const auto* array = std::get_if<Array>(&value.value);
  if (array == nullptr) {
    return value;
  }
  if (parameter.kind == vm::ParameterKind::Scalar && array->size() == 1) {
    return scalarFrom(*array);
  }
  if (parameter.kind == vm::ParameterKind::Shape && array->shape().size() == 1) {
    return shapeFrom(*array);
  }
  return value;
}

}  // namespace opscope::session
