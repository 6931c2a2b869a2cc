// SPDX-License-Identifier: Apache-2.0
// The module of a machine as TVM's clients use it.
#include "engine/vm/machine_module.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tvm/ffi/container/shape.h>

#include <cstring>
#include <numeric>

#include "engine/runtime/storage.h"
#include "tests/vm/case_runner.h"
#include "tests/vm/module_calls.h"

namespace opscope::vm::test {

namespace ffi = tvm::ffi;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

namespace {

ffi::Tensor matrix(float first) {
  std::vector<float> values(24);
  std::iota(values.begin(), values.end(), first);
  return floatTensor({4, 6}, values);
}

ffi::Tensor vector16() {
  return floatTensor({16}, std::vector<float>(16, 1.0F));
}

// ---- initialisation ----

TEST(MachineModule, TakesAnyListOfDevices) {
  const ffi::Module executable = executableModule("tvm027/chain");
  EXPECT_STREQ(executable->kind(), "relax.VMExecutable");
  const auto machine = callModule(executable, "vm_load_executable").cast<ffi::Module>();
  EXPECT_STREQ(machine->kind(), "relax.VirtualMachine");
  for (const auto& triples : std::vector<std::vector<int>>{{1, 0, 2}, {1, 0, 1}, {1, 3, 2, 1, 0, 1}}) {
    const std::vector<ffi::AnyView> views(triples.begin(), triples.end());
    ffi::Any result;
    callModule(executable, "vm_load_executable")
        .cast<ffi::Module>()
        ->GetFunction("vm_initialization")
        .value()
        .CallPacked(views.data(), static_cast<std::int32_t>(views.size()), &result);
    EXPECT_EQ(result, nullptr);
  }
}

TEST(MachineModule, RunsOnTheFirstDeviceOfTheList) {
  const auto machine = callModule(executableModule("tvm027/chain"), "vm_load_executable").cast<ffi::Module>();
  callModule(machine, "vm_initialization", 1, 3, 1, 1, 0, 2);
  const auto result = callModule(machine, "main", vector16()).cast<ffi::Tensor>();
  EXPECT_EQ(result.device().device_id, 3) << "inputs are copied to the first device, results are made there";
  EXPECT_EQ(result.dtype().bits, 32);
}

TEST(MachineModule, RefusesDeviceListsThatItCannotUse) {
  const auto machine = callModule(executableModule("tvm027/chain"), "vm_load_executable").cast<ffi::Module>();
  EXPECT_THAT(failureOf(machine, "vm_initialization", 1, 0), StartsWith("InternalError: vm_initialization"));
  EXPECT_THAT(failureOf(machine, "vm_initialization", 1, 0, 7), HasSubstr("allocator type 7"));
  EXPECT_THAT(failureOf(machine, "vm_initialization", 2, 0, 2), HasSubstr("device type 2"));
  EXPECT_THAT(failureOf(machine, "vm_initialization", "cpu", 0, 2), StartsWith("TypeError"));
  EXPECT_THAT(failureOf(machine, "vm_initialization"), HasSubstr("at least one device"));
  EXPECT_THAT(failureOf(machine, "main", vector16()), StartsWith("RuntimeError: the machine has no devices"));
  EXPECT_THAT(failureOf(machine, "set_input", "main", vector16()), StartsWith("RuntimeError"));
}

TEST(MachineModule, MissingFunctionsAreListed) {
  const auto machine =
      callModule(executableModule("tvm027/dpspacked"), "vm_load_executable").cast<ffi::Module>();
  EXPECT_THAT(failureOf(machine, "vm_initialization", 1, 0, 2),
              AllOf(StartsWith("InternalError"), HasSubstr("proto.dps_add")));
}

TEST(MachineModule, LooksForFunctionsInImportsBeforeTheRegistry) {
  ffi::Function::SetGlobal("add", ffi::Function::FromPacked([](ffi::PackedArgs, ffi::Any*) {
                             throw ffi::Error("RuntimeError", "the registry's add", "");
                           }));
  const auto machine = machineModule("tvm027/chain");
  EXPECT_EQ(failureOf(machine, "main", vector16()), "");
  ffi::Function::RemoveGlobal("add");
}

TEST(MachineModule, CanBeInitialisedAgain) {
  const auto machine = machineModule("tvm027/chain");
  callModule(machine, "save_function", "main", "bound", true, vector16());
  callModule(machine, "vm_initialization", 1, 0, 1);
  EXPECT_EQ(failureOf(machine, "main", vector16()), "");
  EXPECT_FALSE(machine->GetFunction("bound").has_value()) << "it belonged to the machine before";
}

// ---- functions by name ----

TEST(MachineModule, GivesFunctionsOfTheExecutable) {
  const auto machine = machineModule("tvm027/tuples");
  const auto result =
      callModule(machine, "main", matrix(0), tupleOf(matrix(100), matrix(200))).cast<ffi::Array<ffi::Any>>();
  ASSERT_EQ(result.size(), 3U);
  EXPECT_EQ(floatsOf(result[0])[1], 302.0F);
  EXPECT_EQ(floatsOf(result[1].cast<ffi::Array<ffi::Any>>()[1])[0], 3.0F) << "right half of the first row";
  EXPECT_FALSE(machine->GetFunction("nosuch").has_value());
  EXPECT_THROW(machine->GetFunction("split"), ffi::Error) << "it is not the executable's own";
  EXPECT_THAT(failureOf(machine, "main", matrix(0)), StartsWith("InternalError: main takes 2 arguments"));
}

TEST(MachineModule, FunctionsKeepTheMachineAndTheLibraryAlive) {
  ffi::Function main = machineModule("tvm027/chain")->GetFunction("main").value();
  const auto result = main(vector16()).cast<ffi::Tensor>();
  main = ffi::Function(nullptr);
  EXPECT_EQ(floatsOf(result).size(), 16U) << "results outlive machine and library";
}

TEST(MachineModule, FunctionsCanBeTakenBeforeInitialisation) {
  const auto machine = callModule(executableModule("tvm027/chain"), "vm_load_executable").cast<ffi::Module>();
  const ffi::Function main = machine->GetFunction("main").value();
  callModule(machine, "vm_initialization", 1, 0, 2);
  EXPECT_EQ(floatsOf(main(vector16())).size(), 16U);
}

TEST(MachineModule, CompiledModeRunsToo) {
  const auto machine = machineModule("tvm027/ifelse_compiled");
  const auto expected = machineModule("tvm027/ifelse");
  const std::vector<ffi::Any> arguments = scenarioArguments("tvm027/ifelse");
  EXPECT_EQ(floatsOf(callModule(machine, "main", arguments[0], arguments[1])),
            floatsOf(callModule(expected, "main", arguments[0], arguments[1])));
}

TEST(MachineModule, TakesBareTensorsOfForeignMemory) {
  const auto machine = machineModule("tvm027/chain");
  const ffi::Tensor good = vector16();
  std::vector<char> memory(64 + 4 + 16 * sizeof(float));
  char* odd = memory.data() + (64 - reinterpret_cast<std::uintptr_t>(memory.data()) % 64) % 64 + 4;
  std::memcpy(odd, good.data_ptr(), 16 * sizeof(float));
  DLTensor bare = *good.GetDLTensorPtr();
  bare.data = odd;
  EXPECT_EQ(floatsOf(callModule(machine, "main", &bare)), floatsOf(callModule(machine, "main", good)));
  callModule(machine, "set_input", "main", &bare);
  std::memset(memory.data(), 0, memory.size());
  callModule(machine, "invoke_stateful", "main");
  EXPECT_EQ(floatsOf(callModule(machine, "get_output", "main")), floatsOf(callModule(machine, "main", good)))
      << "set_input copies what it cannot share";
}

// ---- closures ----

TEST(MachineModule, InvokesClosuresAndFunctions) {
  const auto machine = machineModule("tvm027/closure");
  const std::vector<ffi::Any> arguments = scenarioArguments("tvm027/closure");
  const ffi::Any closure = callModule(machine, "main_outer", arguments[0]);
  const ffi::Any expected = callModule(machine, "main", arguments[0], arguments[1]);
  EXPECT_EQ(floatsOf(callModule(machine, "invoke_closure", closure, arguments[1])), floatsOf(expected));
  EXPECT_THAT(failureOf(machine, "invoke_closure", closure), StartsWith("InternalError: main_inner takes 2"));
  const auto twice = ffi::Function::FromTyped([](std::int64_t value) { return 2 * value; });
  EXPECT_EQ(callModule(machine, "invoke_closure", twice, 21).cast<std::int64_t>(), 42);
  EXPECT_THAT(failureOf(machine, "invoke_closure", 5), StartsWith("TypeError"));
  EXPECT_THAT(failureOf(machine, "invoke_closure"), StartsWith("TypeError"));
  EXPECT_THAT(failureOf(machineModule("tvm027/closure"), "invoke_closure", closure, arguments[1]),
              StartsWith("TypeError: the closure belongs to another executable"));
}

TEST(MachineModule, SavesFunctionsWithTheirLastArguments) {
  const auto machine = machineModule("tvm027/tuples");
  callModule(machine, "save_function", "main", "half", true, tupleOf(matrix(100), matrix(200)));
  const auto half = callModule(machine, "half", matrix(0)).cast<ffi::Array<ffi::Any>>();
  EXPECT_EQ(floatsOf(half[0])[0], 300.0F);
  callModule(machine, "save_function", "half", "whole", 1, matrix(7));
  const auto whole = callModule(machine, "whole").cast<ffi::Array<ffi::Any>>();
  EXPECT_EQ(floatsOf(whole[2])[0], 7.0F);
  callModule(machine, "save_function", "whole", "quiet", false);
  EXPECT_EQ(callModule(machine, "quiet"), nullptr) << "without its result";
  callModule(machine, "save_function", "quiet", "still quiet", true);
  EXPECT_EQ(callModule(machine, "still quiet"), nullptr);
  callModule(machine, "save_function", "quiet", "main", true);
  EXPECT_EQ(callModule(machine, "main"), nullptr) << "a saved name goes before the executable's";
}

TEST(MachineModule, TellsWhatItCannotSave) {
  const auto machine = machineModule("tvm027/chain");
  EXPECT_THAT(failureOf(machine, "save_function", "nosuch", "x", true), StartsWith("ValueError"));
  EXPECT_THAT(failureOf(machine, "save_function", "main", "x"), StartsWith("InternalError"));
  EXPECT_THAT(failureOf(machine, "save_function", "main", "x", "yes"), StartsWith("TypeError"));
  EXPECT_THAT(failureOf(machine, "save_function", 1, "x", true), StartsWith("TypeError"));
  callModule(machine, "save_function", "main", "too many", true, vector16(), vector16());
  EXPECT_THAT(failureOf(machine, "too many"), StartsWith("InternalError: main takes 1 arguments, got 2"));
}

// ---- inputs and outputs ----

TEST(MachineModule, KeepsInputsAndOutputs) {
  const auto machine = machineModule("tvm027/tuples");
  callModule(machine, "set_input", "main", matrix(1), tupleOf(matrix(10), matrix(20)));
  callModule(machine, "invoke_stateful", "main");
  EXPECT_EQ(callModule(machine, "get_output_arity", "main").cast<int>(), 3);
  EXPECT_EQ(callModule(machine, "get_output_arity", "main", 1).cast<int>(), 2);
  EXPECT_EQ(callModule(machine, "get_output_arity", "main", 1, 0).cast<int>(), -1);
  EXPECT_EQ(floatsOf(callModule(machine, "get_output", "main", 0))[0], 30.0F);
  EXPECT_EQ(floatsOf(callModule(machine, "get_output", "main", 1, 1))[0], 4.0F);
  callModule(machine, "set_input", "main", matrix(5), tupleOf(matrix(10), matrix(20)));
  EXPECT_EQ(floatsOf(callModule(machine, "get_output", "main", 2))[0], 1.0F) << "until it runs again";
  callModule(machine, "invoke_stateful", "main");
  EXPECT_EQ(floatsOf(callModule(machine, "get_output", "main", 2))[0], 5.0F);
}

TEST(MachineModule, TellsWrongInputsAndOutputs) {
  const auto machine = machineModule("tvm027/tuples");
  EXPECT_THAT(failureOf(machine, "invoke_stateful", "nosuch"), StartsWith("ValueError"));
  EXPECT_THAT(failureOf(machine, "invoke_stateful", "main"),
              AllOf(StartsWith("ValueError"), HasSubstr("set_input")));
  EXPECT_THAT(failureOf(machine, "invoke_stateful"), StartsWith("TypeError"));
  EXPECT_THAT(failureOf(machine, "set_input", "nosuch", 1), StartsWith("ValueError"));
  EXPECT_THAT(failureOf(machine, "set_input", "main", matrix(0)),
              AllOf(StartsWith("InternalError"), HasSubstr("takes 2 inputs (x, t), 1 given")));
  EXPECT_THAT(failureOf(machine, "get_output", "main"),
              AllOf(StartsWith("ValueError"), HasSubstr("invoke_stateful")));
  EXPECT_THAT(failureOf(machine, "get_output_arity", "main"), StartsWith("ValueError"));
  callModule(machine, "set_input", "main", matrix(0), tupleOf(matrix(1), matrix(2)));
  callModule(machine, "invoke_stateful", "main");
  EXPECT_THAT(failureOf(machine, "get_output", "main"), AllOf(StartsWith("ValueError"), HasSubstr("tuple")));
  EXPECT_THAT(failureOf(machine, "get_output", "main", 1), StartsWith("ValueError"));
  EXPECT_THAT(failureOf(machine, "get_output", "main", 3), StartsWith("IndexError"));
  EXPECT_THAT(failureOf(machine, "get_output", "main", -1), StartsWith("IndexError"));
  EXPECT_THAT(failureOf(machine, "get_output", "main", 0, 0), StartsWith("ValueError"));
  EXPECT_THAT(failureOf(machine, "get_output", "main", "0"), StartsWith("TypeError"));
}

TEST(MachineModule, ScalarsAndShapesAreInputsAsTheyAre) {
  const auto machine = machineModule("tvm027/tirvars");
  std::vector<ffi::Any> arguments = scenarioArguments("tvm027/tirvars");
  ASSERT_EQ(callModule(machine, "get_function_arity", "main").cast<std::size_t>(), arguments.size());
  arguments.insert(arguments.begin(), ffi::String("main"));
  const std::vector<ffi::AnyView> views(arguments.begin(), arguments.end());
  ffi::Any ignored;
  machine->GetFunction("set_input")
      .value()
      .CallPacked(views.data(), static_cast<std::int32_t>(views.size()), &ignored);
  EXPECT_EQ(failureOf(machine, "invoke_stateful", "main"), "");
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wnon-virtual-dtor"  // as for every object of tvm-ffi
class ParametersObj final : public ffi::ModuleObj {
 public:
  explicit ParametersObj(ffi::Any parameters) : m_parameters(std::move(parameters)) {}
  const char* kind() const final { return "test.Parameters"; }
  ffi::Optional<ffi::Function> GetFunction(const ffi::String& name) final {
    if (name != "get_params" || m_parameters == nullptr) {
      return std::nullopt;
    }
    return ffi::Function::FromTyped([parameters = m_parameters] { return parameters; });
  }

 private:
  ffi::Any m_parameters;
};
#pragma GCC diagnostic pop

TEST(MachineModule, TakesParametersFromAModule) {
  const auto machine = machineModule("tvm027/tuples");
  const ffi::Module parameters(ffi::make_object<ParametersObj>(tupleOf(matrix(10), matrix(20))));
  callModule(machine, "set_input_with_param_module", "main", matrix(0), parameters);
  callModule(machine, "invoke_stateful", "main");
  EXPECT_EQ(floatsOf(callModule(machine, "get_output", "main", 0))[0], 30.0F);
  EXPECT_THAT(failureOf(machine, "set_input_with_param_module", "main", matrix(0), matrix(0)),
              StartsWith("TypeError"));
  const ffi::Module empty(ffi::make_object<ParametersObj>(nullptr));
  EXPECT_THAT(failureOf(machine, "set_input_with_param_module", "main", matrix(0), empty),
              HasSubstr("get_params"));
  EXPECT_THAT(failureOf(machine, "set_input_with_param_module", "main", parameters),
              StartsWith("InternalError"));
}

TEST(MachineModule, NamesParameters) {
  const auto machine = machineModule("tvm027/tuples");
  EXPECT_EQ(callModule(machine, "get_function_arity", "main").cast<int>(), 2);
  EXPECT_EQ(callModule(machine, "get_function_param_name", "main", 1).cast<std::string>(), "t");
  EXPECT_THAT(failureOf(machine, "get_function_param_name", "main", 2), StartsWith("ValueError"));
  EXPECT_THAT(failureOf(machine, "get_function_param_name", "main", -1), StartsWith("ValueError"));
  EXPECT_THAT(failureOf(machine, "get_function_param_name", "main"), StartsWith("TypeError"));
  EXPECT_THAT(failureOf(machine, "get_function_param_name", "nosuch", 0), StartsWith("ValueError"));
  EXPECT_THAT(failureOf(machine, "get_function_arity", "nosuch"), StartsWith("ValueError"));
  EXPECT_EQ(callModule(machine, "get_function_arity", "add").cast<int>(), 0) << "no names are known";
}

// ---- the executable's module ----

TEST(ExecutableModule, TellsItsText) {
  const ffi::Module executable = executableModule("tvm027/tuples");
  EXPECT_EQ(callModule(executable, "as_text").cast<std::string>(),
            fileBytes(fixturePath("tvm027/tuples").substr(0, fixturePath("tvm027/tuples").size() - 3) +
                      ".listing.txt"));
  const auto stats = callModule(executable, "stats").cast<std::string>();
  EXPECT_THAT(stats, AllOf(HasSubstr("Constant pool (# "), HasSubstr("float32, \"ErrorContext("),
                           HasSubstr("shapetuple["), HasSubstr("Globals (#"), HasSubstr("split, ")));
  const auto script = callModule(executable, "as_python").cast<std::string>();
  EXPECT_THAT(script, AllOf(StartsWith("ib = rx.Builder()\nwith ib.function(\"main\", num_inputs=2):\n"),
                            HasSubstr("    ib.emit_call(\"split\", args=[ib.r(0), ib.r(7), ib.r(9)])\n"),
                            HasSubstr("ib.r(vm)"), HasSubstr("ib.r(0)], dst=ib.r(14))\n"),
                            HasSubstr("\n    ib.emit_ret(ib.r(14))\n")));
}

TEST(ExecutableModule, KnowsItsFunctions) {
  const ffi::Module executable = executableModule("tvm027/tuples");
  EXPECT_TRUE(callModule(executable, "has_function", "main").cast<bool>());
  EXPECT_TRUE(callModule(executable, "has_function", "split").cast<bool>());
  EXPECT_FALSE(callModule(executable, "has_function", "nosuch").cast<bool>());
  EXPECT_FALSE(executable->GetFunction("nosuch").has_value());
}

TEST(ExecutableModule, LoadsLibrariesByThePathOfAFile) {
  const auto load = ffi::Function::GetGlobal(kLoadLibraryFunction);
  ASSERT_TRUE(load.has_value());
  const auto executable = (*load)(fixturePath("tvm027/chain")).cast<ffi::Module>();
  EXPECT_TRUE(callModule(executable, "has_function", "main").cast<bool>());
  EXPECT_THROW((*load)("/nonexistent/model.so"), ffi::Error);
}

TEST(ExecutableModule, DecodesWhatTheFfiLoaderGivesIt) {
  const auto load = ffi::Function::GetGlobal("ffi.Module.load_from_bytes.relax.VMExecutable");
  ASSERT_TRUE(load.has_value());
  const auto good = (*load)(ffi::Bytes(executableBytes("tvm027/chain"))).cast<ffi::Module>();
  EXPECT_TRUE(callModule(good, "has_function", "main").cast<bool>());
  const auto bad = (*load)(ffi::Bytes("not an executable")).cast<ffi::Module>();
  EXPECT_THAT(failureOf(bad, "stats"), StartsWith("InternalError"));
  EXPECT_THAT(failureOf(bad, "vm_load_executable"), testing::Not(""));
}

TEST(ExecutableModule, SaysThatThereIsNoProfiler) {
  ASSERT_FALSE(ffi::Function::GetGlobal(kProfilerFactory).has_value());
  EXPECT_THAT(failureOf(executableModule("tvm027/chain"), "vm_profiler_load_executable"),
              AllOf(StartsWith("InternalError"), HasSubstr("profiler")));
}

}  // namespace

}  // namespace opscope::vm::test
