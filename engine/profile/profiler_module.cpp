// SPDX-License-Identifier: Apache-2.0
#include "engine/profile/profiler_module.h"

#include <fmt/format.h>
#include <tvm/ffi/cast.h>
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/memory.h>

#include <exception>
#include <memory>

#include "engine/profile/profiler.h"
#include "engine/profile/remote_recorder.h"
#include "engine/profile/report_objects.h"
#include "engine/profile/shape_table.h"
#include "engine/report/report_json.h"
#include "engine/report/run_report.h"
#include "engine/runtime/ffi_error.h"
#include "engine/runtime/run_context.h"
#include "engine/runtime/thread_pool.h"
#include "engine/vm/machine_module.h"

namespace opscope::profile {

namespace ffi = tvm::ffi;

namespace {

[[noreturn]] void raise(const char* kind, std::string message) {
  throw ffi::Error(kind, std::move(message), "");
}

/// An array of collectors after the function's name; an array of anything else is an input.
std::vector<std::unique_ptr<MetricCollector>> collectorsAmong(ffi::PackedArgs arguments) {
  std::vector<std::unique_ptr<MetricCollector>> collectors;
  const auto* given = arguments.size() > 1 ? arguments[1].as<ffi::ArrayObj>() : nullptr;
  for (std::size_t i = 0; given != nullptr && i < given->size(); ++i) {
    const auto collector = given->begin()[i].try_cast<MetricCollectorRef>();
    if (!collector.has_value() || !collector->defined()) {
      return {};
    }
    collectors.push_back(collectorOf(*collector));
  }
  return collectors;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wnon-virtual-dtor"  // as for every object of tvm-ffi

class ProfilerModuleObj final : public vm::MachineModuleObj {
 public:
  using MachineModuleObj::MachineModuleObj;

  ffi::Optional<ffi::Function> GetFunction(const ffi::String& name) override {
    if (name != "profile") {
      return MachineModuleObj::GetFunction(name);
    }
    return ffi::Function::FromPacked(
        [self = ffi::GetObjectPtr<ProfilerModuleObj>(this)](ffi::PackedArgs arguments, ffi::Any* result) {
          *result = ffi::String(self->profileFunction(arguments));
        });
  }

 private:
  std::string profileFunction(ffi::PackedArgs arguments);
  using Collectors = std::vector<std::unique_ptr<MetricCollector>>;
  std::string measure(Use& use, const std::string& function, const vm::MachineFunctions::Values& inputs,
                      const Collectors& collectors);
  ProfileSettings settingsFor(const std::string& function, const Collectors& collectors);
};

#pragma GCC diagnostic pop

std::string ProfilerModuleObj::profileFunction(ffi::PackedArgs arguments) {
  const auto name = arguments.size() > 0 ? arguments[0].try_cast<ffi::String>() : std::nullopt;
  if (!name.has_value()) {
    raise("TypeError", "profile: argument 0 should be the name of a function");
  }
  const std::string function = *name;
  const Collectors collectors = collectorsAmong(arguments);
  const std::int32_t firstInput = collectors.empty() ? 1 : 2;
  Use use(*this);
  const vm::Closure closure = use->get(function);
  const vm::MachineFunctions::Values* given = use->inputsOf(function);
  if (given != nullptr && !given->empty()) {
    if (arguments.size() != firstInput) {
      raise("InternalError", fmt::format("profile: {} has inputs from set_input already, so none can be "
                                         "given here",
                                         function));
    }
    return measure(use, function, vm::MachineFunctions::Values(*given), collectors);
  }
  vm::MachineFunctions::Values inputs;
  for (std::int32_t i = firstInput; i < arguments.size(); ++i) {
    inputs.push_back(use->convert(arguments[i], fmt::format("number {}", i - firstInput)));
  }
  return measure(use, function, inputs, collectors);
}

ProfileSettings ProfilerModuleObj::settingsFor(const std::string& function, const Collectors& collectors) {
  runtime::RunContext& context = machine().context();
  ProfileSettings settings;
  settings.steps = {function};
  const DLDevice device = machine().devices().front();
  settings.devices = {deviceText(device.device_type, device.device_id)};
  settings.threads = context.threadPool().threadCount();
  settings.runtime = context.options();
  settings.overhead = OverheadCheck::Off;  // TVM's runs the function once
  settings.device = device;
  settings.context = &context;
  for (const auto& collector : collectors) {
    settings.collectors.push_back(collector.get());
  }
  return settings;
}

std::string ProfilerModuleObj::measure(Use& use, const std::string& function,
                                       const vm::MachineFunctions::Values& inputs,
                                       const Collectors& collectors) {
  const vm::Closure closure = use->get(function);
  const std::vector<ffi::AnyView> views(inputs.begin(), inputs.end());
  std::exception_ptr raised;
  ProfileCallbacks callbacks;
  callbacks.runRepeat = [&](StepMarks& marks) -> base::Result<> {
    ffi::Any result;
    marks.beginStep(0);
    try {
      result = use->call(closure, ffi::PackedArgs(views.data(), static_cast<std::int32_t>(views.size())));
    } catch (const ffi::Error& error) {
      raised = std::current_exception();  // the client is to get it as it is
      return runtime::toError(error, base::ErrorCode::KernelFailed, function);
    }
    marks.endStep();
    return {};
  };
  vm::ExecutableFile file;
  file.data = executable().data();
  Measurement measured = profile(machine(), file, settingsFor(function, collectors), callbacks);
  if (raised != nullptr) {
    std::rethrow_exception(raised);
  }
  if (measured.error.has_value()) {
    vm::raiseError(*measured.error);
  }
  const auto run = std::make_shared<const report::Run>(*std::move(measured.run));
  return report::toJson(*report::makeDocument(run).report);
}

}  // namespace

void registerProfilerModule() {
  auto make = [](const ffi::Module& executable) {
    return ffi::Module(ffi::make_object<ProfilerModuleObj>(executable));
  };
  ffi::Function::SetGlobal(vm::kProfilerFactory, ffi::Function::FromTyped(make, vm::kProfilerFactory),
                           /*override=*/true);
  registerRemoteRecorder();
}

}  // namespace opscope::profile
