// SPDX-License-Identifier: Apache-2.0
// What a board's server finds in the probe when it loads it as a module of kernels. The server's virtual
// machine calls opscope_probe_instrument before and after each instruction; the client calls the others.
// Uses libtvm_ffi's C API alone, as of its versions from 0.1.12 on. Functions come to a library without an
// object of their own, so the recording is the library's one global.
//
//   opscope_probe_start(records[, device type, device id])  reserve room; wait for that device after each
//       call when it is no CPU; gives the version of the report's layout
//   opscope_probe_instrument(function, name, before, result, arguments...)  for set_instrument
//   opscope_probe_step(step, function, arguments...)  calls the function between two marks, gives its result
//   opscope_probe_report()  everything since the last clear, as bytes (base/probe_layout.h)
//   opscope_probe_clear()   forgets records and marks
//   opscope_probe_cost()    nanoseconds that the instrument takes for a call with two small tensors
//   opscope_probe_patch(file)  from now on calls of the compiled functions of the loaded library with this
//   file
//       name are recorded, of which the machine does not tell; a ProbeSlots, as bytes
//   opscope_probe_restore()  ends that
//   opscope_probe_watch(...)  as opscope_probe_instrument, and copies what calls give
//   opscope_probe_capture_start(bytes, all, names...)  begins those copies, at most so many bytes at a time;
//       all: of arguments too; names: of the executable's own functions
//   opscope_probe_capture_state()   a ProbeCaptureState, as bytes
//   opscope_probe_capture_block(i)  a block of the copies, as bytes
//   opscope_probe_capture_clear()   forgets the blocks
//   opscope_probe_stop()    gives the memory back
#include <tvm/ffi/c_api.h>

#include <stdlib.h>
#include <string.h>

#include "engine/probe/capture.h"
#include "engine/probe/recording.h"
#include "engine/probe/slot_calls.h"

namespace {

using opscope::probe::Capture;
using opscope::probe::nowNs;
using opscope::probe::Recording;
using opscope::probe::SlotCalls;

int waitForDevice();

struct Probe {
  Recording recording;
  Capture capture;
  SlotCalls slots{recording, &waitForDevice};
  TVMFFIObjectHandle synchronise = nullptr;  // for devices that work on while the host goes on
  DLDevice device{kDLCPU, 0};
};

Probe theProbe;  // see above

int fail(const char* kind, const char* message) {
  TVMFFIErrorSetRaisedFromCStr(kind, message);
  return -1;
}

void giveInt(TVMFFIAny* result, std::int64_t value) {
  result->type_index = kTVMFFIInt;
  result->zero_padding = 0;
  result->v_int64 = value;
}

void giveNothing(TVMFFIAny* result) {
  result->type_index = kTVMFFINone;
  result->zero_padding = 0;
  result->v_int64 = 0;
}

bool isInt(const TVMFFIAny& value) {
  return value.type_index == kTVMFFIInt || value.type_index == kTVMFFIBool;
}

int waitForDevice() {
  if (theProbe.synchronise == nullptr) {
    return 0;
  }
  TVMFFIAny arguments[2] = {};
  arguments[0].type_index = kTVMFFIDevice;
  arguments[0].v_device = theProbe.device;
  arguments[1].type_index = kTVMFFIInt;
  TVMFFIAny result{};
  return TVMFFIFunctionCall(theProbe.synchronise, arguments, 2, &result);
}

/// Finds what waits for `device`. A CPU needs no waiting.
int chooseDevice(DLDevice device) {
  theProbe.device = device;
  if (device.device_type == kDLCPU) {
    theProbe.synchronise = nullptr;
    return 0;
  }
  if (theProbe.synchronise == nullptr) {
    const char* const name = "runtime.Device_StreamSync";
    const TVMFFIByteArray bytes{name, strlen(name)};
    if (TVMFFIFunctionGetGlobal(&bytes, &theProbe.synchronise) != 0) {
      return -1;
    }
  }
  return theProbe.synchronise == nullptr
             ? fail("RuntimeError", "The board has no runtime.Device_StreamSync to wait for its device with.")
             : 0;
}

void releaseAll() {
  theProbe.slots.release();
  theProbe.recording.release();
  theProbe.capture.release();
}

/// A client that is lost cannot say stop; the library's memory goes with the library.
__attribute__((destructor)) void unload() {
  releaseAll();
}

void record(const TVMFFIAny* args, std::int32_t count) {
  theProbe.recording.begin(args[0], args[1], args + 4, count - 4);
}

}  // namespace

