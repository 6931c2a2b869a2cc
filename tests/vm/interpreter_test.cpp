// SPDX-License-Identifier: Apache-2.0
// The run loop on programs written by hand, which no compiler would emit.
#include "engine/vm/interpreter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "engine/vm/executable_module.h"

namespace opscope::vm::test {

namespace ffi = tvm::ffi;
using testing::HasSubstr;

namespace {

Argument reg(std::int64_t index) {
  return {Argument::Kind::Register, index};
}
Argument imm(std::int64_t value) {
  return {Argument::Kind::Immediate, value};
}
Argument function(std::int64_t index) {
  return {Argument::Kind::FunctionIndex, index};
}

/// Assembles an executable: functions are added with their code, packed ones by name.
class Assembler {
 public:
  std::int64_t packed(const std::string& name) {
    FunctionEntry entry;
    entry.name = name;
    m_data.functions.push_back(entry);
    return static_cast<std::int64_t>(m_data.functions.size()) - 1;
  }
  /// Begins a bytecode function; the instructions that follow belong to it.
  std::int64_t begin(const std::string& name, std::int64_t arguments, std::int64_t registers) {
    FunctionEntry entry;
    entry.kind = FunctionKind::Bytecode;
    entry.name = name;
    entry.startInstruction = static_cast<std::int64_t>(m_data.instructions.size());
    entry.endInstruction = entry.startInstruction;
    entry.argumentCount = arguments;
    entry.registerCount = registers;
    m_data.functions.push_back(entry);
    return static_cast<std::int64_t>(m_data.functions.size()) - 1;
  }
  void call(std::int64_t callee, std::vector<Argument> arguments, std::int64_t destination = kVoidRegister) {
    Instruction instruction;
    instruction.op = Instruction::Op::Call;
    instruction.function = callee;
    instruction.destination = destination;
    instruction.firstArgument = static_cast<std::uint32_t>(m_data.arguments.size());
    instruction.argumentCount = static_cast<std::uint32_t>(arguments.size());
    m_data.arguments.insert(m_data.arguments.end(), arguments.begin(), arguments.end());
    add(instruction);
  }
  void ret(std::int64_t operand) {
    Instruction instruction;
    instruction.op = Instruction::Op::Ret;
    instruction.operand = operand;
    add(instruction);
  }
  void jump(std::int64_t offset) {
    Instruction instruction;
    instruction.op = Instruction::Op::Goto;
    instruction.offset = offset;
    add(instruction);
  }
  void branch(std::int64_t operand, std::int64_t offset) {
    Instruction instruction;
    instruction.op = Instruction::Op::If;
    instruction.operand = operand;
    instruction.offset = offset;
    add(instruction);
  }
  ExecutableData& data() { return m_data; }
  std::shared_ptr<const ExecutableData> finish() const {
    return std::make_shared<const ExecutableData>(m_data);
  }

