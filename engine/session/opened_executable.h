// SPDX-License-Identifier: Apache-2.0
// The executable that a session has open, and how it notices that the file was changed. On the worker.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "engine/base/result.h"
#include "engine/session/executable_info.h"
#include "engine/vm/executable_file.h"

namespace opscope::session {

/// What tells one state of a file on disk from another without reading it.
struct FileStamp {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t size = 0;
  std::int64_t modifiedNs = 0;
  std::int64_t changedNs = 0;
  bool operator==(const FileStamp&) const = default;

  /// Nothing when there is no such file.
  static std::optional<FileStamp> of(const std::string& path);
};

struct OpenedExecutable {
  std::string path;  ///< as it was asked for
  std::optional<FileStamp> stamp;
  vm::ExecutableFile file;
  std::shared_ptr<const ExecutableInfo> info;
};

/// Reads and decodes the file, which may be for another architecture: nothing of it is run. Errors: those of
/// vm::readExecutableFile.
base::Result<std::unique_ptr<OpenedExecutable>> openExecutable(const std::string& path);

enum class FileState { Unchanged, Changed, Gone };

/// How the file on disk stands to what was read. The stamp is taken before reading, so a change during
/// reading counts as a change.
FileState fileStateOf(const OpenedExecutable& opened);

}  // namespace opscope::session
