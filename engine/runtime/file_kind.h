// SPDX-License-Identifier: Apache-2.0
// What a file is that someone took for a library, by its first bytes. Any thread; values only.
#pragma once

#include <string_view>

namespace opscope::runtime {

struct FileKind {
  std::string_view description;  ///< after "it is": "a Windows library (PE/COFF)"
  std::string_view hint;         ///< what to do, may be empty
};

/// Never fails: unknown content is "of an unknown kind".
FileKind recogniseFile(std::string_view bytes);

}  // namespace opscope::runtime
