// SPDX-License-Identifier: Apache-2.0
#include "engine/profile/time_functions.h"

#include <fmt/format.h>
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/extra/module.h>
#include <tvm/ffi/string.h>

#include <exception>
#include <string>
#include <vector>

#include "engine/profile/time_evaluator.h"
#include "engine/runtime/ffi_error.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace opscope::profile {

namespace ffi = tvm::ffi;

namespace {

[[noreturn]] void raise(const char* kind, std::string message) {
  throw ffi::Error(kind, std::move(message), "");
}

[[noreturn]] void raise(const base::Error& error) {
  raise(error.code == base::ErrorCode::InvalidArgument ? "ValueError" : "RuntimeError",
        error.message + (error.detail.empty() ? "" : " " + error.detail));
}

/// Calls `function`; what it raises is kept, so that the caller gets it as it is.
base::Result<> callKeeping(const ffi::Function& function, ffi::PackedArgs arguments,
                           std::exception_ptr& raised) {
  try {
    ffi::Any result;
    function.CallPacked(arguments, &result);
    return {};
  } catch (const ffi::Error& error) {
    raised = std::current_exception();
    return runtime::toError(error, base::ErrorCode::KernelFailed, "the function");
  }
}

ffi::Bytes measure(const ffi::Function& measured, DLDevice device, const TimeSettings& settings,
                   const std::optional<ffi::Function>& prepare, ffi::PackedArgs arguments) {
  std::exception_ptr raised;
  TimeCallbacks callbacks;
  callbacks.call = [&] { return callKeeping(measured, arguments, raised); };
  if (prepare.has_value()) {
    callbacks.prepare = [&] { return callKeeping(*prepare, arguments, raised); };
  }
  const Timing timing = evaluateTime(device, settings, callbacks);
  if (raised != nullptr) {
    std::rethrow_exception(raised);
  }
  if (timing.error.has_value()) {
    raise(*timing.error);
  }
  std::vector<double> seconds;
  for (const RepeatTime& repeat : timing.repeats) {
    seconds.push_back(repeat.nsPerCall / 1e9);
  }
  return ffi::Bytes(reinterpret_cast<const char*>(seconds.data()), seconds.size() * sizeof(double));
}

std::optional<ffi::Function> preparation(const ffi::String& name) {
  if (name.empty()) {
    return std::nullopt;
  }
  const auto function = ffi::Function::GetGlobal(name);
  if (!function.has_value()) {
    raise("InternalError", fmt::format("Cannot find {} among the registered functions", std::string(name)));
  }
  return *function;
}

ffi::Function functionOf(const ffi::Optional<ffi::Module>& module, const ffi::String& name) {
  if (!module.has_value()) {
    const auto function = ffi::Function::GetGlobal(name);
    if (!function.has_value()) {
      raise("InternalError", fmt::format("Cannot find {} among the registered functions", std::string(name)));
    }
    return *function;
  }
  const ffi::Module& found = *module;
  const auto function = found->GetFunction(name, /*query_imports=*/true);
  if (!function.has_value()) {
    raise("InternalError", fmt::format("Cannot find {} in the module of kind {}", std::string(name),
                                       std::string(found->kind())));
  }
  return *function;
}

/// For modules of other computers, whose own evaluator measures: engine/rpc registers the way to it.
ffi::Function remoteTimeEvaluator(const ffi::Module& module, const ffi::String& name, DLDevice device,
                                  const TimeSettings& settings, const ffi::String& prepare) {
  const auto forward = ffi::Function::GetGlobal("opscope.rpc.time_evaluator");
  if (!forward.has_value()) {
    raise("RuntimeError", "runtime.RPCTimeEvaluator: the module is on another machine, ask that one's");
  }
  return (*forward)(module, name, static_cast<int>(device.device_type), device.device_id, settings.number,
                    settings.repeat, settings.minRepeatMs, settings.limitZeroTimeIterations,
                    settings.cooldownIntervalMs, settings.repeatsToCooldown, settings.cacheFlushBytes,
                    prepare)
      .cast<ffi::Function>();
}

ffi::Function timeEvaluator(const ffi::Optional<ffi::Module>& module, const ffi::String& name, int deviceType,
                            int deviceId, std::int64_t number, std::int64_t repeat, std::int64_t minRepeatMs,
                            std::int64_t limitZeroTimeIterations, std::int64_t cooldownIntervalMs,
                            std::int64_t repeatsToCooldown, std::int64_t cacheFlushBytes,
                            const ffi::String& prepare) {
  const TimeSettings settings{number, repeat, minRepeatMs, limitZeroTimeIterations, cooldownIntervalMs,
                              // Without a pause TVM does not look at it, and clients give 0.
                              cooldownIntervalMs == 0 ? 1 : repeatsToCooldown, cacheFlushBytes};
  const DLDevice device{static_cast<DLDeviceType>(deviceType), deviceId};
  if (module.has_value() && std::string_view((*module)->kind()) == "rpc") {
    return remoteTimeEvaluator(*module, name, device, settings, prepare);
  }
  const auto prepared = preparation(prepare);
  return wrapTimeEvaluator(functionOf(module, name), device, settings, prepared);
}

void flushLines(const DLTensor& tensor) {
  if (tensor.device.device_type != kDLCPU || tensor.data == nullptr) {
    return;
  }
  constexpr std::size_t kLine = 64;
  const std::size_t bytes = ffi::GetDataSize(tensor);
  const char* data = static_cast<const char*>(tensor.data) + tensor.byte_offset;
  for (std::size_t at = 0; at < bytes; at += kLine) {
#if defined(__x86_64__)
    _mm_clflush(data + at);
#elif defined(__aarch64__)
    asm volatile("dc civac, %0" : : "r"(data + at) : "memory");
#endif
  }
#if defined(__x86_64__)
  _mm_mfence();
#elif defined(__aarch64__)
  asm volatile("dsb ish" : : : "memory");
#endif
}

/// For `f_preproc`: pushes the weights of a kernel out of the caches, but not its first argument.
void flushNonFirstArguments(ffi::PackedArgs arguments, ffi::Any* /*result*/) {
  for (std::int32_t i = 1; i < arguments.size(); ++i) {
    const auto tensor = arguments[i].try_cast<DLTensor*>();
    if (!tensor.has_value() || *tensor == nullptr) {
      raise("TypeError", fmt::format("cache_flush_cpu_non_first_arg: argument {} is no tensor", i));
    }
    flushLines(**tensor);
  }
}

}  // namespace

ffi::Function wrapTimeEvaluator(ffi::Function measured, DLDevice device, const TimeSettings& settings,
                                std::optional<ffi::Function> prepare) {
  if (auto checked = checkTimeSettings(settings); !checked) {
    raise(checked.error());
  }
  return ffi::Function::FromPacked(
      [measured = std::move(measured), device, settings, prepare = std::move(prepare)](
          ffi::PackedArgs arguments, ffi::Any* result) {
        *result = measure(measured, device, settings, prepare, arguments);
      });
}

void registerTimeFunctions() {
  ffi::Function::SetGlobal("runtime.RPCTimeEvaluator",
                           ffi::Function::FromTyped(timeEvaluator, "runtime.RPCTimeEvaluator"),
                           /*override=*/true);
  ffi::Function::SetGlobal("cache_flush_cpu_non_first_arg", ffi::Function::FromPacked(flushNonFirstArguments),
                           /*override=*/true);
}

}  // namespace opscope::profile
