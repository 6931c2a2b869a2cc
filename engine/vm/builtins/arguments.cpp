// SPDX-License-Identifier: Apache-2.0
#include "engine/vm/builtins/arguments.h"

#include <fmt/format.h>
#include <tvm/ffi/string.h>

#include "engine/vm/value_text.h"

namespace opscope::vm {

namespace ffi = tvm::ffi;

void raise(const char* kind, std::string message) {
  throw ffi::Error(kind, std::move(message), "");
}

void Arguments::failCount(std::int32_t least, std::int32_t most) const {
  const std::string expected = least == most       ? fmt::format("{}", least)
                               : most == INT32_MAX ? fmt::format("at least {}", least)
                                                   : fmt::format("{} to {}", least, most);
  raise("TypeError", fmt::format("{} takes {} arguments, got {}", m_name, expected, size()));
}

void Arguments::failType(std::int32_t index, const char* expected) const {
  raise("TypeError", fmt::format("{}: argument {} should be {}, got {}", m_name, index, expected,
                                 describeValue(at(index))));
}

void Arguments::failValue(const std::string& what) const {
  raise("ValueError", fmt::format("{}: {}", m_name, what));
}

std::int64_t Arguments::integerSlow(std::int32_t index) const {
  if (auto value = at(index).try_cast<std::int64_t>()) {
    return *value;
  }
  failType(index, "an integer");
}

DLDataType Arguments::dtypeSlow(std::int32_t index) const {
  try {
    if (auto value = at(index).try_cast<DLDataType>()) {
      return *value;
    }
  } catch (const ffi::Error&) {
    // a string that names no type: reported below like every other value
  }
  failType(index, "an element type");
}

ffi::Tensor Arguments::ownedTensor(std::int32_t index) const {
  auto value = objectIn<ffi::Tensor>(at(index));
  if (!value.has_value()) {
    failType(index, "a tensor");
  }
  return *std::move(value);
}

std::string Arguments::text(std::int32_t index) const {
  auto value = at(index).try_cast<ffi::String>();
  if (!value.has_value()) {
    failType(index, "a string");
  }
  return *value;
}

std::string_view Arguments::textView(std::int32_t index) const {
  const TVMFFIAny& value = raw(index);
  if (value.type_index != kTVMFFISmallStr && value.type_index != kTVMFFIStr) {
    failType(index, "a string");
  }
  const TVMFFIByteArray bytes = value.type_index == kTVMFFISmallStr
                                    ? TVMFFISmallBytesGetContentByteArray(&value)
                                    : *TVMFFIBytesGetByteArrayPtr(value.v_obj);
  return {bytes.data, bytes.size};
}

ffi::Array<ffi::Any> Arguments::tuple(std::int32_t index) const {
  if (at(index).type_index() != kTVMFFIArray) {
    failType(index, "a tuple");
  }
  return at(index).cast<ffi::Array<ffi::Any>>();
}

MachineContext& Arguments::machine(std::int32_t index) const {
  const TVMFFIAny& value = raw(index);
  if (value.type_index != kTVMFFIOpaquePtr || value.v_ptr == nullptr) {
    failType(index, "the virtual machine");
  }
  return *static_cast<MachineContext*>(value.v_ptr);
}

std::int64_t elementCount(const char* builtin, ffi::ShapeView shape) {
  std::int64_t count = 1;
  for (const std::int64_t dimension : shape) {
    if (dimension < 0 || __builtin_mul_overflow(count, dimension, &count)) {
      raise("ValueError", fmt::format("{}: shape {} has no valid number of elements", builtin,
                                      shapeText({shape.data(), shape.size()})));
    }
  }
  return count;
}

std::string contextText(ffi::AnyView value) {
  auto text = value.try_cast<ffi::String>();
  if (!text.has_value()) {
    return {};
  }
  std::string context = *text;
  context.erase(context.find_last_not_of(' ') + 1);  // the compiler ends its contexts with a space
  return context;
}

}  // namespace opscope::vm
