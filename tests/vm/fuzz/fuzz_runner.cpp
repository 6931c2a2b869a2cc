// SPDX-License-Identifier: Apache-2.0
#include "tests/vm/fuzz/fuzz_runner.h"

#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/shape.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/string.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "engine/runtime/ffi_error.h"
#include "engine/runtime/storage.h"
#include "engine/vm/executable_decoder.h"
#include "engine/vm/executable_module.h"
#include "tests/vm/fuzz/fuzz_random.h"

namespace opscope::vm::test {

namespace ffi = tvm::ffi;

namespace {

constexpr std::chrono::milliseconds kStopAfter{60};
constexpr std::chrono::seconds kHangAfter{90};
constexpr std::uint32_t kRecursionLimit = 300;

/// Reads what the profiler's recorder reads of each call.
class ReadingObserver final : public CallObserver {
 public:
  void beginCall(const CallSite& site, const TVMFFIAny* args, std::int32_t count) override {
    m_sum += site.depth;
    for (std::int32_t i = 0; i < count; ++i) {
      read(args[i]);
    }
    ++m_open;
  }
  void endCall(const CallSite& site, const TVMFFIAny& result) override {
    ++m_returned[site.function];
    m_sum += site.instruction;
    read(result);
    --m_open;
  }

  explicit ReadingObserver(std::size_t functions) : m_returned(functions) {}
  const std::vector<std::uint64_t>& returned() const { return m_returned; }

