// SPDX-License-Identifier: Apache-2.0
#include "engine/rpc/encoding.h"

#include <fmt/format.h>

#include "engine/rpc/protocol.h"
#include "engine/rpc/wire_numbers.h"

namespace opscope::rpc {

namespace {

constexpr std::size_t kSmallObjectBytes = 7;
/// Type index of an object reference up to TVM 0.20.
constexpr std::uint32_t kLegacyReferenceType = 9;

void putDevice(std::string& out, DLDevice device) {
  appendNumber(out, static_cast<std::int32_t>(device.device_type));
  appendNumber(out, device.device_id);
}

void putView(std::string& out, std::uint64_t data, DLDevice device, DLDataType dtype,
             std::span<const std::int64_t> shape, std::uint64_t byteOffset) {
  appendNumber(out, data);
  putDevice(out, device);
  appendNumber(out, static_cast<std::int32_t>(shape.size()));
  appendNumber(out, dtype);
  for (const std::int64_t extent : shape) {
    appendNumber(out, extent);
  }
  appendNumber(out, byteOffset);
}

class Encoder {
 public:
  Encoder(Encoding encoding, std::string& out, std::vector<Gap>* gaps)
      : m_encoding(encoding), m_out(out), m_gaps(gaps) {}

  void tag(const Value& value) {
    const std::int32_t number = m_encoding == Encoding::Legacy ? static_cast<std::int32_t>(legacyTag(value))
                                                               : static_cast<std::int32_t>(newTag(value));
    appendNumber(m_out, number);
  }

  void payload(const Value& value) {
    std::visit([this](const auto& content) { put(content); }, value);
  }

 private:
  static LegacyTag legacyTag(const Value& value) {
    static constexpr LegacyTag kTags[] = {LegacyTag::Null,   LegacyTag::Int,           LegacyTag::Int,
                                          LegacyTag::Float,  LegacyTag::OpaquePointer, LegacyTag::DataType,
                                          LegacyTag::Device, LegacyTag::TensorView,    LegacyTag::String,
                                          LegacyTag::Bytes,  LegacyTag::Bytes,         LegacyTag::Function,
                                          LegacyTag::Module, LegacyTag::Object};
    static_assert(std::size(kTags) == std::variant_size_v<Value>);
    return kTags[value.index()];
  }

  Tag newTag(const Value& value) const {
    static constexpr Tag kTags[] = {Tag::None,          Tag::Bool,           Tag::Int,       Tag::Float,
                                    Tag::OpaquePointer, Tag::DataType,       Tag::Device,    Tag::TensorView,
                                    Tag::CString,       Tag::ByteArray,      Tag::ByteArray, Tag::Function,
                                    Tag::Module,        Tag::ObjectReference};
    static_assert(std::size(kTags) == std::variant_size_v<Value>);
    if (const auto* bytes = std::get_if<Bytes>(&value); bytes != nullptr && asObject(*bytes)) {
      return bytes->content.size() <= kSmallObjectBytes ? Tag::SmallBytes : Tag::Bytes;
    }
    return kTags[value.index()];
  }

  bool asObject(const Bytes& bytes) const { return bytes.object && m_encoding == Encoding::Tvm022; }

