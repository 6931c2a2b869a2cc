// SPDX-License-Identifier: Apache-2.0
// The files in a tar archive, from untrusted bytes; nothing is written to disk. Any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"

namespace opscope::runtime {

struct TarEntry {
  std::string name;        ///< as it stands there, no ".." in it and not absolute
  std::string_view bytes;  ///< in the archive's
};

/// True for a tar archive, not for a compressed one.
bool isTar(std::string_view bytes);

/// The regular files, in order; folders are left out. Reads ustar, pax and GNU's long names. Errors, naming
/// `file`, the entry and the byte: Format for damaged and cut headers, wrong checksums and sizes, names that
/// lead out of the archive, and for links and devices, which a library has no use for.
base::Result<std::vector<TarEntry>> readTar(std::string_view bytes, const std::string& file);

}  // namespace opscope::runtime
