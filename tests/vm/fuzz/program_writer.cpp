// SPDX-License-Identifier: Apache-2.0
#include "tests/vm/fuzz/program_writer.h"

#include <type_traits>
#include <variant>

#include "tests/vm/executable_writer.h"

namespace opscope::vm::test {

namespace {

struct ConstantWriter {
  ExecutableWriter& writer;
  const std::string& tensorBytes;

  void operator()(const TensorConstant& tensor) const {
    writer.number(std::int32_t{70}).number(std::uint64_t{0xDD5E40F096B4A13FULL}).word(0);
    writer.number(std::int32_t{1}).number(std::int32_t{0});
    writer.number(static_cast<std::int32_t>(tensor.shape.size()));
    type(tensor.type);
    for (const std::int64_t dimension : tensor.shape) {
      writer.word(dimension);
    }
    writer.text(std::string_view(tensorBytes).substr(tensor.offset, tensor.size));
  }
  void operator()(const ShapeConstant& shape) const {
    writer.number(std::int32_t{69}).count(shape.values.size());
    for (const std::int64_t dimension : shape.values) {
      writer.word(dimension);
    }
  }
  void operator()(const std::string& text) const { writer.number(std::int32_t{65}).text(text); }
  void operator()(const DataType& value) const {
    writer.number(std::int32_t{5});
    type(value);
  }
  void operator()(std::int64_t value) const { writer.number(std::int32_t{1}).word(value); }
  void operator()(double value) const { writer.number(std::int32_t{3}).number(value); }

  void type(DataType value) const { writer.number(value.code).number(value.bits).number(value.lanes); }
};

std::int64_t argumentWord(const Argument& argument) {
  constexpr std::uint64_t kValueMask = (std::uint64_t{1} << 56) - 1;
  return static_cast<std::int64_t>((static_cast<std::uint64_t>(argument.kind) << 56) |
                                   (static_cast<std::uint64_t>(argument.value) & kValueMask));
}

void writeInstructions(ExecutableWriter& writer, const ExecutableData& data) {
  ExecutableWriter words;
  ExecutableWriter offsets;
  for (const Instruction& instruction : data.instructions) {
    offsets.word(static_cast<std::int64_t>(words.bytes().size() / 8));
    words.word(static_cast<std::int64_t>(instruction.op));
    switch (instruction.op) {
      case Instruction::Op::Call:
        words.word(instruction.destination).word(instruction.function).word(instruction.argumentCount);
        for (std::uint32_t i = 0; i < instruction.argumentCount; ++i) {
          // A changed count may reach beyond the list.
          const std::size_t at = std::size_t{instruction.firstArgument} + i;
          words.word(at < data.arguments.size() ? argumentWord(data.arguments[at]) : 0);
        }
        break;
      case Instruction::Op::Ret:
        words.word(instruction.operand);
        break;
      case Instruction::Op::Goto:
        words.word(instruction.offset);
        break;
      case Instruction::Op::If:
        words.word(instruction.operand).word(instruction.offset);
        break;
    }
  }
  writer.count(data.instructions.size()).raw(offsets.bytes());
  writer.count(words.bytes().size() / 8).raw(words.bytes());
}

}  // namespace

std::string serialise(const ExecutableData& data, const std::string& tensorBytes) {
  ExecutableWriter writer;
  writer.header().count(data.functions.size());
  for (const FunctionEntry& function : data.functions) {
    writer.function(static_cast<std::int32_t>(function.kind), function.name, function.startInstruction,
                    function.endInstruction, function.argumentCount, function.registerCount);
  }
  writer.count(data.memoryScopes.size());
  for (const MemoryScope& scope : data.memoryScopes) {
    writer.word(scope.constant).text(scope.scope);
  }
  writer.count(data.constants.size());
  for (const Constant& constant : data.constants) {
    std::visit(ConstantWriter{writer, tensorBytes}, constant);
  }
  writeInstructions(writer, data);
  return writer.bytes();
}

}  // namespace opscope::vm::test
