// SPDX-License-Identifier: Apache-2.0
#include "engine/store/store_head.h"

#include <sqlite3.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <new>

#include "engine/base/held_file.h"
#include "engine/store/database_error.h"

namespace opscope::store {

namespace {

/// A file that SQLite's default way to the system opened for reading.
class SystemFile {
 public:
  explicit SystemFile(const std::filesystem::path& path)
      : m_system(sqlite3_vfs_find(nullptr)),
        m_name(sqlite3_create_filename(path.c_str(), "", "", 0, nullptr)),
        m_memory(std::make_unique<std::byte[]>(static_cast<std::size_t>(m_system->szOsFile))) {
    if (m_name == nullptr) {
      throw std::bad_alloc();
    }
    m_code = m_system->xOpen(m_system, m_name, file(), SQLITE_OPEN_READONLY | SQLITE_OPEN_MAIN_DB, nullptr);
    m_systemCode = m_code == SQLITE_OK ? 0 : errno;
  }
  ~SystemFile() {
    if (file()->pMethods != nullptr) {
      file()->pMethods->xClose(file());
    }
    sqlite3_free_filename(m_name);
  }
  SystemFile(const SystemFile&) = delete;
  SystemFile& operator=(const SystemFile&) = delete;

  int code() const { return m_code; }
  int systemCode() const { return m_systemCode; }
  int read(std::string& into) {
    return file()->pMethods->xRead(file(), into.data(), static_cast<int>(into.size()), 0);
  }

 private:
  sqlite3_file* file() const { return reinterpret_cast<sqlite3_file*>(m_memory.get()); }

  sqlite3_vfs* m_system;
  sqlite3_filename m_name;
  std::unique_ptr<std::byte[]> m_memory;
  int m_code = SQLITE_OK;
  int m_systemCode = 0;
};

/// The one file of a store that SQLite opens behind the back of its own table of open files.
bool isSharedMemory(const std::filesystem::path& path) {
  std::error_code unknown;
  const std::filesystem::path real = std::filesystem::canonical(path, unknown);
  return (unknown ? path : real).native().ends_with("-shm");
}

}  // namespace

base::Result<std::string> readHead(const std::filesystem::path& path, std::size_t size) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) {
    return databaseError(path, SQLITE_CANTOPEN, {}, errno);
  }
  if (!S_ISREG(status.st_mode)) {
    return std::string();
  }
  if (isSharedMemory(path)) {
    OPSCOPE_TRY(base::checkNotHeld(path));
  }
  SystemFile file(std::filesystem::absolute(path));
  if (file.code() != SQLITE_OK) {
    return databaseError(path, file.code(), {}, file.systemCode());
  }
  std::string head(std::min(size, static_cast<std::size_t>(status.st_size)), '\0');
  const int code = head.empty() ? SQLITE_OK : file.read(head);
  if (code != SQLITE_OK && code != SQLITE_IOERR_SHORT_READ) {  // it became shorter meanwhile: zeros
    return databaseError(path, code, {}, 0);
  }
  return head;
}

}  // namespace opscope::store
