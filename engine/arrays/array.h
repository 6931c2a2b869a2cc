// SPDX-License-Identifier: Apache-2.0
// An array in host memory: element type, shape, bytes in C order. A value: any thread; the bytes are
// immutable once the array is made and are shared by its copies, so copying an Array is cheap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/result.h"

namespace opscope::arrays {

/// DLPack's codes for the kinds of elements that an Array can hold.
enum class TypeCode : std::uint8_t { Int = 0, UInt = 1, Float = 2, BFloat = 4, Bool = 6 };

/// Element type as DLPack has it. `lanes` is 1 in every array that is read or made here.
struct ElementType {
  TypeCode code = TypeCode::Float;
  std::uint8_t bits = 32;
  std::uint16_t lanes = 1;
  bool operator==(const ElementType&) const = default;
};

/// Bytes of one element, 1 for bool.
std::size_t elementBytes(ElementType type);

/// "float32", "uint8", "bool", "bfloat16".
std::string elementTypeName(ElementType type);

/// The reverse: bool, int8 to int64, uint8 to uint64, float16, float32, float64, bfloat16; nothing for other
/// names.
std::optional<ElementType> elementTypeFromName(std::string_view name);

/// "[1, 3, 224, 224]", "[]" for a scalar.
std::string shapeText(std::span<const std::int64_t> shape);

/// Number of elements; bytes of the whole array. Errors: InvalidArgument when a size is negative or the
/// product does not fit in memory's address range.
base::Result<std::size_t> elementCount(std::span<const std::int64_t> shape);
base::Result<std::size_t> byteCount(ElementType type, std::span<const std::int64_t> shape);

/// Memory of a fixed size, aligned to 64 bytes, owned, not initialised. Never null, also when the size is 0.
class Bytes {
 public:
  static constexpr std::size_t kAlignment = 64;

  /// Errors: OutOfMemory, also when `size` is more than the machine's memory.
  static base::Result<Bytes> allocate(std::size_t size);

  std::byte* data() { return m_data.get(); }
  const std::byte* data() const { return m_data.get(); }
  std::size_t size() const { return m_size; }

 private:
  struct Free {
    void operator()(std::byte* data) const;
  };
  Bytes(std::byte* data, std::size_t size) : m_data(data), m_size(size) {}
  std::unique_ptr<std::byte[], Free> m_data;
  std::size_t m_size = 0;
};

class Array {
 public:
  /// Takes `bytes`, which must have exactly the size that type and shape ask for. Errors: InvalidArgument.
  static base::Result<Array> make(ElementType type, std::vector<std::int64_t> shape, Bytes bytes);
  /// Copies `size` bytes at `data` (any alignment). Errors: InvalidArgument, OutOfMemory.
  static base::Result<Array> copyOf(ElementType type, std::vector<std::int64_t> shape, const void* data,
                                    std::size_t size);

  ElementType type() const { return m_type; }
  const std::vector<std::int64_t>& shape() const { return m_shape; }
  /// 64-byte aligned, C order, the machine's byte order.
  const std::byte* data() const { return m_bytes->data(); }
  std::size_t byteSize() const { return m_bytes->size(); }
  std::size_t size() const { return m_bytes->size() / elementBytes(m_type); }
  /// The memory itself, for those who want to keep it alive without the array.
  const std::shared_ptr<const Bytes>& bytes() const { return m_bytes; }

 private:
  Array(ElementType type, std::vector<std::int64_t> shape, std::shared_ptr<const Bytes> bytes)
      : m_type(type), m_shape(std::move(shape)), m_bytes(std::move(bytes)) {}
  ElementType m_type;
  std::vector<std::int64_t> m_shape;
  std::shared_ptr<const Bytes> m_bytes;
};

/// "float32 [1, 3, 224, 224]".
std::string describeArray(const Array& array);

}  // namespace opscope::arrays
