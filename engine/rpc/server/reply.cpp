// SPDX-License-Identifier: Apache-2.0
#include "engine/rpc/server/reply.h"

#include <fmt/format.h>
#include <tvm/ffi/string.h>

#include "engine/rpc/encoding.h"
#include "engine/rpc/wire_numbers.h"
#include "engine/runtime/storage.h"

namespace opscope::rpc::server {

namespace ffi = tvm::ffi;

namespace {

constexpr std::size_t kMostInHead = 4096;  // larger blobs are sent from where they are

std::string_view viewOf(const ffi::String& text) {
  return {text.data(), text.size()};
}

}  // namespace

std::uint64_t addressOf(const DLTensor& tensor) {
  return reinterpret_cast<std::uintptr_t>(tensor.data) + tensor.byte_offset;
}

template <class T>
void Reply::put(T value) {
  appendNumber(m_head, value);
}

void Reply::begin(FrameCode code, std::int32_t count) {
  m_head.clear();
  m_blob = {};
  m_kept = nullptr;
  put(static_cast<std::int32_t>(code));
  put(count);
}

void Reply::putInt(std::int64_t value) {
  put(static_cast<std::int32_t>(Tag::Int));
  put(value);
}

void Reply::putPointer(std::uint64_t address) {
  put(static_cast<std::int32_t>(Tag::OpaquePointer));
  put(address);
}

void Reply::putBytes(Tag tag, std::string_view bytes) {
  put(static_cast<std::int32_t>(tag));
  put(static_cast<std::uint64_t>(bytes.size()));
  if (bytes.size() <= kMostInHead) {
    m_head.append(bytes);
  } else {
    m_blob = bytes;
  }
}

void Reply::putView(const DLTensor& tensor) {
  put(static_cast<std::int32_t>(Tag::TensorView));
  encodeTensorView(tensor, m_head);
}

void Reply::returnNone() {
  begin(FrameCode::Return, 1);
  put(static_cast<std::int32_t>(Tag::None));
}

void Reply::returnInt(std::int64_t value) {
  begin(FrameCode::Return, 1);
  putInt(value);
}

void Reply::returnPointer(std::uint64_t address) {
  begin(FrameCode::Return, 1);
  putPointer(address);
}

void Reply::returnText(std::string_view text) {
  begin(FrameCode::Return, 1);
  putBytes(Tag::CString, text);
}

void Reply::exception(std::string_view kind, std::string_view message) {
  begin(FrameCode::Exception, 1);
  put(static_cast<std::int32_t>(Tag::CString));
  const std::string text = m_abi == ClientAbi::Tvm021 && !kind.empty() ? fmt::format("{}: {}", kind, message)
                                                                       : std::string(message);
  appendSized(m_head, text);
}

void Reply::copied(std::string_view bytes) {
  m_head.clear();
  put(static_cast<std::int32_t>(FrameCode::CopyAck));
  m_blob = bytes;
}

std::int32_t Reply::typeTag(std::int32_t type) const {
  if (m_abi == ClientAbi::Tvm022) {
    return type;
  }
  switch (static_cast<Tag>(type)) {  // TVM 0.21 numbers these in another way
    case Tag::Tensor:
      return static_cast<std::int32_t>(kTensorTag021);
    case Tag::Shape:
      return static_cast<std::int32_t>(kShapeTag021);
    case Tag::Array:
      return 69;
    case Tag::Map:
      return 70;
    case Tag::SmallString:
      return static_cast<std::int32_t>(Tag::String);
    case Tag::SmallBytes:
      return static_cast<std::int32_t>(Tag::Bytes);
    default:
      return type;
  }
}

base::Result<> Reply::result(const ffi::Any& result, HandleTable& handles, MemoryMap& memory) {
  const TVMFFIAny raw = ffi::AnyView(result).CopyToTVMFFIAny();
  const std::int32_t type = raw.type_index;
  begin(FrameCode::Return, 2);
  putInt(typeTag(type));
  switch (type) {
    case ffi::TypeIndex::kTVMFFINone:
      put(type);
      return {};
    case ffi::TypeIndex::kTVMFFIInt:
    case ffi::TypeIndex::kTVMFFIBool:
    case ffi::TypeIndex::kTVMFFIFloat:
    case ffi::TypeIndex::kTVMFFIOpaquePtr:
      put(type);
      put(raw.v_int64);
      return {};
    case ffi::TypeIndex::kTVMFFIDataType:
      put(type);
      put(raw.v_dtype);
      put(std::int32_t{0});
      return {};
    case ffi::TypeIndex::kTVMFFIDevice:
      put(type);
      put(static_cast<std::int32_t>(raw.v_device.device_type));
      put(raw.v_device.device_id);
      return {};
    case ffi::TypeIndex::kTVMFFIDLTensorPtr:
      putView(*static_cast<const DLTensor*>(raw.v_ptr));
      return {};
    default:
      return putObject(result, handles, memory);
  }
}

base::Result<> Reply::putObject(const ffi::Any& result, HandleTable& handles, MemoryMap& memory) {
  if (const auto text = result.as<ffi::String>()) {
    m_kept = *text;
    const std::string_view view = viewOf(*text);
    const std::string_view untilZero = view.substr(0, view.find('\0'));  // it travels as a C string
    putBytes(Tag::CString, untilZero);
    return {};
  }
  if (const auto bytes = result.as<ffi::Bytes>()) {
    m_kept = *bytes;
    putBytes(Tag::ByteArray, {bytes->data(), bytes->size()});
    return {};
  }
  if (const auto tensor = result.as<ffi::Tensor>()) {
    return putTensor(*tensor, handles, memory);
  }
  if (const auto object = result.as<ffi::ObjectRef>()) {
    putPointer(handles.add(*object));
    return {};
  }
  return base::Error{base::ErrorCode::Unsupported,
                     fmt::format("A result of type {} cannot be sent", result.GetTypeKey()),
                     {},
                     {}};
}

base::Result<> Reply::putTensor(const ffi::Tensor& tensor, HandleTable& handles, MemoryMap& memory) {
  if (!tensor.IsContiguous()) {
    return base::Error{base::ErrorCode::Unsupported,
                       "The result is a tensor with gaps between its elements, which cannot be sent",
                       {},
                       {}};
  }
  const DLTensor& view = *tensor.GetDLTensorPtr();
  const ffi::ShapeView shape(view.shape, static_cast<std::size_t>(view.ndim));
  memory.know(addressOf(view), runtime::tensorBytes(shape, view.dtype));
  // Three values instead of two: the count stands behind the code.
  const std::int32_t count = 3;
  m_head.replace(sizeof(std::int32_t), sizeof(count), reinterpret_cast<const char*>(&count), sizeof(count));
  putView(view);
  putPointer(handles.add(tensor));
  return {};
}

}  // namespace opscope::rpc::server
