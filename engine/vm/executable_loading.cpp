// SPDX-License-Identifier: Apache-2.0
// How the code of a library is loaded, by the version of TVM that built it.
#include <fmt/format.h>
#include <tvm/ffi/memory.h>

#include <algorithm>

#include "engine/runtime/ffi_error.h"
#include "engine/runtime/library.h"
#include "engine/runtime/plain_library.h"
#include "engine/vm/executable_module.h"

namespace opscope::vm {

namespace ffi = tvm::ffi;

namespace {

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

/// `standIns` gets the embedded kinds that could not be loaded.
base::Result<ffi::Module> loadModule(const ExecutableFile& file, std::vector<std::string>& standIns) {
  if (file.kernelCalls == KernelCalls::Plain) {
    return loadPlainModule(file, standIns);
  }
  const StandInLoaders loaders(file.moduleKinds);
  standIns = loaders.kinds();
  return runtime::loadLibrary(file.content, file.path.string(), "so", file.replacement);
}

}  // namespace

base::Result<ffi::Module> loadExecutableModule(const ExecutableFile& file) {
  OPSCOPE_TRY(checkMode(file));
  const std::string name = file.path.string();
  return runtime::guarded(base::ErrorCode::Internal, name, [&]() -> base::Result<ffi::Module> {
    std::vector<std::string> standIns;
    OPSCOPE_TRY_ASSIGN(ffi::Module module, loadModule(file, standIns));
    if (module->kind() != kExecutableKind) {
      return base::Error{base::ErrorCode::Format,
                         fmt::format("{}: its root module is of kind {}, expected {}", name, module->kind(),
                                     kExecutableKind),
                         {},
                         {}};
    }
    executableOf(module).setData(file.data, std::move(standIns));
    return module;
  });
}

}  // namespace opscope::vm
