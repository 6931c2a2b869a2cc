// SPDX-License-Identifier: Apache-2.0
// Libraries that a client uploaded. The session's thread.
#pragma once

#include <tvm/ffi/extra/module.h>

#include <filesystem>
#include <memory>

#include "engine/base/result.h"
#include "engine/runtime/library_bytes.h"

namespace opscope::rpc::server {

/// The module of a file: an executable (by opscope.vm.load_library of the registry, which checks every byte)
/// or a library of kernels. Objects and archives are linked first. Errors: as runtime::loadLibrary,
/// runtime::linkObjects, and what the registry's function raises.
base::Result<tvm::ffi::Module> loadUploaded(const std::filesystem::path& file);

/// The bytes of a shared library: the file's own, or what its objects give when they are linked. Errors: as
/// base::readFile and runtime::linkObjects; Unsupported for other files.
base::Result<std::shared_ptr<const runtime::LibraryBytes>> linkUploaded(const std::filesystem::path& file);

}  // namespace opscope::rpc::server
