// SPDX-License-Identifier: Apache-2.0
#include "engine/rpc/server/arguments.h"

#include <fmt/format.h>
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/string.h>

#include <cstring>
#include <utility>

#include "engine/rpc/encoding.h"
#include "engine/rpc/protocol.h"

namespace opscope::rpc::server {

namespace ffi = tvm::ffi;
using base::Error;
using base::ErrorCode;
using base::Result;

namespace {

Error malformed(std::string message) {
  return Error{ErrorCode::Format, std::move(message), {}, {}};
}

/// Elements times their size, or nullopt for what no tensor can be.
std::optional<std::uint64_t> bytesOf(const std::vector<std::int64_t>& shape, DLDataType type) {
  std::uint64_t elements = 1;
  for (const std::int64_t extent : shape) {
    if (extent < 0 || __builtin_mul_overflow(elements, static_cast<std::uint64_t>(extent), &elements)) {
      return std::nullopt;
    }
  }
  const bool isBool = type.bits == 1 && type.lanes == 1;  // one byte each; other small types are packed
  const std::uint64_t bits = isBool ? 8 : std::uint64_t{type.bits} * type.lanes;
  std::uint64_t total = 0;
  if (__builtin_mul_overflow(elements, bits, &total) || total > (std::uint64_t{1} << 62)) {
    return std::nullopt;
  }
  return (total + 7) / 8;
}

/// What a handle was taken for, in words.
std::string_view nameOf(int type) {
  switch (type) {
    case ffi::TypeIndex::kTVMFFIFunction:
      return "a function";
    case ffi::TypeIndex::kTVMFFIModule:
      return "a module";
    default:
      return "an object";
  }
}

}  // namespace

Result<std::span<char>> RequestCursor::takeBytes(std::uint64_t count, std::string_view what) {
  char* const begin = m_begin + m_cursor.position();
  OPSCOPE_TRY_ASSIGN(const std::string_view bytes, m_cursor.take(count, what));
  return std::span<char>(begin, bytes.size());
}

Result<ReceivedView> takeView(RequestCursor& cursor) {
  OPSCOPE_TRY_ASSIGN(TensorView read, decodeTensorView(cursor.reader()));
  const auto bytes = bytesOf(read.shape, read.dtype);
  if (!bytes.has_value()) {
    return malformed("A tensor's shape and type give no possible size");
  }
  ReceivedView view;
  view.tensor.data = reinterpret_cast<void*>(read.data);
  view.tensor.device = read.device;
  view.tensor.ndim = static_cast<std::int32_t>(read.shape.size());
  view.tensor.dtype = read.dtype;
  view.tensor.byte_offset = read.byteOffset;
  view.shape = std::move(read.shape);
  view.bytes = *bytes;
  return view;
}

TVMFFIAny& Arguments::add(int type) {
  TVMFFIAny& value = m_values.emplace_back();
  std::memset(&value, 0, sizeof(value));
  value.type_index = type;
  return value;
}

ffi::PackedArgs Arguments::packed() const {
  return ffi::PackedArgs(reinterpret_cast<const ffi::AnyView*>(m_values.data()),
                         static_cast<std::int32_t>(m_values.size()));
}

Result<> Arguments::decode(RequestCursor& cursor, Views views) {
  m_values.clear();
  m_views.clear();
  m_blobs.clear();
  m_owned.clear();
  m_stringEnds.clear();
  OPSCOPE_TRY_ASSIGN(const auto count, cursor.take<std::int32_t>("the number of values"));
  if (count < 0 || static_cast<std::size_t>(count) > kMaxValues) {
    return malformed(fmt::format("The request has {} values, expected 0 to {}", count, kMaxValues));
  }
  for (std::int32_t i = 0; i < count; ++i) {
    if (auto decoded = decodeOne(cursor, views); !decoded) {
      Error error = std::move(decoded).error();
      error.message = fmt::format("Value {} of {}: {}", i, count, error.message);
      return error;
    }
  }
  OPSCOPE_TRY(cursor.expectEnd());
  for (char* const end : m_stringEnds) {
    *end = '\0';
  }
  return {};
}

Result<> Arguments::decodeOne(RequestCursor& cursor, Views views) {
  OPSCOPE_TRY_ASSIGN(const auto tag, cursor.take<std::int32_t>("a value's tag"));
  switch (static_cast<Tag>(tag)) {
    case Tag::None:
      add(tag);
      return {};
    case Tag::Int:
    case Tag::Bool:
    case Tag::Float:
    case Tag::OpaquePointer: {
      OPSCOPE_TRY_ASSIGN(add(tag).v_int64, cursor.take<std::int64_t>("a number"));
      return {};
    }
    case Tag::DataType: {
      OPSCOPE_TRY_ASSIGN(const auto type, cursor.take<DLDataType>("a type"));
      add(tag).v_dtype = type;
      OPSCOPE_TRY(cursor.take<std::int32_t>("a type"));
      return {};
    }
    case Tag::Device: {
      OPSCOPE_TRY_ASSIGN(const auto kind, cursor.take<std::int32_t>("a device"));
      OPSCOPE_TRY_ASSIGN(const auto id, cursor.take<std::int32_t>("a device"));
      add(tag).v_device = DLDevice{static_cast<DLDeviceType>(kind), id};
      return {};
    }
    case Tag::TensorView:
      return addView(cursor, views);
    case Tag::CString:
    case Tag::ByteArray:
      return addString(cursor, static_cast<Tag>(tag) == Tag::CString);
    case Tag::Function:
    case Tag::Module: {
      OPSCOPE_TRY_ASSIGN(const auto handle, cursor.take<std::uint64_t>("a handle"));
      return addObject(handle, tag);
    }
    case Tag::SmallString:
    case Tag::SmallBytes:
    case Tag::String:
    case Tag::Bytes:
    case Tag::ObjectReference:
      return addTypedObject(cursor);
    default:
      return malformed(fmt::format("its tag {} is not known", tag));
  }
}

Result<> Arguments::addObject(std::uint64_t handle, int type) {
  ffi::Object* const object = m_handles.find(handle);
  if (object == nullptr || (type != 0 && object->type_index() != type)) {
    return Error{ErrorCode::InvalidArgument,
                 fmt::format("{:#x} is no handle of {} that lives in this session", handle, nameOf(type)),
                 {},
                 {}};
  }
  add(object->type_index()).v_obj = ffi::details::ObjectUnsafe::GetHeader(object);
  return {};
}

Result<> Arguments::addString(RequestCursor& cursor, bool isText) {
  OPSCOPE_TRY_ASSIGN(const auto length, cursor.take<std::uint64_t>("a string's length"));
  OPSCOPE_TRY_ASSIGN(const std::span<char> bytes, cursor.takeBytes(length, "a string"));
  if (!isText) {
    m_blobs.push_back({bytes.data(), bytes.size()});
    add(ffi::TypeIndex::kTVMFFIByteArrayPtr).v_ptr = &m_blobs.back();
  } else if (std::memchr(bytes.data(), '\0', bytes.size()) != nullptr) {
    m_owned.emplace_back(ffi::String(bytes.data(), bytes.size()));
    m_values.push_back(ffi::AnyView(m_owned.back()).CopyToTVMFFIAny());
  } else {
    m_stringEnds.push_back(bytes.data() + bytes.size());
    add(ffi::TypeIndex::kTVMFFIRawStr).v_c_str = bytes.data();
  }
  return {};
}

Result<> Arguments::addTypedObject(RequestCursor& cursor) {
  OPSCOPE_TRY_ASSIGN(const auto kind, cursor.take<std::uint32_t>("an object's kind"));
  switch (static_cast<Tag>(kind)) {
    case Tag::String:
    case Tag::Bytes:
      return addString(cursor, static_cast<Tag>(kind) == Tag::String);
    case Tag::ObjectReference: {
      OPSCOPE_TRY_ASSIGN(const auto handle, cursor.take<std::uint64_t>("a handle"));
      return addObject(handle, 0);
    }
    default:
      return malformed(fmt::format("objects of kind {} cannot be sent", kind));
  }
}

Result<> Arguments::addView(RequestCursor& cursor, Views views) {
  OPSCOPE_TRY_ASSIGN(ReceivedView received, takeView(cursor));
  const auto address = reinterpret_cast<std::uintptr_t>(received.tensor.data);
  if (views == Views::Checked && !m_memory.contains(address + received.tensor.byte_offset, received.bytes)) {
    return Error{ErrorCode::InvalidArgument,
                 fmt::format("{} bytes from {:#x} are not memory of this session", received.bytes,
                             address + received.tensor.byte_offset),
                 {},
                 {}};
  }
  ReceivedView& view = m_views.emplace_back(std::move(received));
  view.tensor.shape = view.shape.data();
  add(ffi::TypeIndex::kTVMFFIDLTensorPtr).v_ptr = &view.tensor;
  return {};
}

}  // namespace opscope::rpc::server
