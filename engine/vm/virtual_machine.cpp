// SPDX-License-Identifier: Apache-2.0
#include "engine/vm/virtual_machine.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/runtime/ffi_error.h"
#include "engine/runtime/library.h"
#include "engine/runtime/plain_library.h"
#include "engine/runtime/run_context.h"
#include "engine/vm/executable_module.h"
#include "engine/vm/input_conversion.h"
#include "engine/vm/interpreter.h"

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

class Machine final : public VirtualMachine {
 public:
  Machine(const ExecutableFile& file, const Options& options, runtime::RunContext& context,
          std::vector<std::string> standIns)
      : m_context(context),
        m_standIns(std::move(standIns)),
        m_interpreter(file.data, options.devices, options.allocator, options.recursionLimit) {}

  base::Result<> load(ffi::Module module) { return m_interpreter.load(std::move(module), m_standIns); }

  base::Result<ffi::Any> invoke(std::string_view function, std::span<const ffi::Any> arguments) override;
  base::Result<ffi::Any> invokeGlobal(std::string_view name, std::span<const ffi::Any> arguments) override;
  void setObserver(CallObserver* observer) override { m_interpreter.setObserver(observer); }
  void requestStop() override { m_interpreter.requestStop(); }
  void clearStop() override { m_interpreter.clearStop(); }
  const ExecutableData& executable() const override { return m_interpreter.data(); }
  runtime::AllocatorCounters allocatorCounters() const override {
    return m_interpreter.allocator().counters();
  }

 private:
  base::Result<std::vector<ffi::Any>> convertInputs(const FunctionEntry& function,
                                                    std::span<const ffi::Any> arguments);
  base::Error runError(const ffi::Error& error) const;
  std::string placeText() const;

  runtime::RunContext& m_context;
  std::vector<std::string> m_standIns;
  Interpreter m_interpreter;
};

base::Result<std::vector<ffi::Any>> Machine::convertInputs(const FunctionEntry& function,
                                                           std::span<const ffi::Any> arguments) {
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
    const std::string name =
        i < function.parameterNames.size() ? function.parameterNames[i] : fmt::format("number {}", i);
    OPSCOPE_TRY_ASSIGN(ffi::Any input, convertInput(m_interpreter.allocator(), arguments[i], name));
    inputs.push_back(std::move(input));
  }
  return inputs;
}

std::string Machine::placeText() const {
  const auto& place = m_interpreter.failure();
  const ExecutableData& data = m_interpreter.data();
  if (!place.has_value()) {
    return "run";
  }
  const std::string& function = data.functions[place->function].name;
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
    told.hint = "Load the library that registers it: --plugin LIB.so";
  }
  if (!m_standIns.empty()) {
    told.detail += fmt::format("{}The file holds modules that this build cannot run: {}.",
                               told.detail.empty() ? "" : "\n", fmt::join(m_standIns, ", "));
    told.hint.clear();
  }
  return told;
}

base::Result<ffi::Any> Machine::invoke(std::string_view function, std::span<const ffi::Any> arguments) {
  const ExecutableData& data = m_interpreter.data();
  const std::int64_t index = findFunction(data, function);
  if (index < 0 || data.functions[static_cast<std::size_t>(index)].kind == FunctionKind::Packed) {
    return base::Error{base::ErrorCode::InvalidArgument,
                       fmt::format("the executable has no function {} to run", function),
                       "it has: " + runnableFunctions(data),
                       {}};
  }
  const runtime::RunContextScope scope(m_context);
  OPSCOPE_TRY_ASSIGN(const std::vector<ffi::Any> inputs,
                     convertInputs(data.functions[static_cast<std::size_t>(index)], arguments));
  return runtime::guarded(base::ErrorCode::KernelFailed, function, [&]() -> base::Result<ffi::Any> {
    try {
      return m_interpreter.run(static_cast<std::uint32_t>(index), inputs);
    } catch (const ffi::Error& error) {
      if (m_interpreter.stopRequested()) {
        return base::Error{base::ErrorCode::Cancelled, fmt::format("{} was stopped", function), {}, {}};
      }
      return runError(error);
    }
  });
}

