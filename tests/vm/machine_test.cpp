// SPDX-License-Identifier: Apache-2.0
// The machine as its users see it: inputs, errors, stopping, observing. No plugin is loaded here.
#include "engine/vm/virtual_machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/shape.h>

#include <cstring>

#include "engine/runtime/storage.h"
#include "tests/vm/case_runner.h"
#include "tests/vm/fixture_files.h"

namespace opscope::vm::test {

namespace ffi = tvm::ffi;
using testing::AllOf;
using testing::HasSubstr;

namespace {

OpenMachine mustOpen(const std::string& name) {
  auto open = openFixture(name);
  if (!open) {
    throw std::runtime_error(open.error().message);
  }
  return *std::move(open);
}

base::Error errorOf(base::Result<ffi::Any> result) {
  if (result) {
    ADD_FAILURE() << "the run succeeded";
    return {};
  }
  return std::move(result).error();
}

// ---- inputs ----

TEST(Machine, CountsInputsAndNamesThem) {
  auto machine = mustOpen("tvm027/ifelse");
  const base::Error error = errorOf(machine->invoke("main", {}));
  EXPECT_EQ(error.code, base::ErrorCode::InvalidArgument);
  EXPECT_THAT(error.message, AllOf(HasSubstr("takes 2 inputs (c, x)"), HasSubstr("0 given")));
}

TEST(Machine, NamesItsFunctionsWhenAskedForAnother) {
  auto machine = mustOpen("tvm027/recursion");
  const base::Error error = errorOf(machine->invoke("forward", {}));
  EXPECT_EQ(error.code, base::ErrorCode::InvalidArgument);
  EXPECT_THAT(error.message, HasSubstr("forward"));
  EXPECT_THAT(error.detail, AllOf(HasSubstr("main"), HasSubstr("sumto")));
  EXPECT_EQ(errorOf(machine->invoke("vm.builtin.copy", {})).code, base::ErrorCode::InvalidArgument);
}

TEST(Machine, WrongTypesRanksAndShapesAreToldWithTheParameter) {
  auto machine = mustOpen("tvm027/closure");
  const ffi::Any good = floatTensor({2, 3}, std::vector<float>(6, 1.0F));
  struct Case {
    ffi::Any value;
    std::vector<std::string> words;
  };
  const std::vector<Case> cases = {
      {intTensor({2, 3}, std::vector<std::int32_t>(6, 1)),
       {"param=y", "expected a tensor of float32", "int32 [2, 3]"}},
      {floatTensor({6}, std::vector<float>(6, 1.0F)), {"param=y", "a tensor of 2 dimensions", "float32 [6]"}},
      {floatTensor({3, 2}, std::vector<float>(6, 1.0F)),
       {"param=y", "expected 2 in dimension 0, got 3", "[3, 2]"}},
      {ffi::Any(5), {"param=y", "expected a tensor, got int 5"}},
      {ffi::Any(nullptr), {"param=y", "expected a tensor, got none"}},
      {ffi::Any(ffi::Shape({2, 3})), {"param=y", "got shape [2, 3]"}},
  };
  for (const Case& wrong : cases) {
    const base::Error error = errorOf(machine->invoke("main", std::vector<ffi::Any>{good, wrong.value}));
    EXPECT_EQ(error.code, base::ErrorCode::KernelFailed);
    EXPECT_THAT(error.message, AllOf(HasSubstr("main, instruction "), HasSubstr("vm.builtin.")));
    for (const std::string& word : wrong.words) {
      EXPECT_THAT(error.message, HasSubstr(word));
    }
  }
  EXPECT_TRUE(machine->invoke("main", std::vector<ffi::Any>{good, good})) << "usable after errors";
  EXPECT_EQ(machine->allocatorCounters().liveBytes, 0);
}

/// A view of `tensor`'s values in memory that starts `bytes` bytes off and has `step` elements between
/// neighbours.
struct OddMemory {
  std::shared_ptr<std::vector<char>> memory;
  void AllocData(DLTensor*) {}
  void FreeData(DLTensor*) {}
};

ffi::Tensor oddlyPlaced(const std::vector<float>& values, std::size_t bytesOff, std::int64_t step,
                        std::uint64_t byteOffset) {
  auto memory = std::make_shared<std::vector<char>>(
      64 + bytesOff + byteOffset + values.size() * static_cast<std::size_t>(step) * sizeof(float));
  auto base = reinterpret_cast<std::uintptr_t>(memory->data());
  char* first = memory->data() + ((64 - base % 64) % 64) + bytesOff;
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::memcpy(first + byteOffset + i * static_cast<std::size_t>(step) * sizeof(float), &values[i],
                sizeof(float));
  }
  const auto size = static_cast<std::int64_t>(values.size());
  ffi::Tensor tensor =
      ffi::Tensor::FromNDAllocStrided(OddMemory{memory}, ffi::ShapeView(&size, 1), ffi::ShapeView(&step, 1),
                                      DLDataType{kDLFloat, 32, 1}, DLDevice{kDLCPU, 0});
  auto* raw = const_cast<DLTensor*>(tensor.GetDLTensorPtr());
  raw->data = first;
  raw->byte_offset = byteOffset;
  return tensor;
}

TEST(Machine, CopiesInputsThatKernelsCouldNotRead) {
  auto machine = mustOpen("tvm027/chain");
  const std::vector<float> values = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
  auto expected = machine->invoke("main", std::vector<ffi::Any>{floatTensor({16}, values)});
  ASSERT_TRUE(expected) << expected.error().message;
  for (const auto& odd : {oddlyPlaced(values, 4, 1, 0), oddlyPlaced(values, 0, 3, 0),
                          oddlyPlaced(values, 0, 1, 4), oddlyPlaced(values, 4, 2, 64)}) {
    auto result = machine->invoke("main", std::vector<ffi::Any>{odd});
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_EQ(floatsOf(*result), floatsOf(*expected));
  }
}

TEST(Machine, RefusesTensorsOfOtherDevices) {
  auto machine = mustOpen("tvm027/chain");
  ffi::Tensor tensor = floatTensor({16}, std::vector<float>(16, 1.0F));
  const_cast<DLTensor*>(tensor.GetDLTensorPtr())->device = DLDevice{kDLCUDA, 0};
  const base::Error error = errorOf(machine->invoke("main", std::vector<ffi::Any>{tensor}));
  EXPECT_EQ(error.code, base::ErrorCode::Unsupported);
  EXPECT_THAT(error.message, HasSubstr("input x"));
}

TEST(Machine, RefusesDevicesItDoesNotHave) {
  VirtualMachine::Options options;
  options.devices = {DLDevice{kDLCUDA, 0}, DLDevice{kDLCPU, 0}};
  auto open = openFixture("tvm027/chain", options);
  ASSERT_FALSE(open);
  EXPECT_EQ(open.error().code, base::ErrorCode::Unsupported);
  options.devices.clear();
  EXPECT_FALSE(openFixture("tvm027/chain", options));
}

// ---- functions that are not there ----

TEST(Machine, ListsEveryMissingFunctionWithItsCaller) {
  auto open = openFixture("tvm027/dpspacked");
  ASSERT_FALSE(open);
  EXPECT_EQ(open.error().code, base::ErrorCode::MissingFunction);
  EXPECT_THAT(open.error().message,
              AllOf(HasSubstr("dpspacked.so"), HasSubstr("proto.dps_add (called by main)"),
                    HasSubstr("proto.add_ret (called by main)")));
  EXPECT_THAT(open.error().hint, HasSubstr("--plugin"));
}

TEST(Machine, NamesTheKernelThatAsksForAMissingFunction) {
  auto machine = mustOpen("tvm027/kernelcall");
  const base::Error error = errorOf(machine->invoke("main", scenarioArguments("tvm027/kernelcall")));
  EXPECT_EQ(error.code, base::ErrorCode::MissingFunction);
  EXPECT_THAT(error.message, AllOf(HasSubstr("main, instruction 7, k"), HasSubstr("proto.dps_add")));
  EXPECT_EQ(machine->allocatorCounters().liveBytes, 0);
}

TEST(Machine, OpensExecutablesThatItCannotRunWhole) {
  EXPECT_TRUE(openFixture("tvm027/misc"));
  auto machine = mustOpen("tvm027/vdev");
  const base::Error error = errorOf(
      machine->invoke("main", std::vector<ffi::Any>{floatTensor({2, 3}, std::vector<float>(6, 1.0F))}));
  EXPECT_EQ(error.code, base::ErrorCode::KernelFailed);
  EXPECT_THAT(error.message, HasSubstr("device 1"));
  auto missing = openFixture("tvm027/randomfn");
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().message, HasSubstr("tvm.contrib.random.uniform_x (called by main)"));
}

