// SPDX-License-Identifier: Apache-2.0
#include "engine/profile/tensor_writers.h"

#include <algorithm>

namespace opscope::profile {

namespace {

bool takes(const vm::ExecutableData& data, const vm::Instruction& call, std::int64_t reg) {
  for (std::uint32_t i = 0; i < call.argumentCount; ++i) {
    const vm::Argument& argument = data.arguments[call.firstArgument + i];
    if (argument.kind == vm::Argument::Kind::Register && argument.value == reg) {
      return true;
    }
  }
  return false;
}

/// The first call in (from, end) that takes what instruction `from` returned, or `end`.
std::size_t firstUse(const vm::ExecutableData& data, std::size_t from, std::size_t end) {
  constexpr std::size_t kNear = 4096;  // compiled code uses a tensor a few instructions after it is made
  const std::int64_t reg = data.instructions[from].destination;
  const std::size_t limit = std::min(end, from + kNear);
  for (std::size_t at = from + 1; at < limit; ++at) {
    const vm::Instruction& instruction = data.instructions[at];
    if (instruction.op != vm::Instruction::Op::Call) {
      continue;
    }
    if (takes(data, instruction, reg)) {
      return at;
    }
    if (instruction.destination == reg) {
      break;  // another value from here on
    }
  }
  return end;
}

}  // namespace

TensorWriters findTensorWriters(const vm::ExecutableData& data) {
  TensorWriters writers;
  const std::int64_t allocates = vm::findFunction(data, "vm.builtin.alloc_tensor");
  for (const vm::FunctionEntry& function : data.functions) {
    if (function.kind != vm::FunctionKind::Bytecode || allocates < 0) {
      continue;
    }
    const auto end = static_cast<std::size_t>(function.endInstruction);
    for (auto at = static_cast<std::size_t>(function.startInstruction); at < end; ++at) {
      const vm::Instruction& instruction = data.instructions[at];
      if (instruction.op != vm::Instruction::Op::Call || instruction.function != allocates ||
          instruction.destination >= vm::kVoidRegister) {
        continue;
      }
      if (const std::size_t use = firstUse(data, at, end); use < end) {
        writers.emplace(static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(use));
      }
    }
  }
  return writers;
}

}  // namespace opscope::profile
