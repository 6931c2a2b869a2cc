// SPDX-License-Identifier: Apache-2.0
// Names of files for what is handed on: folders tell where somebody works. Any thread; pure functions.
#pragma once

#include <string>
#include <string_view>

namespace opscope::report {

/// The last part of a path.
std::string fileNameOf(std::string_view path);

/// A run's inputs in words, "x float32 [4] @/tmp/x.npz:key; …", or its function, which may be the file of a
/// scenario: with the names alone of the files. Folders may hold blanks.
std::string withoutFolders(std::string_view words);

}  // namespace opscope::report