#define OPSCOPE_PROBE_EXPORT extern "C" __attribute__((visibility("default"))) int

OPSCOPE_PROBE_EXPORT __tvm_ffi_opscope_probe_start(void* /*self*/, const TVMFFIAny* args, std::int32_t count,
                                                   TVMFFIAny* result) {
  constexpr std::int64_t kMostRecords = std::int64_t{1} << 28;
  const bool fits = (count == 1 || count == 3) && isInt(args[0]) && args[0].v_int64 > 0 &&
                    args[0].v_int64 <= kMostRecords && (count == 1 || (isInt(args[1]) && isInt(args[2])));
  if (!fits) {
    return fail("ValueError", "opscope_probe_start takes a number of records up to 2^28 and a device.");
  }
  DLDevice device{kDLCPU, 0};
  if (count == 3) {
    device = {static_cast<DLDeviceType>(args[1].v_int64), static_cast<std::int32_t>(args[2].v_int64)};
  }
  if (const int code = chooseDevice(device); code != 0) {
    return code;
  }
  if (!theProbe.recording.start(static_cast<std::uint64_t>(args[0].v_int64))) {
    return fail("MemoryError", "The board has no memory for so many records.");
  }
  giveInt(result, opscope::base::kProbeVersion);
  return 0;
}

OPSCOPE_PROBE_EXPORT __tvm_ffi_opscope_probe_instrument(void* /*self*/, const TVMFFIAny* args,
                                                        std::int32_t count, TVMFFIAny* result) {
  giveNothing(result);
  if (count < 4 || !isInt(args[2]) || !theProbe.recording.isReady()) {
    return 0;  // an error here would end the model's run
  }
  if (args[2].v_int64 != 0) {
    record(args, count);
    return 0;
  }
  if (const int code = waitForDevice(); code != 0) {
    return code;
  }
  theProbe.recording.end(args[0], nowNs());
  return 0;
}

OPSCOPE_PROBE_EXPORT __tvm_ffi_opscope_probe_step(void* /*self*/, const TVMFFIAny* args, std::int32_t count,
                                                  TVMFFIAny* result) {
  if (count < 2 || !isInt(args[0]) || args[1].type_index != kTVMFFIFunction) {
    return fail("TypeError", "opscope_probe_step takes a step, a function and its arguments.");
  }
  if (!theProbe.recording.isReady()) {
    return fail("RuntimeError", "opscope_probe_step comes after opscope_probe_start.");
  }
  theProbe.capture.closeCalls();
  theProbe.slots.beginStep();
  theProbe.recording.beginStep(static_cast<std::uint32_t>(args[0].v_int64));
  int code = TVMFFIFunctionCall(args[1].v_obj, const_cast<TVMFFIAny*>(args + 2), count - 2, result);
  if (code == 0) {
    code = waitForDevice();
  }
  theProbe.recording.endStep(code != 0);
  theProbe.slots.endStep();
  return code;
}

OPSCOPE_PROBE_EXPORT __tvm_ffi_opscope_probe_report(void* /*self*/, const TVMFFIAny* /*args*/,
                                                    std::int32_t /*count*/, TVMFFIAny* result) {
  if (!theProbe.recording.isReady()) {
    return fail("RuntimeError", "opscope_probe_report comes after opscope_probe_start.");
  }
  const std::size_t size = theProbe.recording.reportSize();
  char* const bytes = static_cast<char*>(malloc(size));
  if (bytes == nullptr) {
    return fail("MemoryError", "The board has no memory for the report.");
  }
  theProbe.recording.writeReport(bytes);
  const TVMFFIByteArray array{bytes, size};
  const int code = TVMFFIBytesFromByteArray(&array, result);
  free(bytes);
  return code;
}

