// SPDX-License-Identifier: Apache-2.0
// The ffi module that tvm-ffi's library loader makes from an embedded relax.VMExecutable, and stand-ins for
// kinds that this build cannot run. Used on the thread that loads the library.
#pragma once

#include <tvm/ffi/extra/module.h>
#include <tvm/ffi/string.h>

#include <string>
#include <vector>

namespace opscope::vm {

/// Holds the serialised bytes; the kernel library is among its imports once tvm-ffi has linked the tree. It
/// has no functions of its own: a VirtualMachine runs it.
class ExecutableModuleObj : public tvm::ffi::ModuleObj {
 public:
  explicit ExecutableModuleObj(tvm::ffi::Bytes bytes) : m_bytes(std::move(bytes)) {}
  const char* kind() const final { return "relax.VMExecutable"; }
  tvm::ffi::Optional<tvm::ffi::Function> GetFunction(const tvm::ffi::String&) final { return std::nullopt; }
  const tvm::ffi::Bytes& bytes() const { return m_bytes; }
  /// Drops the bytes, which a machine no longer needs once it is made.
  void releaseBytes() { m_bytes = tvm::ffi::Bytes(); }

 private:
  tvm::ffi::Bytes m_bytes;
};

/// Stands for an embedded module of a kind that needs a device library, so that the file opens all the same.
/// Has no functions; its own message names the kind.
class UnsupportedModuleObj : public tvm::ffi::ModuleObj {
 public:
  explicit UnsupportedModuleObj(std::string moduleKind) : m_kind(std::move(moduleKind)) {}
  const char* kind() const final { return m_kind.c_str(); }
  tvm::ffi::Optional<tvm::ffi::Function> GetFunction(const tvm::ffi::String&) final { return std::nullopt; }

 private:
  std::string m_kind;
};

/// Registers ffi.Module.load_from_bytes.relax.VMExecutable, and stand-ins for the other kinds TVM embeds
/// where nobody has registered a loader. Replaces an earlier VMExecutable loader.
void registerExecutableModule();

/// Kinds of stand-ins among `root` and its imports, each once, in the order met: what a run may fail for.
std::vector<std::string> unsupportedKinds(const tvm::ffi::Module& root);

}  // namespace opscope::vm
