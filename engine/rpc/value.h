// SPDX-License-Identifier: Apache-2.0
// Values that travel in frames. Plain data without tvm-ffi; any thread; the holder owns them, except for
// BytesView, whose bytes somebody else keeps.
#pragma once

#include <dlpack/dlpack.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace opscope::rpc {

/// An address that only its maker can use.
struct OpaquePointer {
  std::uint64_t address = 0;
  friend bool operator==(const OpaquePointer&, const OpaquePointer&) = default;
};

/// A tensor in the server's memory. Strides do not travel: elements lie one behind the other.
struct TensorView {
  std::uint64_t data = 0;
  DLDevice device{kDLCPU, 0};  ///< as the server numbers it, without a session's mask
  DLDataType dtype{kDLFloat, 32, 1};
  std::vector<std::int64_t> shape;
  std::uint64_t byteOffset = 0;
};

/// Bytes that the value owns. `object` tells those that came, or are to be sent, as TVM's Bytes object
/// (tag 12 or 66) from a plain byte array (tag 9), which every server takes.
struct Bytes {
  std::string content;
  bool object = false;
  friend bool operator==(const Bytes&, const Bytes&) = default;
};

/// Bytes that are not copied; compares by content.
struct BytesView {
  std::string_view content;
  friend bool operator==(const BytesView&, const BytesView&) = default;
};

/// Objects that live on the server. Values of this kind own nothing: see client.h for those that free.
struct FunctionHandle {
  std::uint64_t handle = 0;
  friend bool operator==(const FunctionHandle&, const FunctionHandle&) = default;
};
struct ModuleHandle {
  std::uint64_t handle = 0;
  friend bool operator==(const ModuleHandle&, const ModuleHandle&) = default;
};
struct ObjectHandle {
  std::uint64_t handle = 0;
  friend bool operator==(const ObjectHandle&, const ObjectHandle&) = default;
};

/// std::string is a C string on the wire: what follows a zero byte is lost, so send Bytes for binary data.
using Value =
    std::variant<std::monostate, bool, std::int64_t, double, OpaquePointer, DLDataType, DLDevice, TensorView,
                 std::string, Bytes, BytesView, FunctionHandle, ModuleHandle, ObjectHandle>;

/// True when both hold the same kind and content. Numbers compare by their bits, so that NaN equals itself.
bool sameValue(const Value& left, const Value& right);
bool sameView(const TensorView& left, const TensorView& right);

/// "int", "tensor view", ...: the kind, for messages.
std::string_view kindOf(const Value& value);

/// Bytes of one element, as TVM counts them: bits and lanes rounded up to whole bytes.
std::uint64_t elementBytes(DLDataType dtype);
/// Bytes of all elements. nullopt for a negative dimension or more than 2^62 bytes.
std::optional<std::uint64_t> dataBytes(const TensorView& view);

}  // namespace opscope::rpc
