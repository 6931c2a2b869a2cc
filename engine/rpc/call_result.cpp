// SPDX-License-Identifier: Apache-2.0
#include "engine/rpc/call_result.h"

#include <fmt/format.h>

#include <utility>

namespace opscope::rpc {

namespace {

base::Error unexpected(std::string found, std::string expected) {
  return {base::ErrorCode::Format,
          "the answer to a call " + std::move(found),
          "expected " + std::move(expected),
          {}};
}

base::Result<std::vector<Value>> readWhole(Encoding encoding, std::string_view payload, BlobMode blobs) {
  ByteCursor cursor(payload);
  OPSCOPE_TRY_ASSIGN(auto values, decodeSequence(encoding, cursor, blobs));
  OPSCOPE_TRY(cursor.expectEnd());
  return values;
}

/// A pointer is a handle when the type is one of an object.
Value handleValue(Encoding encoding, std::int32_t tag, OpaquePointer pointer) {
  if (encoding == Encoding::Legacy) {
    switch (LegacyTag{tag}) {
      case LegacyTag::Function:
        return FunctionHandle{pointer.address};
      case LegacyTag::Module:
        return ModuleHandle{pointer.address};
      case LegacyTag::Object:
        return ObjectHandle{pointer.address};
      default:
        return pointer;
    }
  }
  if (Tag{tag} == Tag::Function) {
    return FunctionHandle{pointer.address};
  }
  if (Tag{tag} == Tag::Module) {
    return ModuleHandle{pointer.address};
  }
  if (tag >= static_cast<std::int32_t>(Tag::FirstObject)) {
    return ObjectHandle{pointer.address};
  }
  return pointer;
}

base::Result<CallResult> readTensor(std::int32_t tag, std::vector<Value> values) {
  CallResult result{.typeTag = tag};
  if (values.size() == 3) {
    const auto* owner = std::get_if<OpaquePointer>(&values[2]);
    if (owner == nullptr) {
      return unexpected(fmt::format("has a {} for a tensor's owner", kindOf(values[2])), "an opaque pointer");
    }
    result.owner = owner->address;
  }
  result.value = std::move(values[1]);
  return result;
}

}  // namespace

std::optional<std::string_view> CallResult::bytes() const {
  if (const auto* owned = std::get_if<Bytes>(&value)) {
    return owned->content;
  }
  if (const auto* view = std::get_if<BytesView>(&value)) {
    return view->content;
  }
  return std::nullopt;
}

base::Result<CallResult> readCallResult(Encoding encoding, std::string_view payload,
                                        base::PageBuffer memory) {
  OPSCOPE_TRY_ASSIGN(std::vector<Value> values, readWhole(encoding, payload, BlobMode::View));
  const auto* type = values.empty() ? nullptr : std::get_if<std::int64_t>(&values[0]);
  if (type == nullptr || values.size() < 2 || values.size() > 3) {
    return unexpected(fmt::format("has {} values", values.size()),
                      "a type, a value and for tensors an owner");
  }
  const auto tag = static_cast<std::int32_t>(*type);
  if (std::holds_alternative<TensorView>(values[1])) {
    return readTensor(tag, std::move(values));
  }
  if (values.size() != 2) {
    return unexpected(fmt::format("has 3 values with a {}", kindOf(values[1])), "2");
  }
  CallResult result{.typeTag = tag};
  if (const auto* pointer = std::get_if<OpaquePointer>(&values[1])) {
    result.value = handleValue(encoding, tag, *pointer);
  } else if (const auto* bytes = std::get_if<BytesView>(&values[1]); bytes != nullptr && memory.size() == 0) {
    result.value = Bytes{std::string(bytes->content)};
  } else {
    result.value = std::move(values[1]);
    result.memory = std::move(memory);
  }
  return result;
}

base::Result<Value> readOneValue(Encoding encoding, std::string_view payload) {
  OPSCOPE_TRY_ASSIGN(std::vector<Value> values, readWhole(encoding, payload, BlobMode::Copy));
  if (values.size() != 1) {
    return unexpected(fmt::format("has {} values", values.size()), "1");
  }
  return std::move(values[0]);
}

}  // namespace opscope::rpc
