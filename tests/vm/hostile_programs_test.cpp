// SPDX-License-Identifier: Apache-2.0
// Programs that no compiler emits: made by hand, and those that the fuzzer found something with once
// (tests/data/vm/fuzz).
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/vm/fuzz/fuzz_cases.h"
#include "tests/vm/fuzz/fuzz_runner.h"

namespace opscope::vm::test {

namespace {

Argument registerArgument(std::int64_t index) {
  return {Argument::Kind::Register, index};
}

/// main(x) { x = NAME(arguments); goto 0 }, with `name` as function 1 and main itself as function 0.
std::shared_ptr<ExecutableData> endlessly(const std::string& name, const std::vector<Argument>& arguments,
                                          std::vector<Constant> constants = {}) {
  auto data = std::make_shared<ExecutableData>();
  FunctionEntry main;
  main.kind = FunctionKind::Bytecode;
  main.name = "main";
  main.endInstruction = 2;
  main.argumentCount = 1;
  main.registerCount = 1;
  FunctionEntry packed;
  packed.name = name;
  data->functions = {main, packed};
  data->constants = std::move(constants);
  data->arguments = arguments;
  Instruction call;
  call.op = Instruction::Op::Call;
  call.function = 1;
  call.destination = 0;
  call.argumentCount = static_cast<std::uint32_t>(arguments.size());
  Instruction jump;
  jump.op = Instruction::Op::Goto;
  jump.offset = -1;
  data->instructions = {call, jump};
  return data;
}

FuzzOutcome run(const std::shared_ptr<ExecutableData>& data, std::uint64_t seed = 1) {
  return FuzzRunner().runData(data, FuzzRunner::emptyModule(), seed);
}

}  // namespace

TEST(HostilePrograms, EndlessLoopsAreStopped) {
  const FuzzOutcome outcome = run(endlessly("vm.builtin.copy", {registerArgument(0)}));
  EXPECT_TRUE(outcome.accepted);
  EXPECT_FALSE(outcome.ran);
  EXPECT_EQ(outcome.finding, "");
}

TEST(HostilePrograms, ValuesDoNotNestWithoutEnd) {
  EXPECT_EQ(run(endlessly("vm.builtin.make_tuple", {registerArgument(0)})).finding, "");
  EXPECT_EQ(run(endlessly("vm.builtin.make_tuple", {registerArgument(0), registerArgument(0)})).finding, "");
  EXPECT_EQ(
      run(endlessly("vm.builtin.make_closure", {{Argument::Kind::FunctionIndex, 0}, registerArgument(0)}))
          .finding,
      "");
}

TEST(HostilePrograms, ViewsOfViewsAreFreedWithoutRecursion) {
  // x is none at first, which reshape refuses; so the loop is entered with a tensor, by whichever seed gives
  // one.
  for (std::uint64_t seed = 1; seed < 12; ++seed) {
    auto data = endlessly("vm.builtin.reshape", {registerArgument(0), {Argument::Kind::ConstantIndex, 0}},
                          {ShapeConstant{{0}}, ShapeConstant{{1}}});
    EXPECT_EQ(run(data, seed).finding, "");
  }
}

TEST(HostilePrograms, EndlessRecursionEndsInAnError) {
  auto data = endlessly("vm.builtin.copy", {registerArgument(0)});
  data->instructions[0].function = 0;
  const FuzzOutcome outcome = run(data);
  EXPECT_TRUE(outcome.accepted);
  EXPECT_FALSE(outcome.ran);
  EXPECT_EQ(outcome.finding, "");
}

TEST(HostilePrograms, ArgumentsBeyondTheListAreRefusedWithAndWithoutTheCallee) {
  for (const std::string name : {"vm.builtin.copy", "no.such.function"}) {
    auto data = endlessly(name, {registerArgument(0)});
    data->instructions[0].argumentCount = 1000;
    EXPECT_FALSE(run(data).accepted);
    data->instructions[0].firstArgument = 1000;
    const FuzzOutcome outcome = run(data);
    EXPECT_FALSE(outcome.accepted);
    EXPECT_EQ(outcome.finding, "");
  }
}

TEST(HostilePrograms, OnceFoundStaysMended) {
  const std::filesystem::path data = OPSCOPE_TEST_DATA;
  FuzzCases cases(data / "vm");
  FuzzRunner runner;
  for (const auto& file : std::filesystem::directory_iterator(data / "vm" / "fuzz")) {
    EXPECT_EQ(cases.run(runner, FuzzCases::read(file.path())).finding, "") << file.path();
  }
}

}  // namespace opscope::vm::test
