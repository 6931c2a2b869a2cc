// SPDX-License-Identifier: Apache-2.0
// The ffi module that tvm-ffi's library loader makes from an embedded relax.VMExecutable, and stand-ins for
// kinds that this build cannot run. Used on the thread that loads the library. Behaviour: VMExecutable of
// TVM's runtime.
#pragma once

#include <tvm/ffi/extra/module.h>
#include <tvm/ffi/string.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/vm/executable_file.h"
#include "engine/vm/library_blob.h"

namespace opscope::vm {

// Objects of tvm-ffi are destroyed through a deleter of their exact type, so their destructors are not
// virtual.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wnon-virtual-dtor"

/// Holds the serialised bytes until they are decoded; the kernel library is among its imports once tvm-ffi
/// has linked the tree. Its functions: stats, as_text, as_python, has_function(name), vm_load_executable and
/// vm_profiler_load_executable, which give modules of kind relax.VirtualMachine (machine_module.h).
class ExecutableModuleObj final : public tvm::ffi::ModuleObj {
 public:
  explicit ExecutableModuleObj(tvm::ffi::Bytes bytes) : m_bytes(std::move(bytes)) {}
  const char* kind() const final { return kExecutableKind.data(); }
  tvm::ffi::Optional<tvm::ffi::Function> GetFunction(const tvm::ffi::String& name) final;

  /// Decodes the bytes at the first call. Raises what the decoder finds wrong.
  std::shared_ptr<const ExecutableData> data();
  /// Gives it what is decoded already; the bytes are dropped. `standIns` are embedded kinds that could not be
  /// loaded.
  void setData(std::shared_ptr<const ExecutableData> data, std::vector<std::string> standIns);
  const std::vector<std::string>& standIns() const { return m_standIns; }

 private:
  tvm::ffi::Bytes m_bytes;
  std::shared_ptr<const ExecutableData> m_data;
  std::vector<std::string> m_standIns;
};

#pragma GCC diagnostic pop

/// Loads the code of a library that was read and checked; the module is an ExecutableModuleObj that has its
/// data. Errors: as runtime::loadLibrary; Format when its root is no executable.
base::Result<tvm::ffi::Module> loadExecutableModule(const ExecutableFile& file);

/// The executable behind a module of kind relax.VMExecutable. Raises TypeError for other modules.
ExecutableModuleObj& executableOf(const tvm::ffi::Module& module);

/// Registers, replacing earlier ones: ffi.Module.load_from_bytes.relax.VMExecutable (for tvm-ffi's library
/// loader), ffi.Module.load_from_file.relax.VMExecutable and relax.ExecutableLoadFromFile (a file of
/// serialised bytes without kernels), and kLoadLibraryFunction.
void registerExecutableModule();

/// (path of a library) -> module of kind relax.VMExecutable, every byte checked before its code is loaded;
/// tvm-ffi's own loader trusts the file.
inline constexpr const char* kLoadLibraryFunction = "opscope.vm.load_library";

/// (module of kind relax.VMExecutable) -> module of a machine with `profile`. Registered by engine/profile,
/// which stands above this module; called by vm_profiler_load_executable.
inline constexpr const char* kProfilerFactory = "opscope.vm.make_profiler";

/// While it lives, embedded modules of the given kinds that nobody can load become modules without functions,
/// so that a file with CUDA kernels, for example, opens all the same. The registry is as before when it ends.
class StandInLoaders {
 public:
  explicit StandInLoaders(std::span<const std::string> kinds);
  ~StandInLoaders();
  StandInLoaders(const StandInLoaders&) = delete;
  StandInLoaders& operator=(const StandInLoaders&) = delete;

  /// The kinds that got a stand-in: what a run may fail for.
  const std::vector<std::string>& kinds() const { return m_kinds; }

 private:
  std::vector<std::string> m_kinds;
};

}  // namespace opscope::vm
