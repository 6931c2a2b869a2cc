// SPDX-License-Identifier: Apache-2.0
// The ffi module that tvm-ffi's library loader makes from an embedded relax.VMExecutable, and stand-ins for
// kinds that this build cannot run. Used on the thread that loads the library.
#pragma once

#include <tvm/ffi/extra/module.h>
#include <tvm/ffi/string.h>

#include <span>
#include <string>
#include <vector>

#include "engine/vm/library_blob.h"

namespace opscope::vm {

// Objects of tvm-ffi are destroyed through a deleter of their exact type, so their destructors are not
// virtual.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wnon-virtual-dtor"

/// Holds the serialised bytes; the kernel library is among its imports once tvm-ffi has linked the tree. It
/// has no functions of its own: a VirtualMachine runs it.
class ExecutableModuleObj final : public tvm::ffi::ModuleObj {
 public:
  explicit ExecutableModuleObj(tvm::ffi::Bytes bytes) : m_bytes(std::move(bytes)) {}
  const char* kind() const final { return kExecutableKind.data(); }
  tvm::ffi::Optional<tvm::ffi::Function> GetFunction(const tvm::ffi::String&) final { return std::nullopt; }
  const tvm::ffi::Bytes& bytes() const { return m_bytes; }
  /// Drops the bytes, which nobody needs once the executable is decoded.
  void releaseBytes() { m_bytes = tvm::ffi::Bytes(); }

 private:
  tvm::ffi::Bytes m_bytes;
};

#pragma GCC diagnostic pop

/// Registers ffi.Module.load_from_bytes.relax.VMExecutable, replacing an earlier loader of that name.
void registerExecutableModule();

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
