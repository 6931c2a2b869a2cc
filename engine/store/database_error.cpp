// SPDX-License-Identifier: Apache-2.0
#include "engine/store/database_error.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <cerrno>
#include <cstring>

namespace opscope::store {

namespace {

using base::Error;
using base::ErrorCode;

constexpr int kPrimaryCode = 0xFF;
constexpr const char* kOtherPlace = "Name a store in another place with --store FILE or $OPSCOPE_STORE.";

/// One run, written to be sent to somebody, rather than the store of this computer.
bool isSessionFile(const std::filesystem::path& file) {
  return file.extension() == ".opscope";
}

std::string otherPlace(const std::filesystem::path& file) {
  return isSessionFile(file) ? "Choose another folder." : kOtherPlace;
}

std::string nameOf(const std::filesystem::path& file) {
  return fmt::format("{} {}", isSessionFile(file) ? "session file" : "store", file.string());
}

Error damaged(const std::filesystem::path& file, std::string_view words) {
  return {ErrorCode::Format, fmt::format("The {} is damaged.", nameOf(file)),
          fmt::format("SQLite says: {}.", words),
          isSessionFile(file)
              ? "It may have been cut off on its way: copy it again, or let it be saved again where it came "
                "from. "
                "\"sqlite3 FILE .recover\" saves what can be saved."
              : "Move it away to begin a new one. \"sqlite3 FILE .recover\" saves what can be saved."};
}

Error inputOutputError(const std::string& name, std::string_view words, int systemCode) {
  const std::string cause = systemCode != 0 ? std::strerror(systemCode) : std::string(words);
  return {ErrorCode::Io, fmt::format("Reading or writing the {} failed: {}", name, cause), "",
          systemCode == EFBIG ? "A limit on the size of files holds here (ulimit -f)." : ""};
}

Error cannotOpen(const std::filesystem::path& file, std::string_view words, int systemCode) {
  const std::string cause = systemCode != 0 ? std::strerror(systemCode) : std::string(words);
  return {systemCode == ENOENT ? ErrorCode::NotFound : ErrorCode::Io,
          fmt::format("Cannot open the {}: {}", nameOf(file), cause), "", otherPlace(file)};
}

}  // namespace

Error databaseError(const std::filesystem::path& file, int code, std::string_view words, int systemCode) {
  const std::string name = nameOf(file);
  switch (code & kPrimaryCode) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return {ErrorCode::Timeout, fmt::format("The {} is in use by another program.", name),
              "It did not become free within 5 seconds.", "Try again when the other program has finished."};
    case SQLITE_FULL:
      return {
          ErrorCode::Io, fmt::format("No room for the {}: the disk is full.", name), "",
          isSessionFile(file)
              ? "Free some space, or choose a folder on another disk."
              : "Free some space, delete runs (opscope-cli runs delete), or name a store on another disk."};
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return {ErrorCode::Io, fmt::format("The {} may not be written.", name),
              "The file or its folder is read-only for you.", otherPlace(file)};
    case SQLITE_CANTOPEN:
      return cannotOpen(file, words, systemCode);
    case SQLITE_NOTADB:
      return notAStore(file, "something else than an SQLite file, or a damaged one");
    case SQLITE_CORRUPT:
      return damaged(file, words);
    case SQLITE_IOERR:
      return inputOutputError(name, words, systemCode);
    case SQLITE_NOMEM:
      return {ErrorCode::OutOfMemory, fmt::format("The {} needs more memory than there is.", name), "", ""};
    case SQLITE_TOOBIG:
      return {ErrorCode::Unsupported, "The run is too large for the store.",
              "One value takes at most 1,000,000,000 bytes there.", "Write it to a file with --samples."};
    case SQLITE_INTERRUPT:
      return {ErrorCode::Cancelled, "Interrupted.", "", ""};
    default:
      return {ErrorCode::Internal, fmt::format("The {} failed: {}", name, words),
              fmt::format("SQLite's code is {}.", code), ""};
  }
}

Error notAStore(const std::filesystem::path& path, std::string_view found) {
  if (isSessionFile(path)) {
    return {ErrorCode::Format, fmt::format("{} is not a session file.", path.string()),
            fmt::format("Found {}, expected an SQLite file made by Opscope.", found),
            "It may have been changed or cut off on its way: copy it again, or let it be saved again where "
            "it came "
            "from."};
  }
  return {ErrorCode::Format, fmt::format("{} is not a store of runs.", path.string()),
          fmt::format("Found {}, expected an SQLite file made by Opscope. It was left as it is.", found),
          "Name another file with --store FILE or $OPSCOPE_STORE."};
}

}  // namespace opscope::store
