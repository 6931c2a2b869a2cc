// SPDX-License-Identifier: Apache-2.0
// A decoded Relax VM executable: plain data, no code loaded, no tvm-ffi. Immutable after decoding; any
// thread. Format: VMExecutable of TVM 0.21 to 0.27 (magic V1 or V2, version 0.14).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace opscope::runtime {
class LibraryBytes;
}

namespace opscope::vm {

class ConstantPool;

enum class FunctionKind : std::int32_t { Packed = 0, Bytecode = 1, VmTir = 2 };

struct FunctionEntry {
  FunctionKind kind = FunctionKind::Packed;
  std::string name;
  std::int64_t startInstruction = 0;  ///< [start, end) of a bytecode function
  std::int64_t endInstruction = 0;
  std::int64_t argumentCount = 0;  ///< negative: unknown, as packed functions have it
  std::int64_t registerCount = 0;
  std::vector<std::string> parameterNames;
};

/// DLPack's element type: code (0 int, 1 uint, 2 float, 4 bfloat, 6 bool ...), bits, lanes.
struct DataType {
  std::uint8_t code = 0;
  std::uint8_t bits = 0;
  std::uint16_t lanes = 1;
  bool operator==(const DataType&) const = default;
};

/// TVM's spelling: "float32", "int8x4", "bool"; "" for void (bits 0).
std::string dataTypeName(DataType type);

/// The type that dataTypeName spells so; nothing for other texts.
std::optional<DataType> parseDataType(std::string_view name);

/// Constants. The bytes of a tensor stay in the file's image until a machine is made (constants.h).
struct TensorConstant {
  DataType type;
  std::vector<std::int64_t> shape;
  std::uint64_t offset = 0;  ///< of its first byte, from the executable's
  std::uint64_t size = 0;
};
struct ShapeConstant {
  std::vector<std::int64_t> values;
};
using Constant = std::variant<TensorConstant, ShapeConstant, std::string, DataType, std::int64_t, double>;

/// One argument word of a Call.
struct Argument {
  enum class Kind : std::uint8_t { Register = 0, Immediate = 1, ConstantIndex = 2, FunctionIndex = 3 };
  Kind kind = Kind::Register;
  std::int64_t value = 0;
};
inline constexpr std::int64_t kVoidRegister = std::int64_t{1} << 54;
inline constexpr std::int64_t kVmRegister = kVoidRegister + 1;

struct Instruction {
  enum class Op : std::uint8_t { Call = 1, Ret = 2, Goto = 3, If = 4 };
  Op op = Op::Ret;
  std::int64_t destination = kVoidRegister;  ///< Call: register of the result; >= kVoidRegister: dropped
  std::int64_t function = 0;                 ///< Call: index into the function table
  std::uint32_t firstArgument =
      0;  ///< Call: arguments are [first, first + count) of ExecutableData::arguments
  std::uint32_t argumentCount = 0;
  std::int64_t operand = 0;  ///< Ret: register; If: condition register
  std::int64_t offset = 0;   ///< Goto: jump; If: jump when zero (relative to this instruction)
};

/// A constant's memory scope (format V2), for example "global".
struct MemoryScope {
  std::int64_t constant = 0;
  std::string scope;
};

/// V1 has no memory scopes and other tags of constants: TVM 0.21. V2: TVM 0.25 to 0.27.
inline constexpr std::uint64_t kFormatMagicV1 = 0xD225DE2F4214151DULL;
inline constexpr std::uint64_t kFormatMagicV2 = 0xD225DE2F4214151EULL;

struct ExecutableData {
  std::uint64_t formatMagic = kFormatMagicV2;
  std::string formatVersion;  ///< "0.14"
  std::vector<FunctionEntry> functions;
  std::vector<MemoryScope> memoryScopes;
  std::vector<Constant> constants;
  std::vector<Instruction> instructions;
  std::vector<Argument> arguments;
  /// The serialised executable is [bodyOffset, bodyOffset + bodySize) of these bytes.
  std::shared_ptr<const runtime::LibraryBytes> bytes;
  std::uint64_t bodyOffset = 0;
  std::uint64_t bodySize = 0;
  std::shared_ptr<const ConstantPool> constantPool;  ///< the values of `constants` once a machine wants them
};

/// Index of the function called `name`, or -1. Packed functions are found too.
std::int64_t findFunction(const ExecutableData& data, std::string_view name);

}  // namespace opscope::vm
