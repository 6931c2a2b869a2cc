// SPDX-License-Identifier: Apache-2.0
#include "tests/vm/fuzz/program_maker.h"

namespace opscope::vm::test {

namespace {

template <class List>
auto* anyOf(FuzzRandom& random, List& list) {
  return list.empty() ? nullptr : &list[random.below(list.size())];
}

void changeInstruction(FuzzRandom& random, Instruction& instruction, const ExecutableData& data) {
  switch (random.below(6)) {
    case 0:
      instruction.destination = random.chance(80) ? random.between(0, 40) : random.number();
      break;
    case 1:
      instruction.function = random.chance(80)
                                 ? static_cast<std::int64_t>(random.below(data.functions.size()))
                                 : random.number();
      break;
    case 2:
      instruction.operand = random.chance(80) ? random.between(0, 40) : random.number();
      break;
    case 3:
      instruction.offset = random.chance(80) ? random.between(-10, 10) : random.number();
      break;
    case 4:
      instruction.argumentCount =
          static_cast<std::uint32_t>(random.below(static_cast<std::size_t>(instruction.argumentCount) + 2));
      break;
    default:
      instruction.op = static_cast<Instruction::Op>(random.between(1, 4));
      break;
  }
}

void changeFunction(FuzzRandom& random, FunctionEntry& function) {
  switch (random.below(4)) {
    case 0:
      function.argumentCount = random.chance(80) ? random.between(0, 5) : random.number();
      break;
    case 1:
      function.registerCount = random.chance(80) ? random.between(0, 40) : random.number();
      break;
    case 2:
      function.startInstruction += random.between(-3, 3);
      break;
    default:
      function.endInstruction += random.between(-3, 3);
      break;
  }
}

void changeConstant(FuzzRandom& random, Constant& constant) {
  if (auto* shape = std::get_if<ShapeConstant>(&constant)) {
    if (auto* dimension = anyOf(random, shape->values)) {
      *dimension = random.number();
    }
  } else if (auto* type = std::get_if<DataType>(&constant)) {
    type->bits = static_cast<std::uint8_t>(random.number());
  } else if (auto* number = std::get_if<std::int64_t>(&constant)) {
    *number = random.number();
  }
}

}  // namespace

void changeProgram(FuzzRandom& random, ExecutableData& data) {
  const std::size_t changes = 1 + random.below(12);
  for (std::size_t i = 0; i < changes; ++i) {
    const std::size_t what = random.below(10);
    if (what < 4) {
      if (Instruction* instruction = anyOf(random, data.instructions)) {
        changeInstruction(random, *instruction, data);
      }
    } else if (what < 8) {
      if (Argument* argument = anyOf(random, data.arguments)) {
        argument->kind = random.chance(50) ? argument->kind : static_cast<Argument::Kind>(random.below(4));
        argument->value = random.chance(80) ? random.between(0, 30) : random.number();
      }
    } else if (what < 9) {
      FunctionEntry* function = anyOf(random, data.functions);
      if (function != nullptr && function->kind == FunctionKind::Bytecode) {
        changeFunction(random, *function);
      }
    } else if (Constant* constant = anyOf(random, data.constants)) {
      changeConstant(random, *constant);
    }
  }
}

}  // namespace opscope::vm::test
