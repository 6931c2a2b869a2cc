// SPDX-License-Identifier: Apache-2.0
// Files that must not be opened a second time by plain means. The system ties a process's locks on a file to
// no descriptor: whoever closes any descriptor of it drops all of them. A database that works in this process
// (the store of runs) would then lose what other processes take for free. Any thread.
#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

#include "engine/base/result.h"

namespace opscope::base {

/// While it lives, a database of this process works with the file and with those that stand beside it: its
/// log, its shared memory, its journal.
class FileHold {
 public:
  explicit FileHold(const std::filesystem::path& database);

 private:
  std::shared_ptr<const std::filesystem::path> m_database;  ///< among those that are held as long as it lives
};

/// Holds unless a FileHold is on the file: same device and inode. Opens nothing. Whoever reads or replaces a
/// file that a person named asks first. `doing`: "read" or "replace". Errors: InvalidArgument.
Result<> checkNotHeld(const std::filesystem::path& path, std::string_view doing = "read");

}  // namespace opscope::base
