// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <tvm/ffi/dtype.h>
#include <tvm/ffi/error.h>

#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "engine/vm/tensor_cache/tensor_cache_file.h"

namespace opscope::vm {

namespace {

using Json = nlohmann::json;

constexpr const char* kHint = "Save the parameters again with tvmjs.dump_tensor_cache of TVM.";

/// Fields of one object, with the place of the object for messages.
class Fields {
 public:
  Fields(const Json& object, std::string file, std::string place)
      : m_object(object), m_file(std::move(file)), m_place(std::move(place)) {}

  base::Error wrong(std::string_view field, std::string_view expected) const {
    const std::string found = !m_object.is_object()       ? "a value that is no object"
                              : !m_object.contains(field) ? "nothing"
                                                          : shortened(m_object[field].dump());
    return {base::ErrorCode::Format, fmt::format("{}: {}.{} is not valid", m_file, m_place, field),
            fmt::format("expected {}, found {}", expected, found), kHint};
  }
  base::Result<std::string> text(std::string_view field) const {
    const Json* value = find(field);
    if (value == nullptr || !value->is_string()) {
      return wrong(field, "a text");
    }
    return value->get<std::string>();
  }
  base::Result<std::uint64_t> size(std::string_view field) const {
    const Json* value = find(field);
    if (value == nullptr || !value->is_number_unsigned() ||
        value->get<std::uint64_t>() > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
      return wrong(field, "a number of bytes");
    }
    return value->get<std::uint64_t>();
  }
  base::Result<const Json*> list(std::string_view field) const {
    const Json* value = find(field);
    if (value == nullptr || !value->is_array()) {
      return wrong(field, "a list");
    }
    return value;
  }
  const std::string& file() const { return m_file; }
  std::string placeOf(std::string_view field, std::size_t index) const {
    return fmt::format("{}.{}[{}]", m_place, field, index);
  }

 private:
  static std::string shortened(std::string text) {
    constexpr std::size_t kLongest = 60;
    return text.size() <= kLongest ? text : text.substr(0, kLongest) + "...";
  }
  const Json* find(std::string_view field) const {
    const auto found = m_object.find(field);
    return m_object.is_object() && found != m_object.end() ? &*found : nullptr;
  }

  const Json& m_object;
  std::string m_file;
  std::string m_place;
};

base::Result<std::vector<std::int64_t>> readShape(const Fields& fields) {
  OPSCOPE_TRY_ASSIGN(const Json* list, fields.list("shape"));
  std::vector<std::int64_t> shape;
  for (const Json& dimension : *list) {
    if (!dimension.is_number_unsigned() || dimension.get<std::uint64_t>() > INT32_MAX) {
      return fields.wrong("shape", "dimensions from 0 to 2147483647");
    }
    shape.push_back(dimension.get<std::int64_t>());
  }
  return shape;
}

base::Result<DLDataType> readType(const Fields& fields) {
  OPSCOPE_TRY_ASSIGN(const std::string name, fields.text("dtype"));
  try {
    return tvm::ffi::StringToDLDataType(name);
  } catch (const tvm::ffi::Error&) {
    return fields.wrong("dtype", "an element type such as \"float32\"");
  }
}

/// Bytes of a compact tensor, or none when they do not fit into 63 bits.
std::optional<std::uint64_t> bytesOf(const std::vector<std::int64_t>& shape, DLDataType dtype) {
  std::uint64_t bits = static_cast<std::uint64_t>(dtype.bits) * dtype.lanes;
  for (const std::int64_t dimension : shape) {
    if (__builtin_mul_overflow(bits, static_cast<std::uint64_t>(dimension), &bits) || bits > INT64_MAX) {
      return std::nullopt;
    }
  }
  return (bits + 7) / 8;
}

base::Result<CachedParameter> readParameter(const Fields& fields, std::uint64_t shardBytes) {
  CachedParameter parameter;
  OPSCOPE_TRY_ASSIGN(parameter.name, fields.text("name"));
  OPSCOPE_TRY_ASSIGN(parameter.shape, readShape(fields));
  OPSCOPE_TRY_ASSIGN(parameter.dtype, readType(fields));
  OPSCOPE_TRY_ASSIGN(parameter.bytes, fields.size("nbytes"));
  OPSCOPE_TRY_ASSIGN(parameter.offset, fields.size("byteOffset"));
  OPSCOPE_TRY_ASSIGN(const std::string format, fields.text("format"));
  if (format != "raw" && format != "f32-to-bf16") {
    return fields.wrong("format", "\"raw\" or \"f32-to-bf16\"");
  }
  const DLDataType type = parameter.dtype;
  parameter.isBfloat16 =
      format == "f32-to-bf16" && type.code == kDLFloat && type.bits == 32 && type.lanes == 1;
  const std::optional<std::uint64_t> elements = bytesOf(parameter.shape, type);
  const std::uint64_t expected = elements.value_or(0) / (parameter.isBfloat16 ? 2 : 1);
  if (!elements.has_value() || parameter.bytes != expected) {
    return fields.wrong("nbytes", fmt::format("{} bytes, as shape, type and format say", expected));
  }
  if (parameter.offset > shardBytes || parameter.bytes > shardBytes - parameter.offset) {
    return fields.wrong("byteOffset",
                        fmt::format("{} bytes to begin within the shard's {}", parameter.bytes, shardBytes));
  }
  return parameter;
}

bool staysInFolder(const std::string& file) {
  const std::filesystem::path path(file);
  bool inside = !file.empty() && path.is_relative();
  for (const auto& part : path) {
    inside = inside && part != "..";
  }
  return inside;
}

base::Result<CacheShard> readShard(const Fields& fields) {
  CacheShard shard;
  OPSCOPE_TRY_ASSIGN(shard.file, fields.text("dataPath"));
  if (!staysInFolder(shard.file)) {
    return fields.wrong("dataPath", "a file within the folder");
  }
  OPSCOPE_TRY_ASSIGN(const std::string format, fields.text("format"));
  if (format != "raw-shard") {
    return fields.wrong("format", "\"raw-shard\"");
  }
  OPSCOPE_TRY_ASSIGN(shard.bytes, fields.size("nbytes"));
  OPSCOPE_TRY_ASSIGN(const Json* records, fields.list("records"));
  for (std::size_t i = 0; i < records->size(); ++i) {
    const Fields record((*records)[i], fields.file(), fields.placeOf("records", i));
    OPSCOPE_TRY_ASSIGN(CachedParameter parameter, readParameter(record, shard.bytes));
    shard.parameters.push_back(std::move(parameter));
  }
  return shard;
}

}  // namespace

base::Result<std::vector<CacheShard>> parseTensorCache(std::string_view json,
                                                       const std::string& fileForMessages) {
  Json document;
  try {
    document = Json::parse(json);
  } catch (const Json::exception& error) {
    return base::Error{base::ErrorCode::Format, fileForMessages + " is not JSON", error.what(), kHint};
  }
  const Fields root(document, fileForMessages, "$");
  OPSCOPE_TRY_ASSIGN(const Json* records, root.list("records"));
  std::vector<CacheShard> shards;
  for (std::size_t i = 0; i < records->size(); ++i) {
    OPSCOPE_TRY_ASSIGN(CacheShard shard,
                       readShard(Fields((*records)[i], fileForMessages, root.placeOf("records", i))));
    shards.push_back(std::move(shard));
  }
  return shards;
}

}  // namespace opscope::vm
