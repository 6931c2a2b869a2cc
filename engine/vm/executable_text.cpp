// SPDX-License-Identifier: Apache-2.0
#include "engine/vm/executable_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

namespace opscope::vm {

namespace {

struct ConstantText {
  std::string operator()(const TensorConstant& tensor) const {
    return tensor.shape.empty() ? "scalar" : fmt::format("[{}]", fmt::join(tensor.shape, ", "));
  }
  std::string operator()(const ShapeConstant& shape) const {
    return fmt::format("shapetuple[{}]", fmt::join(shape.values, ", "));
  }
  std::string operator()(const std::string& text) const { return '"' + text + '"'; }
  std::string operator()(const DataType& type) const { return dataTypeName(type); }
  std::string operator()(std::int64_t value) const { return std::to_string(value); }
  std::string operator()(double value) const { return fmt::format("{}", value); }
};

class Script {
 public:
  explicit Script(const ExecutableData& data) : m_data(data) {}

  std::string write() {
    m_text = "ib = rx.Builder()\n";
    for (const FunctionEntry& function : m_data.functions) {
      if (function.kind == FunctionKind::Bytecode) {
        writeFunction(function);
      }
    }
    return m_text;
  }

 private:
  std::string quoted(std::int64_t function) const {
    return '"' + m_data.functions[static_cast<std::size_t>(function)].name + '"';
  }

  std::string argument(const Argument& argument) const {
    switch (argument.kind) {
      case Argument::Kind::Register:
        return argument.value == kVmRegister ? "ib.r(vm)" : fmt::format("ib.r({})", argument.value);
      case Argument::Kind::Immediate:
        return fmt::format("ib.imm({})", argument.value);
      case Argument::Kind::ConstantIndex:
        return fmt::format("ib.c({})", argument.value);
      case Argument::Kind::FunctionIndex:
        return fmt::format("ib.f({})", quoted(argument.value));
    }
    return {};
  }

  void writeFunction(const FunctionEntry& function) {
    m_text +=
        fmt::format("with ib.function(\"{}\", num_inputs={}):\n", function.name, function.argumentCount);
    for (std::int64_t i = function.startInstruction; i < function.endInstruction; ++i) {
      m_text += "    " + line(m_data.instructions[static_cast<std::size_t>(i)]) + "\n";
    }
  }

  std::string line(const Instruction& instruction) const {
    switch (instruction.op) {
      case Instruction::Op::Call:
        return callLine(instruction);
      case Instruction::Op::Ret:
        return fmt::format("ib.emit_ret(ib.r({}))", instruction.operand);
      case Instruction::Op::Goto:
        return fmt::format("ib.emit_goto({})", instruction.offset);
      case Instruction::Op::If:
        return fmt::format("ib.emit_if(ib.r({}), {})", instruction.operand, instruction.offset);
    }
    return {};
  }

  std::string callLine(const Instruction& call) const {
    std::vector<std::string> arguments;
    for (std::uint32_t i = 0; i < call.argumentCount; ++i) {
      arguments.push_back(argument(m_data.arguments[call.firstArgument + i]));
    }
    const std::string destination =
        call.destination != kVoidRegister ? fmt::format(", dst=ib.r({})", call.destination) : std::string();
    return fmt::format("ib.emit_call({}, args=[{}]{})", quoted(call.function), fmt::join(arguments, ", "),
                       destination);
  }

  const ExecutableData& m_data;
  std::string m_text;
};

}  // namespace

std::string toStatistics(const ExecutableData& data) {
  std::vector<std::string> constants;
  for (const Constant& constant : data.constants) {
    constants.push_back(std::visit(ConstantText{}, constant));
  }
  std::vector<std::string> functions;
  for (const FunctionEntry& function : data.functions) {
    functions.push_back(function.name);
  }
  return fmt::format("Relax VM executable statistics:\n  Constant pool (# {}): [{}]\n  Globals (#{}): [{}]\n",
                     constants.size(), fmt::join(constants, ", "), functions.size(),
                     fmt::join(functions, ", "));
}

std::string toBuilderScript(const ExecutableData& data) {
  return Script(data).write();
}

}  // namespace opscope::vm
