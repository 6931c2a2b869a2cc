// SPDX-License-Identifier: Apache-2.0
#include "engine/session/opened_executable.h"

#include <sys/stat.h>

#include "engine/session/executable_info_builder.h"

namespace opscope::session {

std::optional<FileStamp> FileStamp::of(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) {
    return std::nullopt;
  }
  const auto inNs = [](const timespec& time) {
    return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
  };
  return FileStamp{status.st_dev, status.st_ino, static_cast<std::uint64_t>(status.st_size),
                   inNs(status.st_mtim), inNs(status.st_ctim)};
}

base::Result<std::unique_ptr<OpenedExecutable>> openExecutable(const std::string& path) {
  auto opened = std::make_unique<OpenedExecutable>();
  opened->path = path;
  opened->stamp = FileStamp::of(path);
  OPSCOPE_TRY_ASSIGN(opened->file, vm::readExecutableFile(path, vm::Architectures::Any));
  opened->info = std::make_shared<const ExecutableInfo>(buildExecutableInfo(opened->file));
  opened->file.linkedFrom.reset();  // the hash is known, and the linked library is what runs
  return opened;
}

FileState fileStateOf(const OpenedExecutable& opened) {
  const std::optional<FileStamp> now = FileStamp::of(opened.path);
  if (!now) {
    return FileState::Gone;
  }
  return now == opened.stamp ? FileState::Unchanged : FileState::Changed;
}

}  // namespace opscope::session
