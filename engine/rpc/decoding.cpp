// SPDX-License-Identifier: Apache-2.0
// The reading half of encoding.h.
#include <fmt/format.h>

#include "engine/rpc/encoding.h"
#include "engine/rpc/protocol.h"

namespace opscope::rpc {

namespace {

/// A number under its own kind of value, as it stands on the wire.
template <class Wire, class Kind>
base::Result<Value> readAs(ByteCursor& cursor, std::string_view what) {
  OPSCOPE_TRY_ASSIGN(const Wire number, cursor.number<Wire>(what));
  return Value(Kind{number});
}

base::Result<Value> readBool(ByteCursor& cursor) {
  OPSCOPE_TRY_ASSIGN(const auto number, cursor.number<std::int64_t>("a bool"));
  return Value(number != 0);
}

base::Result<Value> readDataType(ByteCursor& cursor) {
  OPSCOPE_TRY_ASSIGN(const auto dtype, cursor.number<DLDataType>("a data type"));
  OPSCOPE_TRY(cursor.number<std::int32_t>("the padding of a data type"));
  return Value(dtype);
}

base::Result<DLDevice> readDevice(ByteCursor& cursor) {
  OPSCOPE_TRY_ASSIGN(const auto type, cursor.number<std::int32_t>("a device's type"));
  OPSCOPE_TRY_ASSIGN(const auto id, cursor.number<std::int32_t>("a device's number"));
  return DLDevice{static_cast<DLDeviceType>(type), id};
}

base::Result<std::string_view> readSized(ByteCursor& cursor, std::string_view what) {
  OPSCOPE_TRY_ASSIGN(const auto size, cursor.number<std::uint64_t>(what));
  if (size > kMaxBlobBytes) {
    return base::Error{
        base::ErrorCode::Format,
        fmt::format("{} at byte {} is said to have {} bytes", what, cursor.position(), size),
        fmt::format("expected at most {}", kMaxBlobBytes),
        "what answers there speaks another protocol: check the address and the version of its TVM"};
  }
  return cursor.take(size, what);
}

base::Result<Value> readText(ByteCursor& cursor) {
  OPSCOPE_TRY_ASSIGN(const std::string_view text, readSized(cursor, "a string"));
  return Value(std::string(text));
}

base::Result<Value> readBlob(ByteCursor& cursor, BlobMode mode, bool object) {
  OPSCOPE_TRY_ASSIGN(const std::string_view content, readSized(cursor, "bytes"));
  if (mode == BlobMode::View) {
    return Value(BytesView{content});
  }
  return Value(Bytes{std::string(content), object});
}

/// Strings and bytes as objects have their type once more behind the tag.
base::Result<> expectType(ByteCursor& cursor, Tag expected) {
  OPSCOPE_TRY_ASSIGN(const auto type, cursor.number<std::uint32_t>("an object's type"));
  if (type == static_cast<std::uint32_t>(expected)) {
    return {};
  }
  return base::Error{
      base::ErrorCode::Format,
      fmt::format("an object of type {} stands at byte {}", type, cursor.position() - sizeof(type)),
      fmt::format("expected type {}", static_cast<int>(expected)),
      "what answers there speaks another protocol: check the address and the version of its TVM"};
}

base::Result<Value> readView(ByteCursor& cursor) {
  OPSCOPE_TRY_ASSIGN(TensorView view, decodeTensorView(cursor));
  return Value(std::move(view));
}

base::Result<Value> readDeviceValue(ByteCursor& cursor) {
  OPSCOPE_TRY_ASSIGN(const DLDevice device, readDevice(cursor));
  return Value(device);
}

base::Error unknownTag(std::int32_t tag, const ByteCursor& cursor) {
  return {base::ErrorCode::Format,
          fmt::format("a value with the unknown tag {} stands at byte {}", tag, cursor.position()),
          {},
          "what answers there speaks another protocol: check the address and the version of its TVM"};
}

base::Result<Value> readValue(ByteCursor& cursor, std::int32_t tag, BlobMode blobs) {
  switch (Tag{tag}) {
    case Tag::None:
      return Value();
    case Tag::Int:
      return readAs<std::int64_t, std::int64_t>(cursor, "an int");
    case Tag::Bool:
      return readBool(cursor);
    case Tag::Float:
      return readAs<double, double>(cursor, "a float");
    case Tag::OpaquePointer:
      return readAs<std::uint64_t, OpaquePointer>(cursor, "a pointer");
    case Tag::DataType:
      return readDataType(cursor);
    case Tag::Device:
      return readDeviceValue(cursor);
    case Tag::TensorView:
      return readView(cursor);
    case Tag::SmallString:
    case Tag::String:
      OPSCOPE_TRY(expectType(cursor, Tag::String));
      [[fallthrough]];
    case Tag::CString:
      return readText(cursor);
    case Tag::ByteArray:
      return readBlob(cursor, blobs, false);
    case Tag::SmallBytes:
    case Tag::Bytes:
      OPSCOPE_TRY(expectType(cursor, Tag::Bytes));
      return readBlob(cursor, blobs, true);
    case Tag::Function:
      return readAs<std::uint64_t, FunctionHandle>(cursor, "a function");
    case Tag::Module:
      return readAs<std::uint64_t, ModuleHandle>(cursor, "a module");
    case Tag::ObjectReference:
      OPSCOPE_TRY(expectType(cursor, Tag::ObjectReference));
      return readAs<std::uint64_t, ObjectHandle>(cursor, "an object");
    default:
      return unknownTag(tag, cursor);
  }
}

base::Result<Value> readLegacyValue(ByteCursor& cursor, std::int32_t tag, BlobMode blobs) {
  switch (LegacyTag{tag}) {
    case LegacyTag::Int:
    case LegacyTag::UnsignedInt:
      return readAs<std::int64_t, std::int64_t>(cursor, "an int");
    case LegacyTag::Float:
      return readAs<double, double>(cursor, "a float");
    case LegacyTag::OpaquePointer:
      return readAs<std::uint64_t, OpaquePointer>(cursor, "a pointer");
    case LegacyTag::Null:
      return Value();
    case LegacyTag::DataType:
      return readDataType(cursor);
    case LegacyTag::Device:
      return readDeviceValue(cursor);
    case LegacyTag::TensorView:
      return readView(cursor);
    case LegacyTag::Object:
      OPSCOPE_TRY(cursor.number<std::uint32_t>("an object's type"));
      return readAs<std::uint64_t, ObjectHandle>(cursor, "an object");
    case LegacyTag::Module:
      return readAs<std::uint64_t, ModuleHandle>(cursor, "a module");
    case LegacyTag::Function:
      return readAs<std::uint64_t, FunctionHandle>(cursor, "a function");
    case LegacyTag::String:
      return readText(cursor);
    case LegacyTag::Bytes:
      return readBlob(cursor, blobs, false);
    case LegacyTag::Bool:
      return readBool(cursor);
    default:
      return unknownTag(tag, cursor);
  }
}

base::Result<std::size_t> readCount(ByteCursor& cursor) {
  OPSCOPE_TRY_ASSIGN(const auto count, cursor.number<std::int32_t>("the number of values"));
  // Each value has a tag of four bytes at least.
  if (count < 0 || static_cast<std::size_t>(count) > kMaxValues ||
      static_cast<std::size_t>(count) * sizeof(std::int32_t) > cursor.left()) {
    return base::Error{
        base::ErrorCode::Format, fmt::format("a sequence is said to have {} values", count),
        fmt::format("{} bytes are left, and at most {} values are taken", cursor.left(), kMaxValues),
        "what answers there speaks another protocol: check the address and the version of its TVM"};
  }
  return static_cast<std::size_t>(count);
}

base::Error inValue(std::size_t position, std::size_t count, base::Error error) {
  error.message = fmt::format("value {} of {}: {}", position + 1, count, error.message);
  return error;
}

}  // namespace

base::Result<TensorView> decodeTensorView(ByteCursor& cursor) {
  TensorView view;
  OPSCOPE_TRY_ASSIGN(view.data, cursor.number<std::uint64_t>("a tensor's data pointer"));
  OPSCOPE_TRY_ASSIGN(view.device, readDevice(cursor));
  OPSCOPE_TRY_ASSIGN(const auto dimensions, cursor.number<std::int32_t>("a tensor's number of dimensions"));
  if (dimensions < 0 || static_cast<std::size_t>(dimensions) > kMaxDimensions) {
    return base::Error{
        base::ErrorCode::Format,
        fmt::format("a tensor with {} dimensions stands at byte {}", dimensions, cursor.position()),
        fmt::format("expected 0 to {}", kMaxDimensions),
        "what answers there speaks another protocol: check the address and the version of its TVM"};
  }
  OPSCOPE_TRY_ASSIGN(view.dtype, cursor.number<DLDataType>("a tensor's data type"));
  view.shape.resize(static_cast<std::size_t>(dimensions));
  for (std::int64_t& extent : view.shape) {
    OPSCOPE_TRY_ASSIGN(extent, cursor.number<std::int64_t>("a tensor's shape"));
  }
  OPSCOPE_TRY_ASSIGN(view.byteOffset, cursor.number<std::uint64_t>("a tensor's byte offset"));
  return view;
}

base::Result<std::vector<Value>> decodeSequence(Encoding encoding, ByteCursor& cursor, BlobMode blobs) {
  OPSCOPE_TRY_ASSIGN(const std::size_t count, readCount(cursor));
  std::vector<std::int32_t> tags;
  if (encoding == Encoding::Legacy) {
    for (std::size_t i = 0; i < count; ++i) {
      OPSCOPE_TRY_ASSIGN(const auto tag, cursor.number<std::int32_t>("a value's tag"));
      tags.push_back(tag);
    }
  }
  std::vector<Value> values;
  values.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    base::Result<Value> value;
    if (encoding == Encoding::Legacy) {
      value = readLegacyValue(cursor, tags[i], blobs);
    } else if (const auto tag = cursor.number<std::int32_t>("a value's tag"); tag) {
      value = readValue(cursor, *tag, blobs);
    } else {
      value = tag.error();
    }
    if (!value) {
      return inValue(i, count, std::move(value).error());
    }
    values.push_back(*std::move(value));
  }
  return values;
}

}  // namespace opscope::rpc
