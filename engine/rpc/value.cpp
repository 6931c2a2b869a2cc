// SPDX-License-Identifier: Apache-2.0
#include "engine/rpc/value.h"

#include <array>
#include <bit>

namespace opscope::rpc {

namespace {

bool sameType(DLDataType left, DLDataType right) {
  return left.code == right.code && left.bits == right.bits && left.lanes == right.lanes;
}

bool sameDevice(DLDevice left, DLDevice right) {
  return left.device_type == right.device_type && left.device_id == right.device_id;
}

}  // namespace

bool sameView(const TensorView& left, const TensorView& right) {
  return left.data == right.data && sameDevice(left.device, right.device) &&
         sameType(left.dtype, right.dtype) && left.shape == right.shape &&
         left.byteOffset == right.byteOffset;
}

bool sameValue(const Value& left, const Value& right) {
  if (left.index() != right.index()) {
    return false;
  }
  return std::visit(
      [&right](const auto& value) {
        using Kind = std::decay_t<decltype(value)>;
        const Kind& other = std::get<Kind>(right);
        if constexpr (std::is_same_v<Kind, TensorView>) {
          return sameView(value, other);
        } else if constexpr (std::is_same_v<Kind, DLDataType>) {
          return sameType(value, other);
        } else if constexpr (std::is_same_v<Kind, DLDevice>) {
          return sameDevice(value, other);
        } else if constexpr (std::is_same_v<Kind, double>) {
          return std::bit_cast<std::uint64_t>(value) == std::bit_cast<std::uint64_t>(other);
        } else {
          return value == other;
        }
      },
      left);
}

std::string_view kindOf(const Value& value) {
  static constexpr std::array<std::string_view, std::variant_size_v<Value>> kNames = {
      "none",        "bool",   "int",   "float", "opaque pointer", "data type", "device",
      "tensor view", "string", "bytes", "bytes", "function",       "module",    "object"};
  return kNames[value.index()];
}

std::uint64_t elementBytes(DLDataType dtype) {
  return (std::uint64_t{dtype.bits} * dtype.lanes + 7) / 8;
}

std::optional<std::uint64_t> dataBytes(const TensorView& view) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 62;
  std::uint64_t bytes = elementBytes(view.dtype);
  bool empty = false;
  for (const std::int64_t extent : view.shape) {
    if (extent < 0) {
      return std::nullopt;
    }
    empty = empty || extent == 0;
    if (extent != 0 && bytes > kMost / static_cast<std::uint64_t>(extent)) {
      return std::nullopt;
    }
    bytes *= extent == 0 ? 1 : static_cast<std::uint64_t>(extent);
  }
  return empty ? 0 : bytes;
}

}  // namespace opscope::rpc