base::Result<ffi::Any> Machine::invokeGlobal(std::string_view name, std::span<const ffi::Any> arguments) {
  const runtime::RunContextScope scope(m_context);
  return runtime::guarded(base::ErrorCode::KernelFailed, name, [&]() -> base::Result<ffi::Any> {
    const std::optional<ffi::Function> function = ffi::Function::GetGlobal(name);
    if (!function.has_value()) {
      return base::Error{base::ErrorCode::MissingFunction,
                         fmt::format("no function {} is registered", name),
                         {},
                         "Load the library that registers it: --plugin LIB.so"};
    }
    std::vector<ffi::AnyView> views(arguments.begin(), arguments.end());
    ffi::Any result;
    function->CallPacked(ffi::PackedArgs(views.data(), static_cast<std::int32_t>(views.size())), &result);
    return result;
  });
}

/// Compiled functions of TVM 0.21 hand objects of the old layout to kernels and builtins.
base::Result<> checkMode(const ExecutableFile& file) {
  const auto compiled = std::ranges::find(file.data->functions, FunctionKind::VmTir, &FunctionEntry::kind);
  if (file.kernelCalls == KernelCalls::Prefixed || compiled == file.data->functions.end()) {
    return {};
  }
  return base::Error{base::ErrorCode::Unsupported,
                     fmt::format("{} was built by TVM {} in compiled mode, which cannot run here",
                                 file.path.string(), file.tvmVersion),
                     fmt::format("Its function {} is machine code that takes tensors of another layout than "
                                 "today's.",
                                 compiled->name),
                     "build it with exec_mode=\"bytecode\", or with TVM 0.25 to 0.27"};
}

/// The executable's module with the library among its imports, as tvm-ffi's loader makes it for newer ones.
base::Result<ffi::Module> loadPlainModule(const ExecutableFile& file, std::vector<std::string>& standIns) {
  OPSCOPE_TRY_ASSIGN(const ffi::Module library,
                     runtime::loadPlainLibrary(file.content, file.path.string(), file.replacement));
  for (const std::string& kind : file.moduleKinds) {
    if (kind != kLibraryKind && kind != kExecutableKind) {
      standIns.push_back(kind);  // device modules of that version have formats of their own
    }
  }
  ffi::Module root(ffi::make_object<ExecutableModuleObj>(ffi::Bytes()));
  root->ImportModule(library);
  return root;
}

struct LoadedModule {
  ffi::Module module;
  std::vector<std::string> standIns;  ///< embedded kinds that could not be loaded
};

base::Result<LoadedModule> loadModule(const ExecutableFile& file) {
  LoadedModule loaded{ffi::Module(ffi::UnsafeInit{}), {}};
  if (file.kernelCalls == KernelCalls::Plain) {
    OPSCOPE_TRY_ASSIGN(loaded.module, loadPlainModule(file, loaded.standIns));
    return loaded;
  }
  const StandInLoaders standIns(file.moduleKinds);
  loaded.standIns = standIns.kinds();
  OPSCOPE_TRY_ASSIGN(loaded.module,
                     runtime::loadLibrary(file.content, file.path.string(), "so", file.replacement));
  return loaded;
}

base::Result<> checkOptions(const VirtualMachine::Options& options) {
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

}  // namespace

base::Result<std::unique_ptr<VirtualMachine>> VirtualMachine::create(const ExecutableFile& file,
                                                                     const Options& options,
                                                                     runtime::RunContext& context) {
  OPSCOPE_TRY(checkOptions(options));
  OPSCOPE_TRY(checkMode(file));
  const runtime::RunContextScope scope(context);
  const std::string name = file.path.string();
  return runtime::guarded(
      base::ErrorCode::Internal, name, [&]() -> base::Result<std::unique_ptr<VirtualMachine>> {
        OPSCOPE_TRY_ASSIGN(LoadedModule loadedModule, loadModule(file));
        ffi::Module module = std::move(loadedModule.module);
        if (module->kind() != kExecutableKind) {
          return base::Error{base::ErrorCode::Format,
                             fmt::format("{}: its root module is of kind {}, expected {}", name,
                                         module->kind(), kExecutableKind),
                             {},
                             {}};
        }
        auto machine = std::make_unique<Machine>(file, options, context, std::move(loadedModule.standIns));
        auto loaded = machine->load(std::move(module));
        if (!loaded) {
          base::Error error = std::move(loaded).error();
          error.message = fmt::format("{}: {}", name, error.message);
          return error;
        }
        return std::unique_ptr<VirtualMachine>(std::move(machine));
      });
}

}  // namespace opscope::vm
