// SPDX-License-Identifier: Apache-2.0
#include "engine/base/held_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <cstring>
#include <memory>
#include <string_view>

namespace opscope::base {

namespace {

constexpr std::string_view kDatabaseMagic("SQLite format 3\0", 16);

bool isSameFile(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/// How databases open their files; nothing else of ours does so with files that people name.
bool isOfDatabase(int descriptor) {
  const int flags = ::fcntl(descriptor, F_GETFL);
  if (flags < 0 || (flags & O_PATH) != 0) {
    return false;
  }
  if ((flags & O_ACCMODE) == O_RDWR) {
    return true;
  }
  char head[kDatabaseMagic.size()] = {};
  return ::pread(descriptor, head, sizeof head, 0) == static_cast<ssize_t>(sizeof head) &&
         std::string_view(head, sizeof head) == kDatabaseMagic;
}

bool isHeld(const struct stat& wanted) {
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir("/proc/self/fd"), &::closedir);
  while (const dirent* entry = folder ? ::readdir(folder.get()) : nullptr) {
    int descriptor = -1;
    const char* const end = entry->d_name + std::strlen(entry->d_name);
    const auto parsed = std::from_chars(entry->d_name, end, descriptor);
    struct stat status {};
    if (parsed.ptr == end && parsed.ec == std::errc() && ::fstat(descriptor, &status) == 0 &&
        isSameFile(status, wanted) && isOfDatabase(descriptor)) {
      return true;
    }
  }
  return false;
}

}  // namespace

Result<> checkNotHeld(const std::filesystem::path& path, std::string_view doing) {
  struct stat wanted {};
  // Files of /proc are empty by their size, and are read too often for a look.
  if (::stat(path.c_str(), &wanted) != 0 || !S_ISREG(wanted.st_mode) || wanted.st_size == 0 ||
      !isHeld(wanted)) {
    return {};
  }
  return Error{ErrorCode::InvalidArgument,
               "Cannot " + std::string(doing) + " " + path.string() +
                   ": it belongs to the store of runs that is open here",
               "Reading or replacing it by other means would lose runs.", "Choose another file."};
}

}  // namespace opscope::base
