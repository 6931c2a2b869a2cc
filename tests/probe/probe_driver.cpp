// SPDX-License-Identifier: Apache-2.0
//   probe_driver PROBE.so LIBRARY_WITH_A_COMPILED_FUNCTION.so
//
// Loads the probe, plays a virtual machine to it and looks at its report. For architectures that the tests
// proper are not built for. Ends with 0 when all is as it should be.
#include <dlfcn.h>
#include <tvm/ffi/c_api.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

#include "engine/base/probe_layout.h"

namespace {

using namespace opscope::base;

void* library = nullptr;

void expect(bool holds, const char* what) {
  if (!holds) {
    std::printf("FAILED: %s\n", what);
    std::exit(1);
  }
}

TVMFFIAny call(const char* name, const TVMFFIAny* args, int count, int expected = 0) {
  char symbol[128];
  std::snprintf(symbol, sizeof symbol, "__tvm_ffi_opscope_probe_%s", name);
  const auto function = reinterpret_cast<TVMFFISafeCallType>(dlsym(library, symbol));
  expect(function != nullptr, symbol);
  TVMFFIAny result{};
  expect(function(nullptr, args, count, &result) == expected, name);
  return result;
}

TVMFFIAny intOf(std::int64_t value) {
  TVMFFIAny any{};
  any.type_index = kTVMFFIInt;
  any.v_int64 = value;
  return any;
}

struct Cell {
  TVMFFIObject header{};
  DLTensor tensor{};
};

/// One call of a kernel with a tensor, as the machine tells of it.
void tell(void* function, const char* name, bool before, Cell& cell) {
  TVMFFIAny args[5] = {};
  args[0].type_index = kTVMFFIFunction;
  args[0].v_ptr = function;
  args[1].type_index = kTVMFFIRawStr;
  args[1].v_c_str = name;
  args[2].type_index = kTVMFFIBool;
  args[2].v_int64 = before ? 1 : 0;
  args[4].type_index = kTVMFFITensor;
  args[4].v_obj = &cell.header;
  call("instrument", args, 5);
}

const TVMFFIByteArray* arrayOf(const TVMFFIAny& bytes) {
  return reinterpret_cast<const TVMFFIByteArray*>(reinterpret_cast<const char*>(bytes.v_obj) +
                                                  sizeof(TVMFFIObject));
}

struct FunctionObject {
  TVMFFIObject header{};
  TVMFFIFunctionCell cell{};
};

int modelRun(void* /*self*/, const TVMFFIAny* args, int32_t count, TVMFFIAny* result) {
  expect(count == 1 && args[0].v_int64 == 7, "the model gets its argument");
  std::int64_t shape[2] = {3, 5};
  Cell cell;
  cell.tensor.dtype = {kDLFloat, 32, 1};
  cell.tensor.device = {kDLCPU, 0};
  cell.tensor.ndim = 2;
  cell.tensor.shape = shape;
  int outer = 0;
  int inner = 0;
  tell(&outer, "outer", true, cell);
  tell(&inner, "inner", true, cell);
  tell(&inner, "inner", false, cell);
  tell(&outer, "outer", false, cell);
  *result = intOf(11);
  return 0;
}

/// A kernel and a builtin that a compiled function of the library at `path` calls.
void tryCompiled(const char* path) {
  void* const model = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
  expect(model != nullptr, "the library with a compiled function is there");
  const auto run = reinterpret_cast<TVMFFISafeCallType>(dlsym(model, "__tvm_ffi___vmtir__main"));
  auto* const callSlot = static_cast<void**>(dlsym(model, "__TVMFFIFunctionCall"));
  expect(run != nullptr && callSlot != nullptr, "its symbols are there");
  static int calledByName = 0;
  *callSlot = reinterpret_cast<void*>(
      +[](void* /*function*/, TVMFFIAny* /*args*/, std::int32_t /*count*/, TVMFFIAny* result) {
        ++calledByName;
        *result = intOf(5);
        return 0;
      });
  TVMFFIAny file{};
  file.type_index = kTVMFFIRawStr;
  file.v_c_str = std::strrchr(path, '/') + 1;
  const TVMFFIAny told = call("patch", &file, 1);
  ProbeSlots slots;
  std::memcpy(&slots, arrayOf(told)->data, sizeof slots);
  expect(slots.kernels == 1 && slots.slots == 1 && slots.patched == 1 && slots.builtins == 1, "the slots");
  FunctionObject function;
  function.cell.safe_call = run;
  TVMFFIAny step[2] = {intOf(0), {}};
  step[1].type_index = kTVMFFIFunction;
  step[1].v_obj = &function.header;
  for (const std::uint64_t expected : {std::uint64_t{2}, std::uint64_t{0}}) {
    call("clear", nullptr, 0);
    expect(call("step", step, 2).v_int64 == 41, "a compiled function gives what it gives");
    const TVMFFIAny bytes = call("report", nullptr, 0);
    ProbeHeader header;
    std::memcpy(&header, arrayOf(bytes)->data, sizeof header);
    expect(header.records == expected, "its calls are recorded while its slots are ours");
    if (expected > 0) {
      CallRecord records[2];
      std::memcpy(records, arrayOf(bytes)->data + sizeof header, sizeof records);
      expect(records[0].instruction == 1 && records[1].instruction == 2, "places are counted");
      expect(records[0].depth == 0 && records[1].depth == 0 && records[0].function != records[1].function,
             "one call after the other");
    }
    call("restore", nullptr, 0);
  }
  expect(calledByName == 2, "calls are passed on");
}

}  // namespace

int main(int count, char** arguments) {
  library = dlopen(count > 1 ? arguments[1] : "", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    std::printf("FAILED: %s\n", dlerror());
    return 1;
  }
  const TVMFFIAny capacity = intOf(3);
  expect(call("start", &capacity, 1).v_int64 == kProbeVersion, "the version of the layout");
  FunctionObject model;
  model.cell.safe_call = modelRun;
  TVMFFIAny step[3] = {intOf(0), {}, intOf(7)};
  step[1].type_index = kTVMFFIFunction;
  step[1].v_obj = &model.header;
  expect(call("step", step, 3).v_int64 == 11, "a step gives what the model gives");
  call("step", step, 3);
  const TVMFFIAny bytes = call("report", nullptr, 0);
  const TVMFFIByteArray* const array = arrayOf(bytes);
  ProbeHeader header;
  std::memcpy(&header, array->data, sizeof header);
  expect(header.magic == kProbeMagic && header.version == kProbeVersion, "the header");
  expect(header.records == 3 && header.dropped == 1, "a full buffer counts what it drops");
  expect(header.marks == 2 && header.names == 2 && header.shapes == 1 && header.shapeWords == 4,
         "the tables");
  CallRecord records[2];
  std::memcpy(records, array->data + sizeof header, sizeof records);
  expect(records[0].depth == 0 && records[1].depth == 1, "depths");
  expect(records[0].beginTicks <= records[1].beginTicks && records[1].endTicks <= records[0].endTicks,
         "times");
  expect(call("cost", nullptr, 0).v_float64 > 0, "the cost");
  tryCompiled(count > 2 ? arguments[2] : "");
  const TVMFFIAny wrong = intOf(0);
  call("start", &wrong, 1, -1);
  call("stop", nullptr, 0);
  std::printf("all well\n");
  return 0;
}
