// SPDX-License-Identifier: Apache-2.0
// Why the system's loader refused a library, in words. Inside of loadLibrary and loadPlugin.
#pragma once

#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/runtime/elf_image.h"

namespace opscope::runtime {

/// Symbols that `image` needs and that neither this program nor the libraries it names provide.
std::vector<std::string> unresolvedSymbols(const ElfImage& image);

/// The error for a library that dlopen refused: MissingFunction naming every unresolved symbol where that is
/// the cause, otherwise Io with the loader's own words. `loaderMessage` is dlerror's, `path` what dlopen was
/// given.
base::Error loaderError(const ElfImage& image, const std::string& path, std::string loaderMessage);

}  // namespace opscope::runtime
