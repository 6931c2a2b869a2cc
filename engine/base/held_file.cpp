// SPDX-License-Identifier: Apache-2.0
#include "engine/base/held_file.h"

#include <sys/stat.h>

#include <mutex>
#include <string>
#include <vector>

namespace opscope::base {

namespace {

struct Holds {
  std::mutex mutex;
  std::vector<std::weak_ptr<const std::filesystem::path>> databases;
};

Holds& holds() {
  static Holds all;
  return all;
}

/// Those that live now; the others are forgotten.
std::vector<std::shared_ptr<const std::filesystem::path>> heldNow() {
  Holds& all = holds();
  const std::lock_guard lock(all.mutex);
  std::vector<std::shared_ptr<const std::filesystem::path>> living;
  std::erase_if(all.databases, [&living](const auto& database) {
    if (auto path = database.lock()) {
      living.push_back(std::move(path));
      return false;
    }
    return true;
  });
  return living;
}

bool isOf(const std::filesystem::path& database, const struct stat& wanted) {
  for (const char* const end : {"", "-wal", "-shm", "-journal"}) {
    struct stat status {};
    if (::stat((database.native() + end).c_str(), &status) == 0 && status.st_dev == wanted.st_dev &&
        status.st_ino == wanted.st_ino) {
      return true;
    }
  }
  return false;
}

}  // namespace

FileHold::FileHold(const std::filesystem::path& database) {
  std::error_code unknown;
  // The log stands beside what a link leads to.
  const std::filesystem::path whole = std::filesystem::weakly_canonical(database, unknown);
  m_database = std::make_shared<const std::filesystem::path>(unknown ? database : whole);
  Holds& all = holds();
  const std::lock_guard lock(all.mutex);
  all.databases.push_back(m_database);
}

Result<> checkNotHeld(const std::filesystem::path& path, std::string_view doing) {
  const auto held = heldNow();
  struct stat wanted {};
  if (held.empty() || ::stat(path.c_str(), &wanted) != 0 || !S_ISREG(wanted.st_mode)) {
    return {};
  }
  for (const auto& database : held) {
    if (isOf(*database, wanted)) {
      return Error{ErrorCode::InvalidArgument,
                   "Cannot " + std::string(doing) + " " + path.string() +
                       ": it belongs to the store of runs that is open here",
                   "Reading or replacing it by other means would lose runs.", "Choose another file."};
    }
  }
  return {};
}

}  // namespace opscope::base
