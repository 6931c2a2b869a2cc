// SPDX-License-Identifier: Apache-2.0
#include "engine/vm/machine.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/runtime/ffi_error.h"
#include "engine/runtime/library.h"
#include "engine/runtime/run_context.h"
#include "engine/vm/function_pool.h"
#include "engine/vm/input_conversion.h"

namespace opscope::vm {

namespace ffi = tvm::ffi;

namespace {

std::string parameterList(const FunctionEntry& function) {
  return function.parameterNames.empty() ? std::string()
                                         : fmt::format(" ({})", fmt::join(function.parameterNames, ", "));
}

std::string runnableFunctions(const ExecutableData& data) {
  std::vector<std::string> names;
  for (const FunctionEntry& function : data.functions) {
    if (function.kind != FunctionKind::Packed) {
      names.push_back(function.name);
    }
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

/// The function named in tvm-ffi's error for a look-up from within a kernel, or "".
std::string missingLookUp(const std::string& message) {
  constexpr std::string_view kBefore = "Cannot find function ";
  constexpr std::string_view kAfter = " in the imported modules or global registry";
  const std::size_t begin = message.find(kBefore);
  const std::size_t end = message.find(kAfter);
  if (begin == std::string::npos || end == std::string::npos || end < begin + kBefore.size()) {
    return {};
  }
  return message.substr(begin + kBefore.size(), end - begin - kBefore.size());
}

ffi::PackedArgs asArguments(const std::vector<ffi::AnyView>& views) {
  return {views.data(), static_cast<std::int32_t>(views.size())};
}

/// Runs what only looks at or changes the machine's state; what it raises is about the caller's arguments.
template <class Body>
auto asking(std::string_view what, Body&& body) {
  return runtime::guarded(base::ErrorCode::InvalidArgument, what, std::forward<Body>(body));
}

}  // namespace

Machine::Machine(std::shared_ptr<const ExecutableData> data, const Options& options,
                 runtime::RunContext* context, std::vector<std::string> standIns)
    : m_context(context),
      m_standIns(std::move(standIns)),
      m_interpreter(
          std::move(data), options.devices,
          options.deviceAllocators.empty() ? std::vector{options.allocator} : options.deviceAllocators,
          options.recursionLimit),
      m_functions(m_interpreter) {}

Machine::~Machine() = default;

base::Result<> Machine::checkOptions(const Options& options) {
  if (options.devices.empty()) {
    return base::Error{base::ErrorCode::InvalidArgument, "a machine needs at least one device", {}, {}};
  }
  for (const DLDevice device : options.devices) {
    if (device.device_type != kDLCPU) {
      return base::Error{base::ErrorCode::Unsupported,
                         fmt::format("device type {} is not available, only the CPU (1) is",
                                     static_cast<int>(device.device_type)),
                         {},
                         {}};
    }
  }
  return {};
}

base::Result<> Machine::load(ffi::Module module, const ffi::Array<ffi::Any>& imports) {
  return m_interpreter.load(std::move(module), imports, m_standIns);
}

runtime::RunContext& Machine::context() {
  if (m_context != nullptr) {
    return *m_context;
  }
  if (runtime::RunContext* current = runtime::RunContext::current()) {
    return *current;
  }
  if (m_ownContext == nullptr) {
    m_ownContext = std::make_unique<runtime::RunContext>(runtime::RuntimeOptions{});
  }
  return *m_ownContext;
}

// ---- errors ----

std::string Machine::placeText() const {
  const auto& place = m_interpreter.failure();
  const ExecutableData& data = m_interpreter.data();
  if (!place.has_value()) {
    return "run";
  }
  const std::string& function = data.functions[place->function].name;
  if (place->inInstrument) {
    return fmt::format("{}, instruction {}, the instrument at {}", function, place->instruction,
                       data.functions[place->callee].name);
  }
  if (place->inCompiledCode) {
    return fmt::format("{} (compiled)", function);
  }
  if (!place->hasCallee) {
    return fmt::format("{}, instruction {}", function, place->instruction);
  }
  return fmt::format("{}, instruction {}, {}", function, place->instruction,
                     data.functions[place->callee].name);
}

base::Error Machine::runError(const ffi::Error& error) const {
  base::Error told = runtime::toError(error, base::ErrorCode::KernelFailed, placeText());
  const std::string missing = missingLookUp(told.message);
  if (!missing.empty()) {
    told.code = base::ErrorCode::MissingFunction;
    told.message =
        fmt::format("{}: the kernel calls {}, which no loaded library provides", placeText(), missing);
    told.detail = "Kernels look functions up while they run, so others may be missing too.";
    told.hint = kLoadAPlugin;
  }
  if (!m_standIns.empty()) {
    told.detail += fmt::format("{}The file holds modules that this build cannot run: {}.",
                               told.detail.empty() ? "" : "\n", fmt::join(m_standIns, ", "));
    told.hint.clear();
  }
  return told;
}

template <class Body>
auto Machine::running(std::string_view what, Body&& body) {
  using Value = std::invoke_result_t<Body>;
  return runtime::guarded(base::ErrorCode::KernelFailed, what, [&]() -> base::Result<Value> {
    try {
      if constexpr (std::is_void_v<Value>) {
        body();
        return {};
      } else {
        return body();
      }
    } catch (const ffi::Error& error) {
      if (m_interpreter.stopRequested()) {
        return base::Error{base::ErrorCode::Cancelled, fmt::format("{} was stopped", what), {}, {}};
      }
      return runError(error);
    }
  });
}

// ---- VirtualMachine ----

void Machine::setLogs(const runtime::RuntimeLogs& logs) {
  m_interpreter.setMemoryLog(logs.memory);
  context().setLogs(logs);
}

void* Machine::libraryHandle() const {
  const ffi::Module& module = m_interpreter.module();
  return module.defined() ? runtime::libraryHandle(module) : nullptr;
}

base::Result<std::vector<ffi::Any>> Machine::convertInputs(const FunctionEntry& function, Values arguments) {
  if (static_cast<std::int64_t>(arguments.size()) != function.argumentCount) {
    return base::Error{
        base::ErrorCode::InvalidArgument,
        fmt::format("{} takes {} input{}{}, {} given", function.name, function.argumentCount,
                    function.argumentCount == 1 ? "" : "s", parameterList(function), arguments.size()),
        {},
        {}};
  }
  std::vector<ffi::Any> inputs;
  inputs.reserve(arguments.size());
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (isFitInput(m_interpreter.devices().front(), arguments[i])) {
      inputs.push_back(arguments[i]);
      continue;
    }
    const std::string name =
        i < function.parameterNames.size() ? function.parameterNames[i] : fmt::format("number {}", i);
    OPSCOPE_TRY_ASSIGN(ffi::Any input, convertInput(m_interpreter.allocator(),
                                                    m_interpreter.devices().front(), arguments[i], name));
    inputs.push_back(std::move(input));
  }
  return inputs;
}

base::Result<> Machine::checkFunction(std::string_view function) const {
  const ExecutableData& data = m_interpreter.data();
  const std::int64_t index = findFunction(data, function);
  if (index < 0 || data.functions[static_cast<std::size_t>(index)].kind == FunctionKind::Packed) {
    return base::Error{base::ErrorCode::InvalidArgument,
                       fmt::format("the executable has no function {} to run", function),
                       "it has: " + runnableFunctions(data),
                       {}};
  }
  return {};
}

base::Result<ffi::Any> Machine::invoke(std::string_view function, Values arguments) {
  const runtime::RunContextScope scope(context());
  if (m_functions.isSaved(function)) {
    const std::vector<ffi::AnyView> views(arguments.begin(), arguments.end());
    return running(function, [&] { return m_functions.call(m_functions.get(function), asArguments(views)); });
  }
  OPSCOPE_TRY(checkFunction(function));
  const auto index = static_cast<std::uint32_t>(findFunction(m_interpreter.data(), function));
  OPSCOPE_TRY_ASSIGN(const std::vector<ffi::Any> inputs,
                     convertInputs(m_interpreter.data().functions[index], arguments));
  return running(function, [&] { return m_interpreter.run(index, inputs); });
}

base::Result<ffi::Any> Machine::invokeGlobal(std::string_view name, Values arguments) {
  const runtime::RunContextScope scope(context());
  return runtime::guarded(base::ErrorCode::KernelFailed, name, [&]() -> base::Result<ffi::Any> {
    const std::optional<ffi::Function> function = ffi::Function::GetGlobal(name);
    if (!function.has_value()) {
      return base::Error{base::ErrorCode::MissingFunction,
                         fmt::format("no function {} is registered", name),
                         {},
                         kLoadAPlugin};
    }
    std::vector<ffi::AnyView> views(arguments.begin(), arguments.end());
    ffi::Any result;
    function->CallPacked(ffi::PackedArgs(views.data(), static_cast<std::int32_t>(views.size())), &result);
    return result;
  });
}

// ---- StatefulMachine ----

base::Result<> Machine::saveFunction(std::string_view function, const std::string& savedName,
                                     bool includeReturn, Values lastArguments) {
  const std::vector<ffi::AnyView> views(lastArguments.begin(), lastArguments.end());
  return asking("save_function",
                [&] { m_functions.save(function, savedName, includeReturn, asArguments(views)); });
}

base::Result<ffi::Any> Machine::closure(std::string_view function) const {
  return asking("closure", [&] { return ffi::Any(m_functions.get(function)); });
}

base::Result<ffi::Any> Machine::invokeClosure(const ffi::Any& callee, Values arguments) {
  const runtime::RunContextScope scope(context());
  const std::vector<ffi::AnyView> views(arguments.begin(), arguments.end());
  return running("invoke_closure", [&] { return m_functions.call(callee, asArguments(views)); });
}

base::Result<> Machine::setInput(std::string_view function, Values inputs) {
  const std::vector<ffi::AnyView> views(inputs.begin(), inputs.end());
  return asking("set_input", [&] {
    m_functions.setInput(function, asArguments(views), MachineFunctions::LastInput::Value);
  });
}

base::Result<> Machine::setInputWithParamModule(std::string_view function, Values inputs) {
  const runtime::RunContextScope scope(context());
  const std::vector<ffi::AnyView> views(inputs.begin(), inputs.end());
  return asking("set_input_with_param_module", [&] {
    m_functions.setInput(function, asArguments(views), MachineFunctions::LastInput::ParamModule);
  });
}

base::Result<> Machine::invokeStateful(std::string_view function) {
  const runtime::RunContextScope scope(context());
  OPSCOPE_TRY(asking("invoke_stateful", [&] { m_functions.requireInputs(function); }));
  return running(function, [&] { m_functions.invokeStateful(function); });
}

base::Result<std::int64_t> Machine::outputArity(std::string_view function, Path path) const {
  return asking("get_output_arity", [&] { return m_functions.outputArity(function, path); });
}

base::Result<ffi::Any> Machine::output(std::string_view function, Path path) const {
  return asking("get_output", [&] { return m_functions.output(function, path); });
}

base::Result<std::int64_t> Machine::functionArity(std::string_view function) const {
  return asking("get_function_arity", [&] { return m_functions.functionArity(function); });
}

base::Result<std::string> Machine::parameterName(std::string_view function, std::int64_t index) const {
  return asking("get_function_param_name", [&] { return m_functions.parameterName(function, index); });
}

}  // namespace opscope::vm