 private:
  void add(const Instruction& instruction) {
    m_data.instructions.push_back(instruction);
    ++m_data.functions.back().endInstruction;
  }
  ExecutableData m_data;
};

std::unique_ptr<Interpreter> make(const Assembler& assembler, std::uint32_t recursionLimit = 10'000) {
  return std::make_unique<Interpreter>(assembler.finish(), std::vector<DLDevice>{DLDevice{kDLCPU, 0}},
                                       std::vector{runtime::AllocatorKind::Pooled}, recursionLimit);
}

base::Result<> load(Interpreter& interpreter) {
  return interpreter.load(ffi::Module(ffi::make_object<ExecutableModuleObj>(ffi::Bytes())), {}, {});
}

/// The kind of the error that the run raises, "" when it succeeds.
std::string runKind(Interpreter& interpreter, std::uint32_t index,
                    const std::vector<ffi::Any>& arguments = {}) {
  try {
    interpreter.run(index, arguments);
    return {};
  } catch (const ffi::Error& error) {
    return error.kind();
  }
}

TEST(Interpreter, ReturnsWhatWasPassed) {
  Assembler code;
  const auto main = code.begin("main", 2, 2);
  code.ret(1);
  auto machine = make(code);
  ASSERT_TRUE(load(*machine));
  const std::vector<ffi::Any> arguments = {ffi::Any(1),
                                           ffi::Any(ffi::String("a string long enough for the heap"))};
  const ffi::Any result = machine->run(static_cast<std::uint32_t>(main), arguments);
  EXPECT_EQ(result.cast<std::string>(), "a string long enough for the heap");
}

TEST(Interpreter, BranchesOnBoolsAndIntegersOnly) {
  Assembler code;
  code.packed("vm.builtin.copy");
  const std::int64_t main = code.begin("main", 1, 2);
  code.branch(0, 3);
  code.call(0, {imm(10)}, 1);
  code.ret(1);
  code.call(0, {imm(20)}, 1);
  code.ret(1);
  auto machine = make(code);
  ASSERT_TRUE(load(*machine));
  auto run = [&](ffi::Any condition) {
    return machine->run(static_cast<std::uint32_t>(main), std::vector<ffi::Any>{condition})
        .cast<std::int64_t>();
  };
  EXPECT_EQ(run(ffi::Any(true)), 10);
  EXPECT_EQ(run(ffi::Any(false)), 20);
  EXPECT_EQ(run(ffi::Any(7)), 10);
  EXPECT_EQ(run(ffi::Any(0)), 20);
  EXPECT_EQ(runKind(*machine, 1, {ffi::Any(1.0)}), "TypeError");
  EXPECT_EQ(runKind(*machine, 1, {ffi::Any(nullptr)}), "TypeError");
  EXPECT_EQ(machine->failure()->instruction, 0U);
  EXPECT_FALSE(machine->failure()->hasCallee);
}

TEST(Interpreter, StopsAnEndlessLoop) {
  Assembler code;
  code.begin("main", 0, 0);
  code.jump(0);
  auto machine = make(code);
  ASSERT_TRUE(load(*machine));
  std::thread stopper([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    machine->requestStop();
  });
  EXPECT_EQ(runKind(*machine, 0), "Cancelled");
  stopper.join();
  EXPECT_EQ(runKind(*machine, 0), "Cancelled") << "a stop holds until it is forgotten";
}

TEST(Interpreter, EndsEndlessRecursionAndStaysUsable) {
  Assembler code;
  code.begin("again", 1, 3);
  code.call(0, {reg(0)}, 2);
  code.ret(2);
  code.begin("main", 1, 1);
  code.ret(0);
  auto machine = make(code);
  ASSERT_TRUE(load(*machine));
  EXPECT_EQ(runKind(*machine, 0, {ffi::Any(1)}), "RecursionError");
  EXPECT_EQ(machine->failure()->function, 0U);
  EXPECT_EQ(machine->run(1, std::vector<ffi::Any>{ffi::Any(5)}).cast<int>(), 5);
  EXPECT_EQ(runKind(*machine, 0, {ffi::Any(1)}), "RecursionError");
}

// What ends this recursion is the thread's stack. ThreadSanitizer keeps a call stack of its own that is full
// earlier.
#ifdef __SANITIZE_THREAD__
constexpr std::uint32_t kBeyondTheStack = 2'000;
#else
constexpr std::uint32_t kBeyondTheStack = 10'000'000;
#endif

TEST(Interpreter, EndsEndlessRecursionThroughClosures) {
  Assembler code;
  code.packed("vm.builtin.invoke_closure");
  code.begin("again", 0, 1);
  code.call(0, {reg(kVmRegister), function(1)}, 0);
  code.ret(0);
  auto machine = make(code, kBeyondTheStack);
  ASSERT_TRUE(load(*machine));
  EXPECT_EQ(runKind(*machine, 1), "RecursionError");
  std::string kind;
  auto onSmallStack = make(code, kBeyondTheStack);
  std::thread([&] {
    if (load(*onSmallStack)) {
      kind = runKind(*onSmallStack, 1);
    }
  }).join();
  EXPECT_EQ(kind, "RecursionError");
}

TEST(Interpreter, AppendsWhatClosuresCaptured) {
  Assembler code;
  code.packed("vm.builtin.make_closure");
  code.packed("vm.builtin.invoke_closure");
  code.packed("vm.builtin.make_tuple");
  code.begin("inner", 3, 4);
  code.call(2, {reg(0), reg(1), reg(2)}, 3);
  code.ret(3);
  code.begin("main", 0, 3);
  code.call(0, {function(3), imm(30)}, 0);
  code.call(0, {reg(0), imm(20)}, 1);
  code.call(1, {reg(kVmRegister), reg(1), imm(10)}, 2);
  code.ret(2);
  auto machine = make(code);
  ASSERT_TRUE(load(*machine));
  const auto tuple = machine->run(4, {}).cast<ffi::Array<ffi::Any>>();
  ASSERT_EQ(tuple.size(), 3U);
  EXPECT_EQ(tuple[0].cast<int>(), 10);
  EXPECT_EQ(tuple[1].cast<int>(), 20);
  EXPECT_EQ(tuple[2].cast<int>(), 30);
}

TEST(Interpreter, RefusesClosuresOfAnotherMachine) {
  Assembler code;
  code.packed("vm.builtin.make_closure");
  code.packed("vm.builtin.invoke_closure");
  code.begin("make", 0, 1);
  code.call(0, {function(2)}, 0);
  code.ret(0);
  code.begin("call", 1, 2);
  code.call(1, {reg(kVmRegister), reg(0)}, 1);
  code.ret(1);
  auto first = make(code);
  auto second = make(code);
  ASSERT_TRUE(load(*first));
  ASSERT_TRUE(load(*second));
  const ffi::Any closure = first->run(2, {});
  EXPECT_EQ(runKind(*first, 3, {closure}), "");
  EXPECT_EQ(runKind(*second, 3, {closure}), "TypeError");
  first.reset();
  EXPECT_EQ(runKind(*second, 3, {closure}), "TypeError");
}

TEST(Interpreter, TellsTheInnermostFailure) {
  Assembler code;
  code.packed("vm.builtin.tuple_getitem");
  code.begin("inner", 1, 2);
  code.call(0, {reg(0), imm(3)}, 1);
  code.ret(1);
  code.begin("main", 1, 2);
  code.call(1, {reg(0)}, 1);
  code.ret(1);
  auto machine = make(code);
  ASSERT_TRUE(load(*machine));
  const ffi::Any tuple = ffi::Array<ffi::Any>{ffi::Any(1)};
  EXPECT_EQ(runKind(*machine, 2, {tuple}), "IndexError");
  ASSERT_TRUE(machine->failure().has_value());
  EXPECT_EQ(machine->failure()->function, 1U);
  EXPECT_EQ(machine->failure()->callee, 0U);
  EXPECT_EQ(machine->failure()->instruction, 0U);
}

/// Loading must fail with a Format error that has `text`.
void expectRefused(const Assembler& code, const std::string& text) {
  auto machine = make(code);
  auto loaded = load(*machine);
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().code, base::ErrorCode::Format);
  EXPECT_THAT(loaded.error().message, HasSubstr(text));
}

TEST(Interpreter, RefusesDamagedCode) {
  for (const auto& [operand, text] :
       {std::pair{std::int64_t{2}, "register 2 of 2"}, {-1, "register -1 of 2"}}) {
    Assembler code;
    code.begin("main", 0, 2);
    code.ret(operand);
    expectRefused(code, text);
  }
  for (const std::int64_t offset : {-1, 1, 100}) {
    Assembler code;
    code.begin("main", 0, 0);
    code.jump(offset);
    expectRefused(code, "leaves the function");
  }
  Assembler open;
  open.begin("main", 0, 1);
  open.branch(0, 0);
  expectRefused(open, "runs past its end");
  Assembler shared;
  shared.begin("first", 0, 9);
  shared.ret(8);
  shared.data().functions.push_back(shared.data().functions[0]);
  shared.data().functions[1].registerCount = 1;
  expectRefused(shared, "belongs to another function");
  Assembler few;
  few.begin("one", 1, 1);
  few.ret(0);
  few.begin("main", 0, 1);
  few.call(0, {}, 0);
  few.ret(0);
  expectRefused(few, "with 0 arguments instead of 1");
}

TEST(Interpreter, NamesEveryMissingFunctionAndItsCallers) {
  Assembler code;
  code.packed("user.first");
  code.packed("user.second");
  code.begin("main", 0, 1);
  code.call(0, {}, 0);
  code.call(1, {}, 0);
  code.ret(0);
  auto machine = make(code);
  auto loaded = load(*machine);
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().code, base::ErrorCode::MissingFunction);
  EXPECT_THAT(loaded.error().message, HasSubstr("user.first (called by main)"));
  EXPECT_THAT(loaded.error().message, HasSubstr("user.second (called by main)"));
}

}  // namespace

}  // namespace opscope::vm::test
