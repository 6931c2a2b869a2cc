// SPDX-License-Identifier: Apache-2.0
// Files that must not be opened a second time by plain means. The system ties a process's locks on a file to
// no descriptor: whoever closes any descriptor of it drops all of them. A database that works in this process
// (the store of runs) would then lose what other processes take for free. Any thread.
#pragma once

#include <filesystem>

#include "engine/base/result.h"

namespace opscope::base {

/// Holds unless the file is of a database (SQLite's, its log or shared memory) and has the same device and
/// inode as a descriptor of this process. Opens nothing. Whoever reads or replaces a file that a person named
/// asks first. `doing`: "read" or "replace". Errors: InvalidArgument.
Result<> checkNotHeld(const std::filesystem::path& path, std::string_view doing = "read");

}  // namespace opscope::base