OPSCOPE_PROBE_EXPORT __tvm_ffi_opscope_probe_clear(void* /*self*/, const TVMFFIAny* /*args*/,
                                                   std::int32_t /*count*/, TVMFFIAny* result) {
  theProbe.recording.clear();
  giveNothing(result);
  return 0;
}

OPSCOPE_PROBE_EXPORT __tvm_ffi_opscope_probe_stop(void* /*self*/, const TVMFFIAny* /*args*/,
                                                  std::int32_t /*count*/, TVMFFIAny* result) {
  releaseAll();
  giveNothing(result);
  return 0;
}

OPSCOPE_PROBE_EXPORT __tvm_ffi_opscope_probe_patch(void* /*self*/, const TVMFFIAny* args, std::int32_t count,
                                                   TVMFFIAny* result) {
  const opscope::probe::Text file = count == 1 ? opscope::probe::textOf(args[0]) : opscope::probe::Text();
  if (file.data == nullptr) {
    return fail("TypeError", "opscope_probe_patch takes the name of a library's file.");
  }
  switch (theProbe.slots.patch(file)) {
    case SlotCalls::Patched::NoLibrary:
      return fail("RuntimeError",
                  "opscope_probe_patch does not find the library among those that are loaded.");
    case SlotCalls::Patched::NoMemory:
      return fail("MemoryError", "The board has no memory for the calls of compiled functions.");
    case SlotCalls::Patched::Done:
      break;
  }
  const opscope::base::ProbeSlots& slots = theProbe.slots.slots();
  const TVMFFIByteArray array{reinterpret_cast<const char*>(&slots), sizeof slots};
  return TVMFFIBytesFromByteArray(&array, result);
}

OPSCOPE_PROBE_EXPORT __tvm_ffi_opscope_probe_restore(void* /*self*/, const TVMFFIAny* /*args*/,
                                                     std::int32_t /*count*/, TVMFFIAny* result) {
  theProbe.slots.restore();
  giveNothing(result);
  return 0;
}

OPSCOPE_PROBE_EXPORT __tvm_ffi_opscope_probe_watch(void* self, const TVMFFIAny* args, std::int32_t count,
                                                   TVMFFIAny* result) {
  const int code = __tvm_ffi_opscope_probe_instrument(self, args, count, result);
  if (code != 0 || count < 4 || !isInt(args[2]) || !theProbe.capture.isOn()) {
    return code;
  }
  if (args[2].v_int64 != 0) {
    theProbe.capture.before(args[0], args[1], args + 4, count - 4);
  } else {
    theProbe.capture.after(args[0], args[1], args[3], args + 4, count - 4);
  }
  return 0;
}

OPSCOPE_PROBE_EXPORT __tvm_ffi_opscope_probe_capture_start(void* /*self*/, const TVMFFIAny* args,
                                                           std::int32_t count, TVMFFIAny* result) {
  if (count < 2 || !isInt(args[0]) || args[0].v_int64 < 0 || !isInt(args[1])) {
    return fail("ValueError", "opscope_probe_capture_start takes a number of bytes, all or not, and names.");
  }
  for (std::int32_t i = 2; i < count; ++i) {
    if (opscope::probe::textOf(args[i]).data == nullptr) {
      return fail("TypeError", "opscope_probe_capture_start takes names after the two numbers.");
    }
  }
  const auto wanted = args[1].v_int64 != 0 ? Capture::Wanted::All : Capture::Wanted::Outputs;
  if (!theProbe.capture.start(static_cast<std::uint64_t>(args[0].v_int64), wanted, args + 2, count - 2)) {
    return fail("MemoryError", "The board has no memory for the names of functions.");
  }
  giveInt(result, opscope::base::kProbeVersion);
  return 0;
}