TEST(Machine, OpensExecutablesWithCudaModulesAndFailsInWords) {
  auto machine = mustOpen("cuda/reqblock");
  const base::Error error = errorOf(
      machine->invoke("forward", std::vector<ffi::Any>{floatTensor({1024}, std::vector<float>(1024, 1.0F))}));
  EXPECT_EQ(error.code, base::ErrorCode::KernelFailed);
  EXPECT_THAT(error.message, HasSubstr("forward, instruction 5, k"));
  EXPECT_THAT(error.detail,
              AllOf(HasSubstr("expected cuda"), HasSubstr("modules that this build cannot run: cuda")));
  EXPECT_FALSE(ffi::Function::GetGlobal("ffi.Module.load_from_bytes.cuda").has_value())
      << "the stand-in is gone, so a plugin can bring the real loader";
}

TEST(Machine, RunsASecondDeviceOnTheHost) {
  VirtualMachine::Options options;
  options.devices = {DLDevice{kDLCPU, 0}, DLDevice{kDLCPU, 0}};
  auto open = openFixture("tvm027/vdev", options);
  ASSERT_TRUE(open) << open.error().message;
  auto result =
      (*open)->invoke("main", std::vector<ffi::Any>{floatTensor({2, 3}, std::vector<float>(6, 1.0F))});
  EXPECT_TRUE(result) << result.error().message;
}