  void put(std::monostate) {}
  void put(bool value) { appendNumber(m_out, std::int64_t{value}); }
  void put(std::int64_t value) { appendNumber(m_out, value); }
  void put(double value) { appendNumber(m_out, value); }
  void put(OpaquePointer value) { appendNumber(m_out, value.address); }
  void put(DLDataType value) {
    appendNumber(m_out, value);
    appendNumber(m_out, std::int32_t{0});
  }
  void put(DLDevice value) { putDevice(m_out, value); }
  void put(const TensorView& value) { encodeTensorView(value, m_out); }
  void put(const std::string& value) { appendSized(m_out, value); }
  void put(const Bytes& value) {
    if (asObject(value)) {
      appendNumber(m_out, static_cast<std::uint32_t>(Tag::Bytes));
    }
    appendSized(m_out, value.content);
  }
  void put(BytesView value) {
    if (m_gaps == nullptr || value.content.size() < kGapBytes) {
      appendSized(m_out, value.content);
      return;
    }
    appendNumber(m_out, std::uint64_t{value.content.size()});
    m_gaps->push_back({m_out.size(), value.content});
  }
  void put(FunctionHandle value) { appendNumber(m_out, value.handle); }
  void put(ModuleHandle value) { appendNumber(m_out, value.handle); }
  void put(ObjectHandle value) {
    appendNumber(m_out, m_encoding == Encoding::Legacy ? kLegacyReferenceType
                                                       : static_cast<std::uint32_t>(Tag::ObjectReference));
    appendNumber(m_out, value.handle);
  }

  const Encoding m_encoding;
  std::string& m_out;
  std::vector<Gap>* m_gaps;
};

/// Empty when the value can be sent, else why not.
std::string whyNot(const Value& value) {
  std::uint64_t size = 0;
  if (const auto* text = std::get_if<std::string>(&value)) {
    size = text->size();
  } else if (const auto* bytes = std::get_if<Bytes>(&value)) {
    size = bytes->content.size();
  } else if (const auto* view = std::get_if<BytesView>(&value)) {
    size = view->content.size();
  } else if (const auto* tensor = std::get_if<TensorView>(&value)) {
    return tensor->shape.size() <= kMaxDimensions ? ""
                                                  : fmt::format("has {} dimensions, at most {} can be sent",
                                                                tensor->shape.size(), kMaxDimensions);
  }
  return size <= kMaxBlobBytes
             ? ""
             : fmt::format("has {} bytes, at most {} can be sent in one value", size, kMaxBlobBytes);
}

base::Result<> checkSendable(std::span<const Value> values) {
  if (values.size() > kMaxValues) {
    return base::Error{base::ErrorCode::InvalidArgument,
                       fmt::format("{} arguments are too many for a remote call", values.size()),
                       fmt::format("at most {} can be sent", kMaxValues),
                       {}};
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (const std::string reason = whyNot(values[i]); !reason.empty()) {
      return base::Error{base::ErrorCode::InvalidArgument,
                         fmt::format("argument {} of a remote call ({}) {}", i, kindOf(values[i]), reason),
                         {},
                         "send it in parts"};
    }
  }
  return {};
}

}  // namespace

std::string_view encodingName(Encoding encoding) {
  switch (encoding) {
    case Encoding::Legacy:
      return "TVM up to 0.20";
    case Encoding::Tvm021:
      return "TVM 0.21";
    case Encoding::Tvm022:
      break;
  }
  return "TVM 0.22 and later";
}

void encodeTensorView(const TensorView& view, std::string& out) {
  putView(out, view.data, view.device, view.dtype, view.shape, view.byteOffset);
}

void encodeTensorView(const DLTensor& tensor, std::string& out) {
  putView(out, reinterpret_cast<std::uintptr_t>(tensor.data), tensor.device, tensor.dtype,
          {tensor.shape, static_cast<std::size_t>(tensor.ndim)}, tensor.byte_offset);
}

base::Result<> encodeSequence(Encoding encoding, std::span<const Value> values, std::string& out,
                              std::vector<Gap>* gaps) {
  OPSCOPE_TRY(checkSendable(values));
  appendNumber(out, static_cast<std::int32_t>(values.size()));
  Encoder encoder(encoding, out, gaps);
  if (encoding == Encoding::Legacy) {
    for (const Value& value : values) {
      encoder.tag(value);
    }
  }
  for (const Value& value : values) {
    if (encoding != Encoding::Legacy) {
      encoder.tag(value);
    }
    encoder.payload(value);
  }
  return {};
}

}  // namespace opscope::rpc
