// SPDX-License-Identifier: Apache-2.0
#include "engine/vm/dense_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <unordered_map>

namespace opscope::vm {

namespace ffi = tvm::ffi;

namespace {

constexpr std::uint32_t kNoneLiteral = 0;
constexpr std::uint32_t kMachineLiteral = 1;
// Slots keep an index in 31 bits.
constexpr std::int64_t kMostRegisters = std::int64_t{1} << 30;

class Builder {
 public:
  Builder(const ExecutableData& data, const FunctionPool& functions, const std::vector<ffi::Any>& constants,
          void* machine)
      : m_data(data), m_functions(functions) {
    m_program.literals.push_back(ffi::AnyView(nullptr).CopyToTVMFFIAny());
    m_program.literals.push_back(ffi::AnyView(machine).CopyToTVMFFIAny());
    m_firstConstant = addLiterals(constants);
    m_firstFunction = addLiterals(functions.values);
  }

  base::Result<DenseProgram> build() {
    if (m_data.instructions.size() > std::numeric_limits<std::int32_t>::max()) {
      return fail("has more instructions than this machine can address");
    }
    m_owned.resize(m_data.instructions.size(), false);
    m_program.instructions.resize(m_data.instructions.size());
    m_program.functions.resize(m_data.functions.size());
    for (m_function = 0; m_function < m_data.functions.size(); ++m_function) {
      m_instruction = -1;
      OPSCOPE_TRY(addFunction());
    }
    return std::move(m_program);
  }

 private:
  const FunctionEntry& entry() const { return m_data.functions[m_function]; }

  base::Error fail(const std::string& what) const {
    const std::string place =
        m_function < m_data.functions.size() ? "function " + entry().name : "the executable";
    const std::string at =
        m_instruction >= 0 ? fmt::format(", instruction {}", m_instruction) : std::string();
    return base::Error{base::ErrorCode::Format,
                       fmt::format("{}{}: {}", place, at, what),
                       "The executable's bytecode is damaged or was written by an unknown compiler.",
                       {}};
  }

  std::uint32_t addLiterals(const std::vector<ffi::Any>& values) {
    const auto first = static_cast<std::uint32_t>(m_program.literals.size());
    for (const ffi::Any& value : values) {
      m_program.literals.push_back(ffi::AnyView(value).CopyToTVMFFIAny());
    }
    return first;
  }

  Slot immediate(std::int64_t value) {
    auto [place, isNew] =
        m_immediates.try_emplace(value, static_cast<std::uint32_t>(m_program.literals.size()));
    if (isNew) {
      m_program.literals.push_back(ffi::AnyView(value).CopyToTVMFFIAny());
    }
    return Slot::ofLiteral(place->second);
  }

  base::Result<> addFunction() {
    DenseFunction& function = m_program.functions[m_function];
    function.kind = entry().kind;
    if (entry().kind == FunctionKind::Packed) {
      return {};
    }
    const std::int64_t least = entry().argumentCount + (entry().kind == FunctionKind::VmTir ? 1 : 0);
    if (entry().argumentCount < 0 || entry().registerCount < least ||
        entry().registerCount > kMostRegisters) {
      return fail(fmt::format("{} registers for {} arguments", entry().registerCount, entry().argumentCount));
    }
    function.parameterCount = static_cast<std::uint32_t>(entry().argumentCount);
    function.registerCount = static_cast<std::uint32_t>(entry().registerCount);
    return entry().kind == FunctionKind::Bytecode ? addBody(function) : base::Result<>();
  }

  base::Result<> addBody(DenseFunction& function) {
    const auto count = static_cast<std::int64_t>(m_data.instructions.size());
    if (entry().startInstruction < 0 || entry().startInstruction >= entry().endInstruction ||
        entry().endInstruction > count) {
      return fail(fmt::format("its code [{}, {}) does not lie in the {} instructions",
                              entry().startInstruction, entry().endInstruction, count));
    }
    function.firstInstruction = static_cast<std::uint32_t>(entry().startInstruction);
    for (m_instruction = entry().startInstruction; m_instruction < entry().endInstruction; ++m_instruction) {
      // Code shared by two functions would be checked against the registers of only one of them.
      if (m_owned[static_cast<std::size_t>(m_instruction)]) {
        return fail("the instruction belongs to another function too");
      }
      m_owned[static_cast<std::size_t>(m_instruction)] = true;
      OPSCOPE_TRY(addInstruction(function));
    }
    --m_instruction;
    const Instruction::Op last = m_data.instructions[static_cast<std::size_t>(m_instruction)].op;
    if (last != Instruction::Op::Ret && last != Instruction::Op::Goto) {
      return fail("the code runs past its end");
    }
    return {};
  }

  base::Result<> addInstruction(DenseFunction& function) {
    const Instruction& from = m_data.instructions[static_cast<std::size_t>(m_instruction)];
    DenseInstruction& to = m_program.instructions[static_cast<std::size_t>(m_instruction)];
    switch (from.op) {
      case Instruction::Op::Call:
        return addCall(from, to, function);
      case Instruction::Op::Ret:
        to.op = DenseOp::Return;
        return addOperand(from, to);
      case Instruction::Op::Goto:
        to.op = DenseOp::Jump;
        return addJump(from, to);
      case Instruction::Op::If:
        to.op = DenseOp::Branch;
        OPSCOPE_TRY(addOperand(from, to));
        return addJump(from, to);
    }
    return fail("unknown instruction");
  }

