// SPDX-License-Identifier: Apache-2.0
// What export_library of TVM writes when it does not link: objects, a static archive of them, or a tar
// archive (compressed or not). They become a shared library with the compiler of this computer. Any thread,
// which waits for the compiler.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "engine/runtime/library_bytes.h"

namespace opscope::runtime {

/// Told by content, whatever the file is called.
bool isLinkable(std::string_view bytes);

/// Links `bytes` into a library, in a private folder that is gone afterwards, with $CXX, $CC or the first of
/// c++, g++, clang++, cc, gcc and clang in PATH. Errors, naming `file`: Format for damaged archives and for
/// those without objects; Unsupported for objects of another architecture, for sources, and where there is no
/// compiler; Timeout; Io when the compiler fails, with its last words.
base::Result<std::shared_ptr<const LibraryBytes>> linkObjects(std::string_view bytes,
                                                              const std::string& file);

}  // namespace opscope::runtime
