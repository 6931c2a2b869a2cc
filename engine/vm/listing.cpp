// SPDX-License-Identifier: Apache-2.0
#include "engine/vm/listing.h"

#include <fmt/format.h>

#include <iterator>

namespace opscope::vm {

namespace {

// Columns are counted in bytes, as C++ streams do, not in letters.
std::string padded(std::string text, std::size_t width) {
  text.append(width > text.size() ? width - text.size() : 0, ' ');
  return text;
}

std::string callText(const ExecutableData& data, const Instruction& call) {
  std::string arguments;
  for (std::uint32_t index = 0; index < call.argumentCount; ++index) {
    arguments += index == 0 ? "" : ", ";
    arguments += argumentText(data, data.arguments[call.firstArgument + index]);
  }
  const std::string& callee = data.functions[static_cast<std::size_t>(call.function)].name;
  return "call  " + padded(callee, 16) + " in: " + padded(std::move(arguments), 12) +
         " dst: " + registerName(call.destination);
}

void appendFunction(std::string& text, const ExecutableData& data, const FunctionEntry& function) {
  switch (function.kind) {
    case FunctionKind::Packed:
      text += "@" + function.name + " packed_func;\n";
      return;
    case FunctionKind::VmTir:
      fmt::format_to(std::back_inserter(text), "@{} num_inputs={} vm_tir_func;\n", function.name,
                     function.argumentCount);
      return;
    case FunctionKind::Bytecode:
      text += "@" + function.name + ":\n";
      for (std::int64_t index = function.startInstruction; index < function.endInstruction; ++index) {
        text += "  " + toListingLine(data, data.instructions[static_cast<std::size_t>(index)]) + "\n";
      }
      return;
  }
}

}  // namespace

std::string toListing(const ExecutableData& data) {
  std::string text;
  for (const FunctionEntry& function : data.functions) {
    appendFunction(text, data, function);
    text += "\n";
  }
  return text;
}

std::string toListing(const ExecutableData& data, std::int64_t function) {
  std::string text;
  if (function >= 0 && function < static_cast<std::int64_t>(data.functions.size())) {
    appendFunction(text, data, data.functions[static_cast<std::size_t>(function)]);
  }
  return text;
}

std::string toListingLine(const ExecutableData& data, const Instruction& instruction) {
  switch (instruction.op) {
    case Instruction::Op::Call:
      return callText(data, instruction);
    case Instruction::Op::Ret:
      return "ret   " + registerName(instruction.operand);
    case Instruction::Op::Goto:
      return fmt::format("goto  {}", instruction.offset);
    case Instruction::Op::If:
      return fmt::format("If    {}, {}", registerName(instruction.operand), instruction.offset);
  }
  return {};
}

std::string registerName(std::int64_t reg) {
  return reg == kVoidRegister ? "%void" : reg == kVmRegister ? "%vm" : fmt::format("%{}", reg);
}

std::string argumentText(const ExecutableData& data, const Argument& argument) {
  switch (argument.kind) {
    case Argument::Kind::Register:
      return registerName(argument.value);
    case Argument::Kind::Immediate:
      return fmt::format("i{}", argument.value);
    case Argument::Kind::ConstantIndex:
      return fmt::format("c[{}]", argument.value);
    case Argument::Kind::FunctionIndex:
      return "f[" + data.functions[static_cast<std::size_t>(argument.value)].name + "]";
  }
  return {};
}

}  // namespace opscope::vm