  base::Result<> addOperand(const Instruction& from, DenseInstruction& to) {
    OPSCOPE_TRY_ASSIGN(const Slot slot, registerSlot(from.operand));
    to.firstArgument = static_cast<std::uint32_t>(m_program.arguments.size());
    m_program.arguments.push_back(slot);
    return {};
  }

  base::Result<> addJump(const Instruction& from, DenseInstruction& to) {
    const std::int64_t least = entry().startInstruction - m_instruction;
    const std::int64_t most = entry().endInstruction - m_instruction;
    if (from.offset < least || from.offset >= most) {
      return fail(fmt::format("jump by {} leaves the function", from.offset));
    }
    to.jump = static_cast<std::int32_t>(from.offset);
    return {};
  }

  base::Result<> addCall(const Instruction& from, DenseInstruction& to, DenseFunction& function) {
    if (from.function < 0 || from.function >= static_cast<std::int64_t>(m_data.functions.size())) {
      return fail(fmt::format("calls function {} of {}", from.function, m_data.functions.size()));
    }
    if (from.argumentCount > std::numeric_limits<std::uint16_t>::max() ||
        from.firstArgument > m_data.arguments.size() ||
        from.argumentCount > m_data.arguments.size() - from.firstArgument) {
      return fail(fmt::format("{} arguments", from.argumentCount));
    }
    if (from.destination < kVoidRegister) {
      OPSCOPE_TRY(registerSlot(from.destination));
      to.destination = static_cast<std::uint32_t>(from.destination);
    }
    to.function = static_cast<std::uint32_t>(from.function);
    to.argumentCount = static_cast<std::uint16_t>(from.argumentCount);
    to.firstArgument = static_cast<std::uint32_t>(m_program.arguments.size());
    function.mostArguments = std::max(function.mostArguments, from.argumentCount);
    for (std::uint32_t i = 0; i < from.argumentCount; ++i) {
      OPSCOPE_TRY_ASSIGN(const Slot slot, argumentSlot(m_data.arguments[from.firstArgument + i]));
      m_program.arguments.push_back(slot);
    }
    return setCallee(to);
  }

  base::Result<> setCallee(DenseInstruction& to) {
    const FunctionEntry& callee = m_data.functions[to.function];
    if (callee.kind != FunctionKind::Packed && callee.argumentCount != to.argumentCount) {
      return fail(fmt::format("calls {} with {} arguments instead of {}", callee.name, to.argumentCount,
                              callee.argumentCount));
    }
    if (callee.kind == FunctionKind::Bytecode) {
      to.op = DenseOp::CallBytecode;
    } else if (callee.kind == FunctionKind::VmTir) {
      to.op = DenseOp::CallCompiled;
    } else if (BuiltinFunction builtin = m_functions.builtins[to.function]) {
      const bool clears =
          callee.name == "vm.builtin.null_value" && to.destination != DenseInstruction::kDropped;
      to.op = clears ? DenseOp::ClearRegister : DenseOp::CallBuiltin;
      to.builtin = builtin;
    } else {
      to.op = DenseOp::CallFunction;
      to.code = m_functions.code[to.function];
    }
    return {};
  }

  base::Result<Slot> registerSlot(std::int64_t index) {
    if (index == kVoidRegister) {
      return Slot::ofLiteral(kNoneLiteral);
    }
    if (index == kVmRegister) {
      return Slot::ofLiteral(kMachineLiteral);
    }
    if (index < 0 || index >= entry().registerCount) {
      return fail(fmt::format("register {} of {}", index, entry().registerCount));
    }
    return Slot::ofRegister(static_cast<std::uint32_t>(index));
  }

  base::Result<Slot> argumentSlot(const Argument& argument) {
    switch (argument.kind) {
      case Argument::Kind::Register:
        return registerSlot(argument.value);
      case Argument::Kind::Immediate:
        return immediate(argument.value);
      case Argument::Kind::ConstantIndex:
        if (argument.value < 0 || argument.value >= static_cast<std::int64_t>(m_data.constants.size())) {
          return fail(fmt::format("constant {} of {}", argument.value, m_data.constants.size()));
        }
        return Slot::ofLiteral(m_firstConstant + static_cast<std::uint32_t>(argument.value));
      case Argument::Kind::FunctionIndex:
        if (argument.value < 0 || argument.value >= static_cast<std::int64_t>(m_data.functions.size())) {
          return fail(fmt::format("function {} of {}", argument.value, m_data.functions.size()));
        }
        return Slot::ofLiteral(m_firstFunction + static_cast<std::uint32_t>(argument.value));
    }
    return fail("unknown kind of argument");
  }

  const ExecutableData& m_data;
  const FunctionPool& m_functions;
  DenseProgram m_program;
  std::uint32_t m_firstConstant = 0;
  std::uint32_t m_firstFunction = 0;
  std::unordered_map<std::int64_t, std::uint32_t> m_immediates;
  std::vector<bool> m_owned;  ///< instructions that a function has claimed
  std::size_t m_function = 0;
  std::int64_t m_instruction = -1;
};

}  // namespace

base::Result<DenseProgram> buildDenseProgram(const ExecutableData& data, const FunctionPool& functions,
                                             const std::vector<ffi::Any>& constants, void* machine) {
  return Builder(data, functions, constants, machine).build();
}

}  // namespace opscope::vm