// misc has no recorded values, so its parts are checked by what the source says: reshape, full, shapes.
TEST(Machine, ComputesSymbolicShapes) {
  auto machine = mustOpen("tvm027/misc");
  const std::vector<ffi::Any> arguments = {floatTensor({3, 4}, std::vector<float>(12, 1.5F)), ffi::Any(7),
                                           ffi::Shape({5})};
  auto result = machine->invoke("main", arguments);
  ASSERT_TRUE(result) << result.error().message;
  const auto tuple = result->cast<ffi::Array<ffi::Any>>();
  ASSERT_EQ(tuple.size(), 4U);
  EXPECT_EQ(floatsOf(tuple[0]), std::vector<float>(12, 1.5F));
  EXPECT_EQ(floatsOf(tuple[1]), std::vector<float>(15, 2.5F));
  EXPECT_EQ(tuple[2].cast<ffi::Shape>()[2], 16);
  EXPECT_EQ(tuple[3].cast<ffi::Shape>()[1], 4);
  auto wrong = machine->invoke("main", std::vector<ffi::Any>{arguments[0], ffi::Any(1.5), arguments[2]});
  EXPECT_THAT(errorOf(std::move(wrong)).message, AllOf(HasSubstr("param=p"), HasSubstr("a scalar of int64")));
}

// ---- stopping, global functions ----

TEST(Machine, StopHoldsUntilItIsForgotten) {
  for (const char* name : {"tvm027/chain", "tvm027/chain_compiled"}) {
    auto machine = mustOpen(name);
    machine->requestStop();
    EXPECT_EQ(errorOf(machine->invoke("main", scenarioArguments(name))).code, base::ErrorCode::Cancelled);
    machine->clearStop();
    EXPECT_EQ(runAndCompare(*machine.machine, name), "");
  }
}

/// Requests a stop when call number `at` begins.
class Stopper : public CallObserver {
 public:
  Stopper(VirtualMachine& machine, int at) : m_machine(machine), m_left(at) {}
  void beginCall(const CallSite&, const TVMFFIAny*, std::int32_t) override {
    if (--m_left == 0) {
      m_machine.requestStop();
    }
  }
  void endCall(const CallSite&, const TVMFFIAny&) override { ++ended; }
  int ended = 0;

 private:
  VirtualMachine& m_machine;
  int m_left;
};

TEST(Machine, StopsAtTheNextInstruction) {
  auto machine = mustOpen("tvm027/chain");
  Stopper stopper(*machine.machine, 100);
  machine->setObserver(&stopper);
  EXPECT_EQ(errorOf(machine->invoke("main", scenarioArguments("tvm027/chain"))).code,
            base::ErrorCode::Cancelled);
  EXPECT_EQ(stopper.ended, 100);
  EXPECT_EQ(machine->allocatorCounters().liveBytes, 0);
}

TEST(Machine, CallsGlobalFunctions) {
  auto machine = mustOpen("tvm027/chain");
  auto tuple =
      machine->invokeGlobal("vm.builtin.make_tuple", std::vector<ffi::Any>{ffi::Any(1), ffi::Any(2)});
  ASSERT_TRUE(tuple);
  auto item = machine->invokeGlobal("vm.builtin.tuple_getitem", std::vector<ffi::Any>{*tuple, ffi::Any(1)});
  ASSERT_TRUE(item);
  EXPECT_EQ(item->cast<int>(), 2);
  EXPECT_EQ(errorOf(machine->invokeGlobal("nobody.has_this", {})).code, base::ErrorCode::MissingFunction);
  const base::Error error = errorOf(machine->invokeGlobal("vm.builtin.reshape", {}));
  EXPECT_EQ(error.code, base::ErrorCode::KernelFailed);
  EXPECT_THAT(error.message, HasSubstr("takes 2 arguments, got 0"));
}

// ---- libraries of TVM 0.21 ----

TEST(Tvm021, CompiledModeIsRefusedBeforeAnythingRuns) {
  const auto open = openFixture("tvm021/rich21_compiled");
  ASSERT_FALSE(open);
  EXPECT_EQ(open.error().code, base::ErrorCode::Unsupported);
  EXPECT_THAT(open.error().message, HasSubstr("compiled mode"));
  EXPECT_THAT(open.error().hint, HasSubstr("bytecode"));
}

TEST(Tvm021, ErrorsOfKernelsAreTold) {
  auto open = mustOpen("tvm021/rich21_bytecode");
  std::vector<ffi::Any> arguments = scenarioArguments("tvm021/rich21_bytecode");
  std::swap(arguments[0], arguments[1]);
  EXPECT_EQ(errorOf(open->invoke("main", arguments)).code, base::ErrorCode::KernelFailed);
}

}  // namespace

}  // namespace opscope::vm::test
