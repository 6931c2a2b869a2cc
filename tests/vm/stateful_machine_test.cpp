// SPDX-License-Identifier: Apache-2.0
// The module's functions typed, with errors in words.
#include "engine/vm/stateful_machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "tests/vm/case_runner.h"
#include "tests/vm/fixture_files.h"
#include "tests/vm/module_calls.h"

namespace opscope::vm::test {

namespace ffi = tvm::ffi;
using testing::AllOf;
using testing::HasSubstr;

namespace {

class StatefulMachineTest : public testing::Test {
 protected:
  void open(const std::string& fixture) {
    auto file = readExecutableFile(fixturePath(fixture));
    ASSERT_TRUE(file) << file.error().message;
    auto machine = StatefulMachine::create(*file, {}, m_context);
    ASSERT_TRUE(machine) << machine.error().message;
    m_machine = *std::move(machine);
  }
  static ffi::Any matrix(float value) { return floatTensor({4, 6}, std::vector<float>(24, value)); }

  runtime::RunContext m_context{runtime::RuntimeOptions{1, false, 0, runtime::AllocatorKind::Pooled}};
  std::unique_ptr<StatefulMachine> m_machine;
};

TEST_F(StatefulMachineTest, KeepsInputsOutputsAndSavedFunctions) {
  open("tvm027/tuples");
  const std::vector<ffi::Any> inputs = {matrix(1), tupleOf(matrix(2), matrix(3))};
  ASSERT_TRUE(m_machine->setInput("main", inputs));
  ASSERT_TRUE(m_machine->invokeStateful("main"));
  EXPECT_EQ(m_machine->outputArity("main", {}).value(), 3);
  const std::vector<std::int64_t> path = {1, 0};
  EXPECT_EQ(m_machine->outputArity("main", path).value(), -1);
  EXPECT_EQ(floatsOf(m_machine->output("main", path).value())[0], 1.0F);
  ASSERT_TRUE(m_machine->saveFunction("main", "bound", true, std::span(inputs).last(1)));
  auto result = m_machine->invoke("bound", std::span(inputs).first(1));
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(floatsOf(result->cast<ffi::Array<ffi::Any>>()[0])[0], 5.0F);
  auto closure = m_machine->closure("bound");
  ASSERT_TRUE(closure);
  EXPECT_TRUE(m_machine->invokeClosure(*closure, std::span(inputs).first(1)));
  EXPECT_EQ(m_machine->functionArity("main").value(), 2);
  EXPECT_EQ(m_machine->parameterName("main", 0).value(), "x");
}

TEST_F(StatefulMachineTest, TellsErrorsInWords) {
  open("tvm027/tuples");
  const auto stateful = m_machine->invokeStateful("main");
  ASSERT_FALSE(stateful);
  EXPECT_EQ(stateful.error().code, base::ErrorCode::InvalidArgument);
  EXPECT_THAT(stateful.error().message, HasSubstr("no inputs are set for main"));
  const auto counts = m_machine->setInput("main", {});
  ASSERT_FALSE(counts);
  EXPECT_THAT(counts.error().message, HasSubstr("takes 2 inputs (x, t), 0 given"));
  EXPECT_FALSE(m_machine->closure("split")) << "a kernel is no closure";
  EXPECT_FALSE(m_machine->output("main", {}));
  EXPECT_FALSE(m_machine->parameterName("main", 9));
  EXPECT_FALSE(m_machine->functionArity("nosuch"));
  EXPECT_FALSE(m_machine->saveFunction("nosuch", "x", true, {}));
  EXPECT_FALSE(m_machine->setInputWithParamModule("main", {}));
  const std::vector<ffi::Any> wrong = {matrix(1), matrix(2)};
  ASSERT_TRUE(m_machine->setInput("main", wrong));
  const auto run = m_machine->invokeStateful("main");
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().code, base::ErrorCode::KernelFailed);
  EXPECT_THAT(run.error().message, HasSubstr("main, instruction 1, vm.builtin.check_tuple_info"));
}

TEST_F(StatefulMachineTest, ErrorsOfTheInstrumentAreToldAsItsOwn) {
  open("tvm027/tuples");
  m_machine->setInstrument(ffi::Function::FromPacked(
      [](ffi::PackedArgs, ffi::Any*) { throw ffi::Error("ValueError", "no further", ""); }));
  const std::vector<ffi::Any> inputs = {matrix(1), tupleOf(matrix(2), matrix(3))};
  const auto run = m_machine->invoke("main", inputs);
  ASSERT_FALSE(run);
  EXPECT_THAT(run.error().message,
              AllOf(HasSubstr("the instrument at vm.builtin.check_tensor_info"), HasSubstr("no further")));
}

}  // namespace

}  // namespace opscope::vm::test
