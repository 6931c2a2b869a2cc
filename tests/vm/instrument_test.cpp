// SPDX-License-Identifier: Apache-2.0
// The instrument: a function that is called before and after each call of the bytecode.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/vm/closure.h"
#include "tests/vm/case_runner.h"
#include "tests/vm/module_calls.h"

namespace opscope::vm::test {

namespace ffi = tvm::ffi;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

namespace {

struct Told {
  std::string name;
  bool before = false;
  int resultType = kTVMFFINone;
  std::vector<int> argumentTypes;
  int functionType = kTVMFFINone;
};

/// Notes what it is told and does what `action` says.
struct Hook {
  std::vector<Told> told;
  std::function<ffi::Any(const Told&, ffi::PackedArgs)> action;

  ffi::Function function() {
    return ffi::Function::FromPacked([this](ffi::PackedArgs arguments, ffi::Any* result) {
      Told call;
      call.functionType = arguments[0].type_index();
      call.name = arguments[1].cast<std::string>();
      call.before = arguments[2].cast<bool>();
      call.resultType = arguments[3].type_index();
      for (std::int32_t i = 4; i < arguments.size(); ++i) {
        call.argumentTypes.push_back(arguments[i].type_index());
      }
      told.push_back(call);
      if (action) {
        *result = action(call, arguments);
      }
    });
  }
  std::vector<std::string> names(bool before) const {
    std::vector<std::string> list;
    for (const Told& call : told) {
      if (call.before == before) {
        list.push_back(call.name);
      }
    }
    return list;
  }
};

TEST(Instrument, IsCalledBeforeAndAfterEachCall) {
  const auto machine = machineModule("tvm027/ifelse");
  const std::vector<ffi::Any> arguments = scenarioArguments("tvm027/ifelse");
  const ffi::Any expected = callModule(machine, "main", arguments[0], arguments[1]);
  Hook hook;
  callModule(machine, "set_instrument", hook.function());
  const ffi::Any result = callModule(machine, "main", arguments[0], arguments[1]);
  EXPECT_EQ(floatsOf(result), floatsOf(expected));
  ASSERT_EQ(hook.told.size(), 28U) << "14 calls";
  EXPECT_EQ(hook.names(true), hook.names(false));
  EXPECT_EQ(hook.names(true)[0], "vm.builtin.check_tensor_info");
  const Told& check = hook.told[0];
  EXPECT_EQ(check.functionType, kTVMFFIFunction);
  EXPECT_EQ(check.argumentTypes[0], kTVMFFITensor);
  EXPECT_NE(check.argumentTypes[2], kTVMFFIDataType) << "types come as text";
  const Told& before = hook.told[8];
  const Told& after = hook.told[9];
  EXPECT_EQ(before.name, "vm.builtin.alloc_storage");
  EXPECT_EQ(before.argumentTypes[0], kTVMFFIOpaquePtr) << "the machine";
  EXPECT_EQ(before.resultType, kTVMFFINone);
  EXPECT_GE(after.resultType, kTVMFFIStaticObjectBegin);
  callModule(machine, "set_instrument", nullptr);
  callModule(machine, "main", arguments[0], arguments[1]);
  EXPECT_EQ(hook.told.size(), 28U) << "removed";
}

TEST(Instrument, SeesCallsOfTheExecutablesFunctionsAsClosures) {
  const auto machine = machineModule("tvm027/closure");
  const std::vector<ffi::Any> arguments = scenarioArguments("tvm027/closure");
  Hook hook;
  callModule(machine, "set_instrument", hook.function());
  callModule(machine, "main", arguments[0], arguments[1]);
  const std::vector<std::string> names = hook.names(true);
  const auto outer = std::find(names.begin(), names.end(), "main_outer");
  ASSERT_NE(outer, names.end());
  EXPECT_EQ(*(outer + 1), "vm.builtin.check_tensor_info") << "the calls inside come between";
  for (const Told& call : hook.told) {
    if (call.name == "main_outer") {
      EXPECT_EQ(call.functionType, ClosureObj::RuntimeTypeIndex());
      EXPECT_EQ(call.resultType, call.before ? kTVMFFINone : ClosureObj::RuntimeTypeIndex());
    }
  }
  EXPECT_EQ(hook.told.back().name, "vm.builtin.match_shape");
}

TEST(Instrument, SkipsCallsThatItDoesNotWant) {
  const auto machine = machineModule("tvm027/recursion");
  const std::vector<ffi::Any> arguments = scenarioArguments("tvm027/recursion");
  Hook hook;
  hook.action = [](const Told& call, ffi::PackedArgs) {
    return ffi::Any(call.before && call.name == "sumto" ? 1 : 0);
  };
  callModule(machine, "set_instrument", hook.function());
  EXPECT_EQ(callModule(machine, "main", arguments[0]), nullptr) << "the result of a skipped call is none";
  EXPECT_EQ(hook.names(true), (std::vector<std::string>{"vm.builtin.check_tensor_info", "sumto"}));
  EXPECT_EQ(hook.names(false), (std::vector<std::string>{"vm.builtin.check_tensor_info"}));
}

TEST(Instrument, OnlyOneBeforeACallSkips) {
  const auto machine = machineModule("tvm027/chain");
  const ffi::Any input = floatTensor({16}, std::vector<float>(16, 1.0F));
  const std::vector<float> expected = floatsOf(callModule(machine, "main", input));
  Hook hook;
  for (const ffi::Any& value : {ffi::Any(0), ffi::Any(2), ffi::Any(ffi::String("1")), ffi::Any(nullptr)}) {
    hook.action = [&](const Told&, ffi::PackedArgs) { return value; };
    callModule(machine, "set_instrument", hook.function());
    EXPECT_EQ(floatsOf(callModule(machine, "main", input)), expected);
  }
  hook.action = [&](const Told& call, ffi::PackedArgs) { return ffi::Any(!call.before); };
  callModule(machine, "set_instrument", hook.function());
  EXPECT_EQ(floatsOf(callModule(machine, "main", input)), expected) << "after a call it says nothing";
}

TEST(Instrument, ItsErrorsEndTheRun) {
  const auto machine = machineModule("tvm027/chain");
  const ffi::Any input = floatTensor({16}, std::vector<float>(16, 1.0F));
  for (const bool before : {true, false}) {
    Hook hook;
    hook.action = [before](const Told& call, ffi::PackedArgs) -> ffi::Any {
      if (call.name == "add" && call.before == before) {
        throw ffi::Error("PermissionError", "enough", "");
      }
      return nullptr;
    };
    callModule(machine, "set_instrument", hook.function());
    EXPECT_EQ(failureOf(machine, "main", input), "PermissionError: enough");
    EXPECT_EQ(hook.told.back().name, "add");
    callModule(machine, "set_instrument", nullptr);
    EXPECT_EQ(failureOf(machine, "main", input), "") << "usable after the error";
  }
}

TEST(Instrument, MayRunTheMachineAndRemoveItself) {
  const auto machine = machineModule("tvm027/chain");
  const ffi::Any input = floatTensor({16}, std::vector<float>(16, 1.0F));
  const std::vector<float> expected = floatsOf(callModule(machine, "main", input));
  std::vector<float> inner;
  Hook hook;
  hook.action = [&](const Told& call, ffi::PackedArgs) -> ffi::Any {
    if (call.name == "add") {
      callModule(machine, "set_instrument", nullptr);
      inner = floatsOf(callModule(machine, "main", input));
      EXPECT_THAT(failureOf(machine, "vm_initialization", 1, 0, 2), StartsWith("RuntimeError"));
    }
    return nullptr;
  };
  callModule(machine, "set_instrument", hook.function());
  EXPECT_EQ(floatsOf(callModule(machine, "main", input)), expected);
  EXPECT_EQ(inner, expected);
  EXPECT_EQ(hook.names(true).back(), "add") << "nothing is told after it is removed";
}

TEST(Instrument, CanBeMadeByARegisteredFactory) {
  const auto machine = machineModule("tvm027/chain");
  const ffi::Any input = floatTensor({16}, std::vector<float>(16, 1.0F));
  Hook hook;
  std::string given;
  ffi::Function::SetGlobal("test.make_hook", ffi::Function::FromTyped([&](const ffi::String& text) {
                             given = text;
                             return hook.function();
                           }));
  callModule(machine, "set_instrument", "test.make_hook", "an argument");
  callModule(machine, "main", input);
  EXPECT_EQ(given, "an argument");
  EXPECT_FALSE(hook.told.empty());
  ffi::Function::RemoveGlobal("test.make_hook");
  EXPECT_THAT(failureOf(machine, "set_instrument", "test.make_hook"),
              AllOf(StartsWith("InternalError"), HasSubstr("test.make_hook")));
  EXPECT_THAT(failureOf(machine, "set_instrument", 5), StartsWith("TypeError"));
  EXPECT_THAT(failureOf(machine, "set_instrument"), StartsWith("TypeError"));
}

TEST(Instrument, SeesNothingInsideCompiledFunctions) {
  const auto machine = machineModule("tvm027/ifelse_compiled");
  const std::vector<ffi::Any> arguments = scenarioArguments("tvm027/ifelse_compiled");
  Hook hook;
  callModule(machine, "set_instrument", hook.function());
  EXPECT_EQ(failureOf(machine, "main", arguments[0], arguments[1]), "");
  EXPECT_TRUE(hook.told.empty());
}

}  // namespace

}  // namespace opscope::vm::test
