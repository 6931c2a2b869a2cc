// SPDX-License-Identifier: Apache-2.0
// Reads a library that holds a VM executable without loading any of its code. Result is immutable; any
// thread.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/runtime/library_bytes.h"
#include "engine/runtime/private_copy.h"
#include "engine/vm/executable.h"

namespace opscope::vm {

/// A kernel that the library exports, by the name in the function table.
struct KernelInfo {
  std::string name;
  /// TVM keeps it as text for its error messages, "add(a: Tensor([16], float32), ...)"; empty when absent.
  std::string signature;
  std::uint64_t size = 0;  ///< of its symbol in bytes, 0 when unknown
};

/// How kernels are found in a library, and how they take tensors.
enum class KernelCalls {
  Prefixed,  ///< `__tvm_ffi_add`, tensors as objects of tvm-ffi: TVM 0.22 and later
  Plain,     ///< `add`, tensors as DLTensor: TVM 0.21
};

struct ExecutableFile {
  std::filesystem::path path;
  /// The whole file as it was when opened, but for the executable in it (see ConstantPool).
  std::shared_ptr<const runtime::LibraryBytes> content;
  /// Bytes of the file where they had to be linked first: `content` is the library then.
  std::shared_ptr<const runtime::LibraryBytes> linkedFrom;
  runtime::Replacement replacement;  ///< what the library's code is loaded with in place of the executable
  std::string architecture;          ///< "x86-64", "aarch64"
  std::string tvmVersion;            ///< as far as the file tells: "0.26 or 0.27", "0.25", "0.21"
  KernelCalls kernelCalls = KernelCalls::Prefixed;
  std::vector<std::string> moduleKinds;  ///< kinds in the embedded tree, "relax.VMExecutable", "_lib", "cuda"
  /// In the order of the function table; then those that it does not name, by symbol (compiled mode).
  std::vector<KernelInfo> kernels;
  std::vector<std::string> undefinedSymbols;  ///< that the library needs from its host, weak ones left out
  std::shared_ptr<const ExecutableData> data;
};

/// Which libraries are read: those that this machine can run, or all, to look at them.
enum class Architectures { Host, Any };

/// Reads a library, or what export_library of TVM wrote without linking it (see runtime::linkObjects), and
/// checks in this order: ELF class and architecture, what it holds, every byte of the executable.
/// Errors: NotFound, Io; Format or Unsupported, naming the file, the place, what was found and what was
/// expected; those of linkObjects.
base::Result<ExecutableFile> readExecutableFile(const std::filesystem::path& path,
                                                Architectures architectures = Architectures::Host);

/// The same for bytes that were read before; `path` is for messages and the result.
base::Result<ExecutableFile> parseExecutableFile(std::shared_ptr<const runtime::LibraryBytes> content,
                                                 const std::filesystem::path& path,
                                                 Architectures architectures = Architectures::Host);
base::Result<ExecutableFile> parseExecutableFile(const std::shared_ptr<const std::string>& content,
                                                 const std::filesystem::path& path,
                                                 Architectures architectures = Architectures::Host);

}  // namespace opscope::vm
