// SPDX-License-Identifier: Apache-2.0
// Loading of compiled libraries and of plugins. On the session's worker, like every object of tvm-ffi.
#pragma once

#include <tvm/ffi/extra/module.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/runtime/library_bytes.h"
#include "engine/runtime/private_copy.h"

namespace opscope::runtime {

/// Loads the code of a library from a private copy of `content`, so that nothing that happens to the file on
/// disk later matters, and two loads of the same file are independent. Returns tvm-ffi's root module (kind
/// "relax.VMExecutable" with the library among its imports, or "library"). The library stays loaded as long
/// as the module or a function of it lives. `format` picks tvm-ffi's loader,
/// "ffi.Module.load_from_file.<format>". `content` must have passed the executable's decoder: tvm-ffi itself
/// does not check what is embedded. Errors, naming `displayName`: Format and Unsupported as ElfImage gives
/// them, MissingFunction listing every symbol that nothing provides, Io, and what the loaders of embedded
/// modules raise (Format). Mirrors ffi::Module::LoadFromFile. registerBackendSymbols must have been called.
/// `replacement` takes the place of bytes that the code does not need; nothing by default.
base::Result<tvm::ffi::Module> loadLibrary(const std::shared_ptr<const LibraryBytes>& content,
                                           const std::string& displayName, const std::string& format = "so",
                                           const Replacement& replacement = {});
base::Result<tvm::ffi::Module> loadLibrary(const std::shared_ptr<const std::string>& content,
                                           const std::string& displayName, const std::string& format = "so");

/// The loader's handle of the library that loadLibrary made `module` from, valid as long as the module;
/// nullptr for other modules.
void* libraryHandle(const tvm::ffi::Module& module);

struct Plugin {
  std::filesystem::path path;
  bool alreadyLoaded = false;          ///< it was loaded before; nothing was run
  std::vector<std::string> functions;  ///< global functions that are new since it was loaded
};

/// Loads a user's library of registered functions for the rest of the process, calling its
/// `int opscope_plugin_init(void)` where it exports one. Errors name the file: NotFound, Io; Format,
/// Unsupported as ElfImage gives them; MissingFunction for unresolved symbols; KernelFailed when the init
/// function fails.
base::Result<Plugin> loadPlugin(const std::filesystem::path& path);

}  // namespace opscope::runtime