 private:
  void read(const TVMFFIAny& value) {
    if (value.type_index == kTVMFFITensor) {
      const DLTensor* tensor = TVMFFITensorGetDLTensorPtr(value.v_obj);
      for (std::int32_t i = 0; i < tensor->ndim; ++i) {
        m_sum += static_cast<std::uint64_t>(tensor->shape[i]);
      }
    }
  }
  std::vector<std::uint64_t> m_returned;
  std::uint64_t m_sum = 0;
  std::int64_t m_open = 0;
};

ffi::Tensor makeTensor(FuzzRandom& random) {
  static constexpr std::array<DLDataType, 5> kTypes = {DLDataType{kDLFloat, 32, 1}, DLDataType{kDLInt, 64, 1},
                                                       DLDataType{kDLInt, 32, 1}, DLDataType{kDLBool, 8, 1},
                                                       DLDataType{kDLFloat, 16, 1}};
  std::vector<std::int64_t> shape(random.below(4));
  for (std::int64_t& dimension : shape) {
    dimension = random.between(0, 6);
  }
  runtime::StorageAllocator allocator(runtime::AllocatorKind::Naive);
  ffi::Tensor tensor = runtime::emptyTensor(allocator, {shape.data(), shape.size()}, random.oneOf(kTypes),
                                            DLDevice{kDLCPU, 0});
  const std::size_t bytes = runtime::tensorBytes(tensor.shape(), tensor.dtype());
  auto* data = static_cast<std::uint8_t*>(tensor.data_ptr());
  for (std::size_t i = 0; i < bytes; ++i) {
    data[i] = static_cast<std::uint8_t>(random.chance(60) ? random.below(3) : random.word());
  }
  return tensor;
}

ffi::Any makeValue(FuzzRandom& random, int depth) {
  switch (random.below(depth > 0 ? 8 : 7)) {
    case 0:
      return ffi::Any(random.number());
    case 1:
      return ffi::Any(2.5);
    case 2:
      return ffi::Any(ffi::Shape({random.number(), random.between(0, 4)}));
    case 3:
      return ffi::Any(ffi::String("text {}"));
    case 4:
      return ffi::Any(nullptr);
    case 5:
    case 6:
      return ffi::Any(makeTensor(random));
    default: {
      std::vector<ffi::Any> items;
      for (std::size_t i = random.below(4); i > 0; --i) {
        items.push_back(makeValue(random, depth - 1));
      }
      return ffi::Array<ffi::Any>(items.begin(), items.end());
    }
  }
}

/// The cache is the process's and keeps its tensors on purpose: neither the check of memory nor the next case
/// may see them.
void clearTensorCache() {
  ffi::Function::GetGlobalRequired("vm.builtin.tensor_cache.clear")();
}

bool isToldInWords(const base::Error& error) {
  return !error.message.empty() && error.message.size() < std::size_t{1} << 20;
}

}  // namespace

FuzzWatchdog::FuzzWatchdog() : m_thread([this](const std::stop_token& stop) { watch(stop); }) {}

FuzzWatchdog::~FuzzWatchdog() {
  m_thread.request_stop();
}

void FuzzWatchdog::guard(Interpreter* interpreter) {
  const std::lock_guard lock(m_mutex);
  m_interpreter = interpreter;
  m_since = std::chrono::steady_clock::now();
  m_changed.notify_all();
}

void FuzzWatchdog::watch(const std::stop_token& stop) {
  std::unique_lock lock(m_mutex);
  while (!stop.stop_requested()) {
    if (m_interpreter == nullptr) {
      m_changed.wait(lock, stop, [this] { return m_interpreter != nullptr; });
      continue;
    }
    const auto age = std::chrono::steady_clock::now() - m_since;
    if (age > kHangAfter) {
      std::fprintf(stderr, "FINDING: a run did not stop within %d s\n", static_cast<int>(kHangAfter.count()));
      std::abort();
    }
    if (age > kStopAfter) {
      m_interpreter->requestStop();
    }
    m_changed.wait_for(lock, stop, std::chrono::milliseconds(20), [] { return false; });
  }
}

FuzzRunner::FuzzRunner() {
  runtime::RuntimeOptions options;
  options.threads = 2;
  options.pin = false;
  m_context = std::make_unique<runtime::RunContext>(options);
}

ffi::Module FuzzRunner::emptyModule() {
  return ffi::Module(ffi::make_object<ExecutableModuleObj>(ffi::Bytes()));
}

FuzzOutcome FuzzRunner::runBytes(const std::string& bytes, const ffi::Module& library, std::uint64_t seed) {
  auto data = decodeExecutable(bytes, "fuzz.so");
  if (!data) {
    FuzzOutcome outcome;
    outcome.finding = isToldInWords(data.error()) ? "" : "the decoder refuses without words";
    return outcome;
  }
  return runData(*std::move(data), library, seed);
}

FuzzOutcome FuzzRunner::runData(std::shared_ptr<const ExecutableData> data, const ffi::Module& library,
                                std::uint64_t seed) {
  const runtime::RunContextScope scope(*m_context);
  const auto kind = seed % 2 == 0 ? runtime::AllocatorKind::Pooled : runtime::AllocatorKind::Naive;
  Interpreter interpreter(std::move(data), {DLDevice{kDLCPU, 0}}, {kind}, kRecursionLimit);
  const base::Result<> loaded = interpreter.load(library, library->imports(), {});
  if (!loaded) {
    FuzzOutcome outcome;
    outcome.finding = isToldInWords(loaded.error()) ? "" : "the machine refuses without words";
    return outcome;
  }
  return runLoaded(interpreter, seed);
}

FuzzOutcome FuzzRunner::runLoaded(Interpreter& interpreter, std::uint64_t seed) {
  FuzzOutcome outcome;
  outcome.accepted = true;
  FuzzRandom random(seed);
  const auto& functions = interpreter.data().functions;
  ReadingObserver observer(functions.size());
  for (std::size_t i = 0; i < functions.size() && i < 8; ++i) {
    if (functions[i].kind != FunctionKind::Bytecode) {
      continue;
    }
    std::vector<ffi::Any> arguments;
    for (std::int64_t j = 0; j < functions[i].argumentCount; ++j) {
      arguments.push_back(makeValue(random, 2));
    }
    interpreter.setObserver(random.chance(40) ? &observer : nullptr);
    m_watchdog.guard(&interpreter);
    const base::Result<ffi::Any> result = runtime::guarded(base::ErrorCode::KernelFailed, "fuzz", [&] {
      return interpreter.run(static_cast<std::uint32_t>(i), arguments);
    });
    m_watchdog.release();
    interpreter.clearStop();
    outcome.ran = outcome.ran || result;
    if (!result && !isToldInWords(result.error())) {
      outcome.finding = "a run fails without words";
    }
  }
  for (std::size_t i = 0; i < functions.size(); ++i) {
    if (observer.returned()[i] != 0 && functions[i].kind == FunctionKind::Packed) {
      m_returned[functions[i].name] += observer.returned()[i];
    }
  }
  clearTensorCache();
  if (interpreter.allocator().counters().liveBytes != 0) {
    outcome.finding = "memory of a run is still held after it";
  }
  return outcome;
}

}  // namespace opscope::vm::test
