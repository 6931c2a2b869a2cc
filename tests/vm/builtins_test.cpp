// SPDX-License-Identifier: Apache-2.0
// The builtins one by one, called as the registry and kernels call them.
#include "engine/vm/builtins.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/shape.h>
#include <tvm/ffi/string.h>

#include <random>

#include "engine/runtime/storage.h"
#include "engine/vm/closure.h"
#include "engine/vm/executable_module.h"
#include "engine/vm/interpreter.h"
#include "tests/vm/case_runner.h"

namespace opscope::vm::test {

namespace ffi = tvm::ffi;
using testing::HasSubstr;

namespace {

ffi::Any call(const std::string& name, const std::vector<ffi::Any>& arguments) {
  std::vector<ffi::AnyView> views(arguments.begin(), arguments.end());
  ffi::Any result;
  ffi::Function::GetGlobalRequired(name).CallPacked(
      ffi::PackedArgs(views.data(), static_cast<std::int32_t>(views.size())), &result);
  return result;
}

/// "KIND: MESSAGE" of the error that the call raises, "" when it succeeds.
std::string failure(const std::string& name, const std::vector<ffi::Any>& arguments) {
  try {
    call(name, arguments);
    return {};
  } catch (const ffi::Error& error) {
    return error.kind() + ": " + error.message();
  }
}

DLDataType float32() {
  return DLDataType{kDLFloat, 32, 1};
}
ffi::Any text(const char* value) {
  return ffi::String(value);
}
ffi::Tensor ones(std::vector<std::int64_t> shape) {
  std::int64_t count = 1;
  for (const std::int64_t dimension : shape) {
    count *= dimension;
  }
  return floatTensor(std::move(shape), std::vector<float>(static_cast<std::size_t>(count), 1.0F));
}

/// A machine without functions, for builtins that take one.
class BuiltinTest : public testing::Test {
 protected:
  BuiltinTest()
      : m_machine(std::make_shared<const ExecutableData>(), {DLDevice{kDLCPU, 0}},
                  {runtime::AllocatorKind::Pooled}, 100) {
    auto loaded = m_machine.load(ffi::Module(ffi::make_object<ExecutableModuleObj>(ffi::Bytes())), {}, {});
    EXPECT_TRUE(loaded);
  }
  ffi::Any machine() { return static_cast<void*>(static_cast<MachineContext*>(&m_machine)); }
  Interpreter m_machine;
};

TEST_F(BuiltinTest, ChecksTensors) {
  const std::string name = "vm.builtin.check_tensor_info";
  EXPECT_EQ(failure(name, {ones({2, 3}), ffi::Any(2), float32(), text("here")}), "");
  EXPECT_EQ(failure(name, {ones({2, 3}), ffi::Any(-1), text("here")}), "");
  EXPECT_EQ(failure(name, {ones({2, 3}), ffi::Any(-1), ffi::Any(nullptr), text("here")}), "");
  EXPECT_EQ(failure(name, {ones({2, 3}), ffi::Any(1), float32(), text("here")}),
            "ValueError: here: expected a tensor of 1 dimensions, got float32 [2, 3]");
  EXPECT_EQ(failure(name, {ones({2}), ffi::Any(1), DLDataType{kDLInt, 8, 1}, text("here")}),
            "ValueError: here: expected a tensor of int8, got float32 [2]");
  EXPECT_EQ(failure(name, {ffi::Any(1), ffi::Any(1), float32(), text("here")}),
            "TypeError: here: expected a tensor, got int 1");
}

TEST_F(BuiltinTest, ChecksShapesTuplesScalarsStringsFunctions) {
  EXPECT_EQ(failure("vm.builtin.check_shape_info", {ffi::Shape({1, 2}), ffi::Any(2), text("c")}), "");
  EXPECT_EQ(failure("vm.builtin.check_shape_info", {ffi::Shape({1, 2}), ffi::Any(3), text("c")}),
            "ValueError: c: expected a shape of 3 dimensions, got shape [1, 2]");
  EXPECT_EQ(failure("vm.builtin.check_shape_info", {ones({1}), ffi::Any(3), text("c")}),
            "TypeError: c: expected a shape, got float32 [1]");
  const ffi::Any tuple = ffi::Array<ffi::Any>{ffi::Any(1), ffi::Any(2)};
  EXPECT_EQ(failure("vm.builtin.check_tuple_info", {tuple, ffi::Any(2), text("c")}), "");
  EXPECT_EQ(failure("vm.builtin.check_tuple_info", {tuple, ffi::Any(3), text("c")}),
            "ValueError: c: expected a tuple of 3, got tuple of 2");
  EXPECT_EQ(failure("vm.builtin.check_prim_value_info", {ffi::Any(2), DLDataType{kDLInt, 64, 1}, text("c")}),
            "");
  EXPECT_EQ(failure("vm.builtin.check_prim_value_info", {ffi::Any(2), float32(), text("c")}), "");
  EXPECT_EQ(
      failure("vm.builtin.check_prim_value_info", {ffi::Any(2.5), DLDataType{kDLInt, 64, 1}, text("c")}),
      "TypeError: c: expected a scalar of int64, got float 2.5");
  EXPECT_EQ(failure("vm.builtin.check_prim_value_info", {ones({1}), DLDataType{kDLInt, 64, 1}, text("c")}),
            "TypeError: c: expected a scalar of int64, got float32 [1]");
  EXPECT_EQ(failure("vm.builtin.check_string_info", {text("a"), text("c")}), "");
  EXPECT_EQ(failure("vm.builtin.check_string_info", {ffi::Any(1), text("c")}),
            "TypeError: c: expected a string, got int 1");
  EXPECT_EQ(
      failure("vm.builtin.check_func_info", {ffi::Function::GetGlobalRequired("vm.builtin.copy"), text("c")}),
      "");
  EXPECT_EQ(failure("vm.builtin.check_func_info", {ffi::Any(nullptr), text("c")}),
            "TypeError: c: expected a function, got none");
}

TEST_F(BuiltinTest, MatchesAndMakesShapes) {
  const ffi::Any heap = call("vm.builtin.alloc_shape_heap", {machine(), ffi::Any(3)});
  const ffi::Any context = text("c");
  // dimension 0 goes to slot 1, dimension 1 must be 3, dimension 2 may be anything
  EXPECT_EQ(failure("vm.builtin.match_shape", {ones({2, 3, 5}), heap, ffi::Any(3), ffi::Any(1), ffi::Any(1),
                                               ffi::Any(0), ffi::Any(3), ffi::Any(2), ffi::Any(0), context}),
            "");
  EXPECT_EQ(failure("vm.builtin.match_shape",
                    {ffi::Shape({2}), heap, ffi::Any(1), ffi::Any(3), ffi::Any(1), context}),
            "");
  EXPECT_THAT(failure("vm.builtin.match_shape",
                      {ffi::Shape({4}), heap, ffi::Any(1), ffi::Any(3), ffi::Any(1), context}),
              HasSubstr("RuntimeError: c: expected 2 in dimension 0, got 4"));
  EXPECT_THAT(failure("vm.builtin.match_shape",
                      {ffi::Shape({4, 4}), heap, ffi::Any(1), ffi::Any(3), ffi::Any(1), context}),
              HasSubstr("expected 1 dimensions, got [4, 4]"));
  EXPECT_THAT(failure("vm.builtin.match_shape",
                      {ffi::Shape({4}), heap, ffi::Any(1), ffi::Any(1), ffi::Any(3), context}),
              HasSubstr("IndexError"));
  EXPECT_THAT(failure("vm.builtin.match_shape",
                      {ffi::Shape({4}), ffi::Any(nullptr), ffi::Any(1), ffi::Any(1), ffi::Any(0), context}),
              HasSubstr("IndexError"));
  EXPECT_THAT(failure("vm.builtin.match_shape",
                      {ffi::Shape({4}), heap, ffi::Any(1), ffi::Any(9), ffi::Any(0), context}),
              HasSubstr("unknown match code 9"));
  EXPECT_THAT(failure("vm.builtin.match_shape", {ffi::Shape({4}), heap, ffi::Any(INT64_MAX), context}),
              HasSubstr("ValueError"));
  const auto shape =
      call("vm.builtin.make_shape", {heap, ffi::Any(2), ffi::Any(0), ffi::Any(7), ffi::Any(1), ffi::Any(1)})
          .cast<ffi::Shape>();
  EXPECT_EQ(shape.size(), 2U);
  EXPECT_EQ(shape[0], 7);
  EXPECT_EQ(shape[1], 2);
  EXPECT_EQ(call("vm.builtin.make_prim_value", {heap, ffi::Any(1), ffi::Any(1)}).cast<int>(), 2);
  EXPECT_EQ(failure("vm.builtin.match_prim_value", {ffi::Any(9), heap, ffi::Any(1), ffi::Any(2), context}),
            "");
  EXPECT_EQ(failure("vm.builtin.match_prim_value", {ffi::Any(8), heap, ffi::Any(3), ffi::Any(2), context}),
            "RuntimeError: c: expected 9, got 8");
  EXPECT_EQ(failure("vm.builtin.match_prim_value",
                    {ffi::Any(8), ffi::Any(nullptr), ffi::Any(0), ffi::Any(8), context}),
            "");
}

TEST_F(BuiltinTest, AllocatesTensorsInStorages) {
  const DLDataType bytes{kDLUInt, 8, 1};
  const ffi::Any storage =
      call("vm.builtin.alloc_storage", {machine(), ffi::Shape({64}), ffi::Any(0), bytes, text("global")});
  const ffi::Any onHost =
      call("vm.builtin.alloc_storage", {machine(), ffi::Shape({64}), ffi::Any(-1), bytes, text("global")});
  EXPECT_TRUE(onHost != nullptr);
  const auto tensor = call("vm.builtin.alloc_tensor", {storage, ffi::Any(0), ffi::Shape({4, 4}), float32()})
                          .cast<ffi::Tensor>();
  EXPECT_EQ(tensor.numel(), 16);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(tensor.data_ptr()) % 64, 0U);
  EXPECT_THAT(failure("vm.builtin.alloc_tensor", {storage, ffi::Any(0), ffi::Shape({17}), float32()}),
              HasSubstr("ValueError"));
  EXPECT_THAT(failure("vm.builtin.alloc_tensor", {storage, ffi::Any(-4), ffi::Shape({1}), float32()}),
              HasSubstr("ValueError"));
  EXPECT_THAT(failure("vm.builtin.alloc_tensor", {ffi::Any(1), ffi::Any(0), ffi::Shape({1}), float32()}),
              HasSubstr("argument 0 should be a storage, got int 1"));
  EXPECT_THAT(
      failure("vm.builtin.alloc_storage", {machine(), ffi::Shape({64}), ffi::Any(1), bytes, text("global")}),
      HasSubstr("device 1"));
  EXPECT_THAT(
      failure("vm.builtin.alloc_storage", {machine(), ffi::Shape({64}), ffi::Any(0), bytes, text("texture")}),
      HasSubstr("texture"));
  EXPECT_THAT(failure("vm.builtin.alloc_storage",
                      {machine(), ffi::Shape({INT64_MAX, 4}), ffi::Any(0), bytes, text("")}),
              HasSubstr("ValueError"));
}

TEST_F(BuiltinTest, ReshapesWithoutCopying) {
  const ffi::Tensor tensor = ones({2, 6});
  const auto view = call("vm.builtin.reshape", {tensor, ffi::Shape({3, 4})}).cast<ffi::Tensor>();
  EXPECT_EQ(view.data_ptr(), tensor.data_ptr());
  EXPECT_EQ(view.size(0), 3);
  EXPECT_THAT(failure("vm.builtin.reshape", {tensor, ffi::Shape({5})}), HasSubstr("12 elements against 5"));
  EXPECT_THAT(failure("vm.builtin.reshape", {tensor, ffi::Shape({-3, -4})}), HasSubstr("ValueError"));
  const auto shape = call("vm.builtin.shape_of", {tensor}).cast<ffi::Shape>();
  EXPECT_EQ(shape[1], 6);
  const auto fromTensor = call("vm.builtin.tensor_to_shape", {intTensor({2}, {5, -1})}).cast<ffi::Shape>();
  EXPECT_EQ(fromTensor[0], 5);
  EXPECT_EQ(fromTensor[1], -1);
  EXPECT_THAT(failure("vm.builtin.tensor_to_shape", {ones({2})}), HasSubstr("TypeError"));
}

TEST_F(BuiltinTest, CopiesToTheHostOnly) {
  const ffi::Tensor tensor = ones({3});
  const auto copy = call("vm.builtin.to_device", {tensor, ffi::Any(1), ffi::Any(0)}).cast<ffi::Tensor>();
  EXPECT_NE(copy.data_ptr(), tensor.data_ptr());
  EXPECT_EQ(floatsOf(copy), floatsOf(tensor));
  EXPECT_THAT(failure("vm.builtin.to_device", {tensor, ffi::Any(2), ffi::Any(0)}),
              HasSubstr("device type 2"));
  const auto same = call("vm.builtin.ensure_zero_offset", {tensor}).cast<ffi::Tensor>();
  EXPECT_TRUE(same.same_as(tensor));
}

TEST_F(BuiltinTest, ReadsConditions) {
  auto condition = [](const ffi::Any& value) {
    return call("vm.builtin.read_if_cond", {value}).cast<bool>();
  };
  EXPECT_TRUE(condition(ffi::Any(true)));
  EXPECT_FALSE(condition(ffi::Any(0)));
  EXPECT_TRUE(condition(intTensor({}, {256})));
  EXPECT_FALSE(condition(intTensor({}, {0})));
  EXPECT_THAT(failure("vm.builtin.read_if_cond", {ones({})}), HasSubstr("TypeError"));
  EXPECT_THAT(failure("vm.builtin.read_if_cond", {intTensor({0}, {})}), HasSubstr("one element"));
}

TEST_F(BuiltinTest, HandlesTuples) {
  const ffi::Any tuple = call("vm.builtin.make_tuple", {ffi::Any(1), ones({1}), ffi::Any(nullptr)});
  EXPECT_EQ(call("vm.builtin.tuple_getitem", {tuple, ffi::Any(0)}).cast<int>(), 1);
  EXPECT_THAT(failure("vm.builtin.tuple_getitem", {tuple, ffi::Any(3)}), HasSubstr("IndexError"));
  EXPECT_THAT(failure("vm.builtin.tuple_getitem", {tuple, ffi::Any(-1)}), HasSubstr("IndexError"));
  call("vm.builtin.tuple_reset_item", {tuple, ffi::Any(1)});
  EXPECT_TRUE(call("vm.builtin.tuple_getitem", {tuple, ffi::Any(1)}) == nullptr);
}

TEST_F(BuiltinTest, CallsFunctions) {
  std::vector<std::int64_t> seen;
  const ffi::Function record =
      ffi::Function::FromPacked([&seen](ffi::PackedArgs arguments, ffi::Any* result) {
        for (int i = 0; i < arguments.size(); ++i) {
          seen.push_back(arguments[i].cast<std::int64_t>());
        }
        *result = arguments.size();
      });
  EXPECT_EQ(call("vm.builtin.call_tir_dyn", {record, ffi::Any(1), ffi::Shape({2, 3})}).cast<int>(), 3);
  EXPECT_THAT(seen, testing::ElementsAre(1, 2, 3));
  EXPECT_EQ(call("vm.builtin.invoke_closure", {machine(), record, ffi::Any(8)}).cast<int>(), 1);
  EXPECT_THAT(failure("vm.builtin.invoke_closure", {machine(), ffi::Any(8)}), HasSubstr("TypeError"));
  EXPECT_THAT(failure("vm.builtin.make_closure", {record}), HasSubstr("function of the executable"));
  EXPECT_THAT(
      failure("vm.builtin.invoke_debug_func", {ffi::Any(nullptr), text("nobody.has_this"), text("line 1")}),
      HasSubstr("nobody.has_this"));
}

TEST_F(BuiltinTest, CallsPythonFunctionsThatSomebodyRegistered) {
  const auto tuple = [](const ffi::Any& first, const ffi::Any& second) {
    return ffi::Any(ffi::Array<ffi::Any>{first, second});
  };
  const ffi::Any arguments = ffi::Array<ffi::Any>{ffi::Any(4), ffi::Any(5)};
  const ffi::Any toAdd = tuple(text("add_in_python"), arguments);
  EXPECT_THAT(failure("vm.builtin.call_py_func", {toAdd}),
              testing::AllOf(HasSubstr("InternalError"), HasSubstr("the Python function add_in_python")));
  const auto add = ffi::Function::FromTyped([](std::int64_t a, std::int64_t b) { return a + b; });
  call("vm.builtin.register_py_func", {text("add_in_python"), add});
  EXPECT_EQ(call("vm.builtin.call_py_func", {toAdd}).cast<int>(), 9);
  EXPECT_TRUE(call("vm.builtin.get_py_func", {text("add_in_python")}).cast<ffi::Function>().same_as(add));
  call("vm.builtin.clear_py_func_registry", {});
  EXPECT_THAT(failure("vm.builtin.get_py_func", {text("add_in_python")}), HasSubstr("add_in_python"));
  EXPECT_THAT(failure("vm.builtin.call_py_func", {text("add_in_python")}), HasSubstr("TypeError"));
  EXPECT_THAT(failure("vm.builtin.call_py_func", {arguments}), HasSubstr("TypeError"));
  EXPECT_THAT(failure("vm.builtin.register_py_func", {text("x"), ffi::Any(1)}), HasSubstr("a function"));
  EXPECT_THAT(failure("vm.builtin.register_py_func", {text("x"), ffi::Any()}), HasSubstr("a function"));
}

TEST_F(BuiltinTest, ClearsThePoolsOfAllMachines) {
  const ffi::Any bytes = ffi::Shape({4096});
  const ffi::Any type = DLDataType{kDLInt, 8, 1};
  ffi::Any storage = call("vm.builtin.alloc_storage", {machine(), bytes, ffi::Any(0), type, text("global")});
  const ffi::Any kept =
      call("vm.builtin.alloc_storage", {machine(), bytes, ffi::Any(0), type, text("global")});
  storage = nullptr;
  EXPECT_GE(m_machine.allocatorCounters().heldBytes, 4096);
  call("vm.builtin.memory_manager.clear", {});
  EXPECT_EQ(m_machine.allocatorCounters().heldBytes, 0);
  EXPECT_EQ(m_machine.allocatorCounters().liveBytes, 4096) << "what is in use stays";
}

TEST_F(BuiltinTest, PrintsTensors) {
  testing::internal::CaptureStdout();
  call("vm.builtin.debug_print", {text("model.py:7"), ones({2})});
  EXPECT_EQ(testing::internal::GetCapturedStdout(),
            "model.py:7: shape = (2,), dtype = float32, data =\n[1. 1.]\n");
  EXPECT_THAT(failure("vm.builtin.debug_print", {text("here"), ffi::Any(1)}), HasSubstr("TypeError"));
}

TEST_F(BuiltinTest, RefusesCudaGraphsInWords) {
  EXPECT_THAT(failure("vm.builtin.cuda_graph.run_or_capture", {}), HasSubstr("need a CUDA device"));
  EXPECT_THAT(failure("vm.builtin.cuda_graph.get_cached_alloc", {}), HasSubstr("get_cached_alloc"));
}

TEST(Builtins, RegisteringTwiceIsHarmless) {
  registerBuiltins();
  registerBuiltins();
  EXPECT_NE(findBuiltin("vm.builtin.copy"), nullptr);
  EXPECT_EQ(findBuiltin("vm.builtin.no_such"), nullptr);
}

/// Values of every kind, valid and absurd.
std::vector<ffi::Any> oddValues(const ffi::Any& machine) {
  runtime::StorageAllocator allocator(runtime::AllocatorKind::Naive);
  return {ffi::Any(nullptr),
          ffi::Any(true),
          ffi::Any(0),
          ffi::Any(1),
          ffi::Any(2),
          ffi::Any(-1),
          ffi::Any(1000),
          ffi::Any(INT64_MAX),
          ffi::Any(INT64_MIN),
          ffi::Any(0.5),
          text(""),
          text("global"),
          text("a longer string that does not fit into the value itself"),
          float32(),
          DLDataType{kDLInt, 4, 1},
          DLDataType{kDLOpaqueHandle, 0, 0},
          ffi::Shape(std::vector<std::int64_t>{}),
          ffi::Shape({1, 2}),
          ffi::Shape({INT64_MAX, INT64_MAX}),
          ffi::Shape({-1}),
          ffi::Shape({0, 5}),
          ones({}),
          ones({1, 2}),
          ones({0}),
          intTensor({3}, {1, 2, 3}),
          ffi::Array<ffi::Any>{},
          ffi::Array<ffi::Any>{ffi::Any(1), ones({2})},
          ffi::Function::GetGlobalRequired("vm.builtin.copy"),
          runtime::allocateStorage(allocator, 64, 64, DLDevice{kDLCPU, 0}),
          Closure(ffi::make_object<ClosureObj>()),
          DLDevice{kDLCPU, 0},
          machine};
}

constexpr const char* kFuzzed[] = {"check_tensor_info",
                                   "check_shape_info",
                                   "check_prim_value_info",
                                   "check_string_info",
                                   "check_tuple_info",
                                   "check_func_info",
                                   "read_if_cond",
                                   "alloc_shape_heap",
                                   "match_shape",
                                   "match_prim_value",
                                   "make_prim_value",
                                   "make_shape",
                                   "shape_of",
                                   "tensor_to_shape",
                                   "alloc_storage",
                                   "alloc_tensor",
                                   "null_value",
                                   "reshape",
                                   "copy",
                                   "to_device",
                                   "ensure_zero_offset",
                                   "make_tuple",
                                   "tuple_getitem",
                                   "tuple_reset_item",
                                   "make_closure",
                                   "invoke_closure",
                                   "call_tir_dyn",
                                   "invoke_debug_func",
                                   "call_py_func",
                                   "register_py_func",
                                   "get_py_func",
                                   "clear_py_func_registry",
                                   "debug_print"};

TEST_F(BuiltinTest, RandomArgumentsOnlyRaise) {
  std::mt19937_64 random(20);
  int raised = 0;
  int succeeded = 0;
  for (const char* shortName : kFuzzed) {
    const std::string name = std::string("vm.builtin.") + shortName;
    for (int i = 0; i < 3000; ++i) {
      const std::vector<ffi::Any> values = oddValues(machine());
      std::vector<ffi::Any> arguments(random() % 7);
      for (ffi::Any& argument : arguments) {
        argument = values[random() % values.size()];
      }
      // Half of the calls begin with what the builtin wants, to get past its first check.
      if (!arguments.empty() && i % 2 == 0 && std::string_view(shortName).starts_with("alloc_s")) {
        arguments[0] = machine();
      }
      ++(failure(name, arguments).empty() ? succeeded : raised);
    }
  }
  EXPECT_GT(raised, 10000);
  EXPECT_GT(succeeded, 1000);
}

}  // namespace

}  // namespace opscope::vm::test