OPSCOPE_PROBE_EXPORT __tvm_ffi_opscope_probe_capture_state(void* /*self*/, const TVMFFIAny* /*args*/,
                                                           std::int32_t /*count*/, TVMFFIAny* result) {
  const opscope::base::ProbeCaptureState state = theProbe.capture.state();
  const TVMFFIByteArray array{reinterpret_cast<const char*>(&state), sizeof state};
  return TVMFFIBytesFromByteArray(&array, result);
}

OPSCOPE_PROBE_EXPORT __tvm_ffi_opscope_probe_capture_block(void* /*self*/, const TVMFFIAny* args,
                                                           std::int32_t count, TVMFFIAny* result) {
  const std::int64_t index = count == 1 && isInt(args[0]) ? args[0].v_int64 : -1;
  if (index < 0 || index >= theProbe.capture.state().blocks) {
    return fail("IndexError", "opscope_probe_capture_block takes the number of a block that is there.");
  }
  const opscope::probe::Text block = theProbe.capture.block(static_cast<std::uint32_t>(index));
  const TVMFFIByteArray array{block.data, block.size};
  return TVMFFIBytesFromByteArray(&array, result);
}

OPSCOPE_PROBE_EXPORT __tvm_ffi_opscope_probe_capture_clear(void* /*self*/, const TVMFFIAny* /*args*/,
                                                           std::int32_t /*count*/, TVMFFIAny* result) {
  theProbe.capture.clearBlocks();
  giveNothing(result);
  return 0;
}

namespace {

/// A call as the machine tells of it: one of eight functions, with two tensors.
struct SampleCall {
  struct Cell {
    TVMFFIObject header;
    DLTensor tensor;
  };
  std::int64_t shape[4] = {1, 64, 56, 56};
  Cell cells[2] = {};
  TVMFFIAny args[6] = {};

  SampleCall() {
    args[1].type_index = kTVMFFIRawStr;
    args[1].v_c_str = "fused_conv2d_add_relu";
    args[2].type_index = kTVMFFIBool;
    for (int i = 0; i < 2; ++i) {
      cells[i].tensor.dtype = DLDataType{kDLFloat, 32, 1};
      cells[i].tensor.device = DLDevice{kDLCPU, 0};
      cells[i].tensor.ndim = 4;
      cells[i].tensor.shape = shape;
      args[4 + i].type_index = kTVMFFITensor;
      args[4 + i].v_obj = &cells[i].header;
    }
    args[0].type_index = kTVMFFIFunction;
  }
};

/// Nanoseconds a call, of `count` calls.
double measureCalls(Recording& recording, std::uint32_t count) {
  SampleCall call;
  TVMFFIAny functions[8] = {};
  const std::uint64_t begin = nowNs();
  for (std::uint32_t i = 0; i < count; ++i) {
    call.args[0].v_ptr = &functions[i % 8];
    recording.begin(call.args[0], call.args[1], call.args + 4, 2);
    asm volatile("" ::: "memory");
    recording.end(call.args[0], nowNs());
  }
  return static_cast<double>(nowNs() - begin) / count;
}

}  // namespace

OPSCOPE_PROBE_EXPORT __tvm_ffi_opscope_probe_cost(void* /*self*/, const TVMFFIAny* /*args*/,
                                                  std::int32_t /*count*/, TVMFFIAny* result) {
  constexpr std::uint32_t kCalls = 4096;
  Recording recording;
  if (!recording.start(kCalls)) {
    return fail("MemoryError", "The board has no memory to measure the probe with.");
  }
  double best = 0;
  for (int attempt = 0; attempt < 5; ++attempt) {
    recording.clear();
    const double each = measureCalls(recording, kCalls);
    best = attempt == 0 || each < best ? each : best;
  }
  recording.release();
  result->type_index = kTVMFFIFloat;
  result->zero_padding = 0;
  result->v_float64 = best;
  return 0;
}
