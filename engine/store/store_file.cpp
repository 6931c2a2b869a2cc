// SPDX-License-Identifier: Apache-2.0
#include "engine/store/store_file.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include "engine/base/log.h"
#include "engine/store/database_error.h"
#include "engine/store/schema.h"
#include "engine/store/store_head.h"

namespace opscope::store {

namespace {

using base::Error;
using base::ErrorCode;
using base::Result;

enum class FileKind { Missing, Empty, Store };

constexpr std::size_t kHeaderBytes = 100;
constexpr std::size_t kApplicationIdAt = 68;  // of the header, 4 bytes, big-endian

/// The size of pages is settled when the first table is made. Large ones suit the columns of samples, which
/// span many of them.
constexpr const char* kNewFile = "PRAGMA page_size = 8192";

/// FULL: a commit returns when its part of the log is on the disk. The log shrinks again after large runs.
constexpr const char* kSettings =
    "PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;"
    "PRAGMA journal_size_limit = 16777216; PRAGMA cache_size = -16384";

Error systemError(const std::filesystem::path& path, int code) {
  return databaseError(path, SQLITE_CANTOPEN, {}, code);
}

/// Looks at the header without a connection, which would change what is not ours: its log, its locks.
Result<FileKind> kindOf(const std::filesystem::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) {
    return errno == ENOENT ? Result<FileKind>(FileKind::Missing) : Result<FileKind>(systemError(path, errno));
  }
  if (!S_ISREG(status.st_mode)) {
    return notAStore(path, S_ISDIR(status.st_mode) ? "a folder" : "a device or pipe");
  }
  if (status.st_size == 0) {
    return FileKind::Empty;
  }
  OPSCOPE_TRY_ASSIGN(const std::string header, readHead(path, kHeaderBytes));
  if (header.size() < kHeaderBytes || !looksLikeStore(header)) {
    return notAStore(path, "something that is no SQLite file");
  }
  std::uint32_t application = 0;
  for (std::size_t at = kApplicationIdAt; at < kApplicationIdAt + 4; ++at) {
    application = application << 8 | static_cast<unsigned char>(header[at]);
  }
  if (application != kApplicationId) {
    return notAStore(path, "an SQLite file of another program");
  }
  return FileKind::Store;
}

Error noStore(const std::filesystem::path& path) {
  return {ErrorCode::NotFound, fmt::format("There is no store of runs at {}.", path.string()), "",
          "opscope-cli profile FILE --save makes one."};
}

/// Where the disk cannot share memory between processes (some network file systems), the classic journal
/// stays.
Result<> useLog(const Database& database) {
  constexpr int kTries = 50;
  constexpr std::chrono::milliseconds kPause{100};
  for (int left = kTries;; --left) {
    auto statement = database.prepare("PRAGMA journal_mode = WAL");
    if (!statement) {
      return std::move(statement).error();
    }
    auto row = statement->step();
    if (row) {
      if (statement->text(0) != "wal") {
        base::log(base::LogLevel::Info, fmt::format("{} has no write-ahead log", database.path().string()));
      }
      return {};
    }
    // This change alone does not wait by itself when another process is just making the same one.
    if (row.error().code != ErrorCode::Timeout || left == 0) {
      return std::move(row).error();
    }
    std::this_thread::sleep_for(kPause);
  }
}

/// Whether reading works at all: SQLite opens files lazily.
Result<> tryToRead(const Database& database) {
  OPSCOPE_TRY_ASSIGN([[maybe_unused]] const std::int64_t tables,
                     database.integer("SELECT count(*) FROM sqlite_schema"));
  return {};
}

/// Where nothing may be written, or the disk is full, SQLite cannot make the files it locks by. Nobody who
/// writes has changed the store as long as its log is missing or empty, so that it can be read as it is.
bool readableAsItIs(const std::filesystem::path& path) {
  std::filesystem::path log = path;
  log += "-wal";
  std::error_code missing;
  const std::uintmax_t logged = std::filesystem::file_size(log, missing);
  return (missing || logged == 0) && ::access(path.c_str(), R_OK) == 0;
}

Result<Database> openForReading(const std::filesystem::path& path) {
  OPSCOPE_TRY_ASSIGN(Database database, Database::open(path, SQLITE_OPEN_READWRITE, false));
  auto readable = tryToRead(database);
  // On a read-only file system it says "not found", of the file for its locks.
  const bool cannot =
      !readable && (readable.error().code == ErrorCode::Io || readable.error().code == ErrorCode::NotFound);
  if (cannot && readableAsItIs(path)) {
    OPSCOPE_TRY_ASSIGN(database, Database::open(path, SQLITE_OPEN_READONLY, true));
    readable = tryToRead(database);
  }
  if (!readable) {
    return std::move(readable).error();
  }
  return database;
}

Result<Database> openForWriting(const std::filesystem::path& path, FileKind kind) {
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  if (kind == FileKind::Missing && ::access(folder.c_str(), W_OK | X_OK) != 0) {
    return systemError(path, errno);  // SQLite would tell that the file is not there
  }
  OPSCOPE_TRY_ASSIGN(Database database,
                     Database::open(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, false));
  if (sqlite3_db_readonly(database.handle(), "main") == 1) {
    return database.error(SQLITE_READONLY);
  }
  if (kind != FileKind::Store) {
    OPSCOPE_TRY(database.run(kNewFile));
  }
  return database;
}

}  // namespace

Result<Database> openStoreFile(const std::filesystem::path& path, Access access) {
  OPSCOPE_TRY_ASSIGN(const FileKind kind, kindOf(path));
  if (access == Access::Read && kind == FileKind::Empty && path.extension() == ".opscope") {
    return notAStore(path, "an empty file");
  }
  if (access == Access::Read && kind != FileKind::Store) {
    return noStore(path);
  }
  OPSCOPE_TRY_ASSIGN(Database database,
                     access == Access::Read ? openForReading(path) : openForWriting(path, kind));
  const bool isReadOnly = sqlite3_db_readonly(database.handle(), "main") == 1;
  OPSCOPE_TRY(isReadOnly ? standIn(database) : migrate(database, migrations()));
  if (access == Access::Write) {
    OPSCOPE_TRY(useLog(database));
  }
  OPSCOPE_TRY(database.run(kSettings));
  return database;
}

}  // namespace opscope::store
