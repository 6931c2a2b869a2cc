// SPDX-License-Identifier: Apache-2.0
#include "engine/base/held_file.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>

namespace opscope::base {

namespace {

/// How the files of a store begin: SQLite's database, its log in either order of bytes, and the memory that
/// its processes share, which begins with a version as a number of this machine.
constexpr std::string_view kDatabaseMagic("SQLite format 3\0", 16);
constexpr std::string_view kLogMagics[] = {{"\x37\x7f\x06\x82", 4}, {"\x37\x7f\x06\x83", 4}};
constexpr std::uint32_t kSharedMemoryVersion = 3007000;

bool beginsAsDatabase(std::string_view head) {
  std::uint32_t version = 0;
  if (head.size() < sizeof version) {
    return false;
  }
  std::memcpy(&version, head.data(), sizeof version);
  return head.starts_with(kDatabaseMagic) || head.starts_with(kLogMagics[0]) ||
         head.starts_with(kLogMagics[1]) || version == kSharedMemoryVersion;
}

bool isSameFile(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/// Others that are open here, an upload that is being written say, may be read meanwhile.
bool isOfDatabase(int descriptor) {
  char head[kDatabaseMagic.size()] = {};
  const ssize_t got = ::pread(descriptor, head, sizeof head, 0);
  return got > 0 && beginsAsDatabase({head, static_cast<std::size_t>(got)});
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
