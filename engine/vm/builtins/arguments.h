// SPDX-License-Identifier: Apache-2.0
// Reads the arguments of builtins. Every reader throws TypeError or ValueError naming the builtin, the
// argument and what was found; the checks are inline because the hot builtins run them on each call.
#pragma once

#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/shape.h>
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/function.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace opscope::vm {

class MachineContext;

/// Throws tvm::ffi::Error without collecting a backtrace.
[[noreturn]] void raise(const char* kind, std::string message);

/// `value` as an object of this kind, or nothing. For kinds that can be null, none is nothing: as() gives a
/// null reference for it.
template <class Reference>
std::optional<Reference> objectIn(tvm::ffi::AnyView value) {
  if (value == nullptr) {
    return std::nullopt;
  }
  return value.as<Reference>();
}

/// The arguments of one call of the builtin `name`.
class Arguments {
 public:
  Arguments(const char* name, tvm::ffi::PackedArgs arguments) : m_name(name), m_arguments(arguments) {}

  std::int32_t size() const { return m_arguments.size(); }
  tvm::ffi::AnyView at(std::int32_t index) const { return m_arguments[index]; }
  tvm::ffi::PackedArgs packed() const { return m_arguments; }
  const char* name() const { return m_name; }

  void requireCount(std::int32_t least, std::int32_t most) const {
    if (size() < least || size() > most) {
      failCount(least, most);
    }
  }
  std::int64_t integer(std::int32_t index) const {
    const TVMFFIAny& value = raw(index);
    if (value.type_index != kTVMFFIInt) {
      return integerSlow(index);
    }
    return value.v_int64;
  }
  DLDataType dtype(std::int32_t index) const {
    const TVMFFIAny& value = raw(index);
    if (value.type_index != kTVMFFIDataType) {
      return dtypeSlow(index);
    }
    return value.v_dtype;
  }
  tvm::ffi::ShapeView shape(std::int32_t index) const {
    const TVMFFIAny& value = raw(index);
    if (value.type_index != kTVMFFIShape) {
      failType(index, "a shape");
    }
    const TVMFFIShapeCell* cell = TVMFFIShapeGetCellPtr(value.v_obj);
    return {cell->data, cell->size};
  }
  /// A tensor object or DLTensor pointer, or nullptr when it is neither.
  const DLTensor* tensorOrNull(std::int32_t index) const {
    const TVMFFIAny& value = raw(index);
    if (value.type_index == kTVMFFITensor) {
      return TVMFFITensorGetDLTensorPtr(value.v_obj);
    }
    return value.type_index == kTVMFFIDLTensorPtr ? static_cast<const DLTensor*>(value.v_ptr) : nullptr;
  }
  const DLTensor& tensor(std::int32_t index) const {
    const DLTensor* found = tensorOrNull(index);
    if (found == nullptr) {
      failType(index, "a tensor");
    }
    return *found;
  }
  /// A tensor object with its ownership. Throws for a bare DLTensor pointer.
  tvm::ffi::Tensor ownedTensor(std::int32_t index) const;
  std::string text(std::int32_t index) const;
  /// The same without a copy, for as long as the arguments live.
  std::string_view textView(std::int32_t index) const;
  tvm::ffi::Array<tvm::ffi::Any> tuple(std::int32_t index) const;
  MachineContext& machine(std::int32_t index) const;

  [[noreturn]] void failType(std::int32_t index, const char* expected) const;
  [[noreturn]] void failValue(const std::string& what) const;

 private:
  const TVMFFIAny& raw(std::int32_t index) const {
    return reinterpret_cast<const TVMFFIAny*>(m_arguments.data())[index];
  }
  std::int64_t integerSlow(std::int32_t index) const;
  DLDataType dtypeSlow(std::int32_t index) const;
  [[noreturn]] void failCount(std::int32_t least, std::int32_t most) const;

  const char* m_name;
  tvm::ffi::PackedArgs m_arguments;
};

/// Product of `shape`. Throws ValueError when a dimension is negative or the product does not fit.
std::int64_t elementCount(const char* builtin, tvm::ffi::ShapeView shape);

/// The value of a string argument that only words an error, "" when it is none or not a string.
std::string contextText(tvm::ffi::AnyView value);

}  // namespace opscope::vm
