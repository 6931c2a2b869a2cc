// SPDX-License-Identifier: Apache-2.0
#include "engine/vm/executable_decoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <unordered_set>

#include "engine/runtime/library_bytes.h"
#include "engine/vm/byte_reader.h"
#include "engine/vm/constants.h"
#include "engine/vm/instruction_decoder.h"

namespace opscope::vm {

namespace {

constexpr std::string_view kFormatVersion = "0.14";
constexpr std::uint64_t kTensorMagic = 0xDD5E40F096B4A13FULL;
constexpr std::int32_t kDeviceCpu = 1;
constexpr std::int32_t kMaximumRank = 64;
constexpr std::uint8_t kLastKnownTypeCode = 17;
constexpr std::uint8_t kFirstCustomTypeCode = 129;

// Type indices of tvm-ffi, which the file uses as tags.
enum class ConstantTag : std::int32_t {
  Int = 1,
  Float = 3,
  DataType = 5,
  String = 65,
  Shape = 69,
  Tensor = 70,
  OldShape = 71,  ///< of TVM 0.21, in the first format only
  OldTensor = 72
};

// Least bytes that an item can take, to hold counts against the bytes left.
constexpr std::uint64_t kFunctionBytes = 4 + 8 + 4 * 8 + 8;
constexpr std::uint64_t kScopeBytes = 8 + 8;
constexpr std::uint64_t kConstantBytes = 4 + 4;

void readHeader(ByteReader& reader, ExecutableData& data) {
  data.formatMagic = reader.read<std::uint64_t>("magic number");
  if (!reader.failed() && data.formatMagic != kFormatMagicV1 && data.formatMagic != kFormatMagicV2) {
    reader.fail(0, "magic number", fmt::format("0x{:016X}", data.formatMagic),
                fmt::format("0x{:016X} or 0x{:016X}", kFormatMagicV2, kFormatMagicV1));
  }
  data.formatVersion = std::string(reader.readText("format version"));
  if (!reader.failed() && data.formatVersion != kFormatVersion) {
    reader.fail(base::Error{
        base::ErrorCode::Unsupported,
        fmt::format("{}: this executable has format version \"{}\".", reader.file(),
                    data.formatVersion.substr(0, 40)),
        fmt::format(
            "At byte 8 of the VM executable: Opscope reads version \"{}\", which TVM 0.21 to 0.27 write.",
            kFormatVersion),
        "Compile the model again with TVM 0.25, 0.26 or 0.27."});
  }
}

FunctionEntry readFunction(ByteReader& reader) {
  FunctionEntry function;
  const std::uint64_t kindOffset = reader.position();
  const auto kind = reader.read<std::int32_t>("kind");
  if (!reader.failed() && (kind < 0 || kind > 2)) {
    reader.fail(kindOffset, "kind", fmt::format("{}", kind), "0 (packed), 1 (bytecode) or 2 (VM kernel)");
  }
  function.kind = static_cast<FunctionKind>(kind);
  function.name = std::string(reader.readText("name"));
  const bool hasCode = function.kind == FunctionKind::Bytecode;
  const std::int64_t lastInstruction = std::numeric_limits<std::uint32_t>::max();
  function.startInstruction = reader.readInRange("first instruction", 0, hasCode ? lastInstruction : 0);
  function.endInstruction = reader.readInRange("last instruction", 0, hasCode ? lastInstruction : 0);
  // TVM declares packed functions with -2, meaning unknown.
  const std::int64_t leastArguments = function.kind == FunctionKind::Packed ? -2 : 0;
  function.argumentCount = reader.readInRange("number of arguments", leastArguments, kMaximumArguments);
  const std::uint64_t registersOffset = reader.position();
  function.registerCount = reader.readInRange("number of registers", 0, kMaximumRegisters);
  // A VM kernel leaves its result in the register after the arguments.
  const std::int64_t least = function.kind == FunctionKind::Packed  ? 0
                             : function.kind == FunctionKind::VmTir ? function.argumentCount + 1
                                                                    : function.argumentCount;
  if (!reader.failed() && function.registerCount < least) {
    reader.fail(registersOffset, "number of registers", fmt::format("{}", function.registerCount),
                fmt::format("at least {}", least));
  }
  return function;
}

void readParameterNames(ByteReader& reader, FunctionEntry& function) {
  const std::uint64_t offset = reader.position();
  const std::uint64_t count = reader.readCount("number of parameter names", 8);
  const auto arguments = static_cast<std::uint64_t>(function.argumentCount);
  if (count != 0 && count != arguments && function.kind != FunctionKind::Packed) {
    reader.fail(offset, "number of parameter names", fmt::format("{}", count),
                fmt::format("0 or {}, the number of arguments", arguments));
    return;
  }
  for (std::uint64_t index = 0; index < count && !reader.failed(); ++index) {
    function.parameterNames.emplace_back(reader.readText("parameter name"));
  }
}

void readFunctions(ByteReader& reader, ExecutableData& data) {
  const std::uint64_t count = reader.readCount("number of functions", kFunctionBytes);
  std::unordered_set<std::string> names;
  std::int64_t arguments = 0;
  for (std::uint64_t index = 0; index < count && !reader.failed(); ++index) {
    reader.enterItem("function", index);
    const std::uint64_t offset = reader.position();
    FunctionEntry function = readFunction(reader);
    readParameterNames(reader, function);
    arguments += std::max<std::int64_t>(function.argumentCount, 0);
    if (arguments > kMaximumArgumentsInAll) {
      reader.fail(offset, "number of arguments up to here", fmt::format("{}", arguments),
                  fmt::format("at most {}", kMaximumArgumentsInAll));
    }
    if (!reader.failed() && !names.insert(function.name).second) {
      reader.fail(offset, "name", fmt::format("\"{}\" a second time", function.name), "each name once");
    }
    data.functions.push_back(std::move(function));
  }
  reader.leaveItem();
}

void readMemoryScopes(ByteReader& reader, ExecutableData& data) {
  if (data.formatMagic == kFormatMagicV1) {
    return;  // came with the second format
  }
  const std::uint64_t count = reader.readCount("number of memory scopes", kScopeBytes);
  for (std::uint64_t index = 0; index < count && !reader.failed(); ++index) {
    reader.enterItem("memory scope", index);
    MemoryScope scope;
    scope.constant = reader.readInRange("constant index", 0, std::numeric_limits<std::int64_t>::max());
    scope.scope = std::string(reader.readText("scope"));
    data.memoryScopes.push_back(std::move(scope));
  }
  reader.leaveItem();
}

DataType readDataType(ByteReader& reader) {
  const std::uint64_t offset = reader.position();
  DataType type;
  type.code = reader.read<std::uint8_t>("type code");
  type.bits = reader.read<std::uint8_t>("type bits");
  type.lanes = reader.read<std::uint16_t>("type lanes");
  if (!reader.failed() && type.code > kLastKnownTypeCode && type.code < kFirstCustomTypeCode) {
    reader.fail(offset, "type code", fmt::format("{}", type.code),
                fmt::format("0 to {}, or {} and above", kLastKnownTypeCode, kFirstCustomTypeCode));
  }
  return type;
}

void expectValue(ByteReader& reader, std::string_view field, std::int64_t expected, std::int64_t found,
                 std::uint64_t offset) {
  if (!reader.failed() && expected != found) {
    reader.fail(offset, field, fmt::format("{}", found), fmt::format("{}", expected));
  }
}

// Bytes of the elements, or nothing when the product of the dimensions leaves 63 bits.
std::optional<std::int64_t> elementBytes(const TensorConstant& tensor) {
  std::int64_t size = (tensor.type.bits + 7) / 8;
  for (const std::int64_t dimension : tensor.shape) {
    if (__builtin_mul_overflow(size, dimension, &size)) {
      return std::nullopt;
    }
  }
  return size;
}

void readTensorType(ByteReader& reader, TensorConstant& tensor) {
  const std::uint64_t offset = reader.position();
  tensor.type = readDataType(reader);
  if (!reader.failed() && tensor.type.bits == 0) {
    reader.fail(offset + 1, "type bits", "0", "1 to 255");
  }
  expectValue(reader, "type lanes", 1, tensor.type.lanes, offset + 2);
}

TensorConstant readTensor(ByteReader& reader) {
  TensorConstant tensor;
  std::uint64_t offset = reader.position();
  const auto magic = reader.read<std::uint64_t>("tensor magic number");
  if (!reader.failed() && magic != kTensorMagic) {
    reader.fail(offset, "tensor magic number", fmt::format("0x{:016X}", magic),
                fmt::format("0x{:016X}", kTensorMagic));
  }
  reader.readInRange("reserved field", 0, 0);
  offset = reader.position();
  expectValue(reader, "device type", kDeviceCpu, reader.read<std::int32_t>("device type"), offset);
  expectValue(reader, "device number", 0, reader.read<std::int32_t>("device number"), offset + 4);
  const auto rank = reader.read<std::int32_t>("number of dimensions");
  if (!reader.failed() && (rank < 0 || rank > kMaximumRank)) {
    reader.fail(offset + 8, "number of dimensions", fmt::format("{}", rank),
                fmt::format("0 to {}", kMaximumRank));
  }
  readTensorType(reader, tensor);
  for (std::int32_t axis = 0; axis < rank && !reader.failed(); ++axis) {
    tensor.shape.push_back(reader.readInRange("dimension", 0, std::numeric_limits<std::int64_t>::max()));
  }
  offset = reader.position();
  const auto size = reader.read<std::int64_t>("number of bytes");
  const std::optional<std::int64_t> expected = elementBytes(tensor);
  if (!reader.failed() && (!expected || *expected != size)) {
    reader.fail(
        offset, "number of bytes", fmt::format("{}", size),
        expected ? fmt::format("{} for its shape and type", *expected) : "a shape that fits in memory");
  }
  tensor.offset = reader.position();
  tensor.size = reader.rawBytes(static_cast<std::uint64_t>(size), "tensor data").size();
  return tensor;
}

ShapeConstant readShape(ByteReader& reader) {
  ShapeConstant shape;
  const std::uint64_t count = reader.readCount("number of dimensions", 8);
  shape.values.reserve(count);
  for (std::uint64_t index = 0; index < count; ++index) {
    shape.values.push_back(reader.read<std::int64_t>("dimension"));
  }
  return shape;
}

Constant readConstant(ByteReader& reader, bool oldTags) {
  const std::uint64_t offset = reader.position();
  const auto tag = reader.read<std::int32_t>("tag");
  if (reader.failed()) {
    return {};
  }
  switch (static_cast<ConstantTag>(tag)) {
    case ConstantTag::Int:
      return reader.read<std::int64_t>("integer");
    case ConstantTag::Float:
      return reader.read<double>("number");
    case ConstantTag::DataType:
      return readDataType(reader);
    case ConstantTag::String:
      return std::string(reader.readText("string"));
    case ConstantTag::Shape:
      return readShape(reader);
    case ConstantTag::Tensor:
      return readTensor(reader);
    case ConstantTag::OldShape:
      if (oldTags) {
        return readShape(reader);
      }
      break;
    case ConstantTag::OldTensor:
      if (oldTags) {
        return readTensor(reader);
      }
      break;
  }
  reader.fail(offset, "tag", fmt::format("{}", tag),
              oldTags ? "1 (integer), 3 (float), 5 (type), 65 (string), 71 (shape) or 72 (tensor)"
                      : "1 (integer), 3 (float), 5 (type), 65 (string), 69 (shape) or 70 (tensor)");
  return {};
}

void readConstants(ByteReader& reader, ExecutableData& data) {
  const std::uint64_t count = reader.readCount("number of constants", kConstantBytes);
  for (std::uint64_t index = 0; index < count && !reader.failed(); ++index) {
    reader.enterItem("constant", index);
    data.constants.push_back(readConstant(reader, data.formatMagic == kFormatMagicV1));
  }
  reader.leaveItem();
}

void checkMemoryScopes(ByteReader& reader, const ExecutableData& data, std::uint64_t sectionOffset) {
  for (std::size_t index = 0; index < data.memoryScopes.size() && !reader.failed(); ++index) {
    const std::int64_t constant = data.memoryScopes[index].constant;
    if (constant >= static_cast<std::int64_t>(data.constants.size())) {
      reader.enterItem("memory scope", index);
      reader.fail(sectionOffset, "constant index", fmt::format("{}", constant),
                  fmt::format("an index below {}", data.constants.size()));
    }
  }
  reader.leaveItem();
}

}  // namespace

base::Result<std::shared_ptr<const ExecutableData>> decodeExecutable(
    std::shared_ptr<const runtime::LibraryBytes> bytes, std::uint64_t offset, std::uint64_t size,
    std::string_view fileForMessages) {
  if (!bytes->claim()) {
    return base::Error{base::ErrorCode::Internal,
                       fmt::format("{}: its bytes were decoded before", fileForMessages),
                       "Constants are moved within them, so they serve one executable.",
                       {}};
  }
  auto data = std::make_shared<ExecutableData>();
  ByteReader reader(bytes->view().substr(offset, size), fileForMessages, "VM executable");
  data->bytes = std::move(bytes);
  data->bodyOffset = offset;
  data->bodySize = size;
  readHeader(reader, *data);
  readFunctions(reader, *data);
  const std::uint64_t scopesOffset = reader.position();
  readMemoryScopes(reader, *data);
  readConstants(reader, *data);
  checkMemoryScopes(reader, *data, scopesOffset);
  decodeInstructions(reader, *data);
  if (!reader.failed() && reader.remaining() != 0) {
    reader.fail(reader.position(), "end", fmt::format("{} more bytes", reader.remaining()), "no more bytes");
  }
  if (reader.failed()) {
    return reader.error();
  }
  data->constantPool = std::make_shared<const ConstantPool>();
  return std::shared_ptr<const ExecutableData>(std::move(data));
}

base::Result<std::shared_ptr<const ExecutableData>> decodeExecutable(std::string bytes,
                                                                     std::string_view fileForMessages) {
  const std::uint64_t size = bytes.size();
  return decodeExecutable(runtime::LibraryBytes::of(std::move(bytes)), 0, size, fileForMessages);
}

}  // namespace opscope::vm
