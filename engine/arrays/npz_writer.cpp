// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zip.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <set>

#include "engine/arrays/npy.h"
#include "engine/arrays/npz.h"
#include "engine/base/atomic_file.h"
#include "engine/base/held_file.h"

namespace opscope::arrays {

namespace {

using base::Error;
using base::ErrorCode;
using base::Result;

/// 1980-01-01, the earliest day that zip knows, as numpy writes it.
constexpr zip_uint16_t kDosDate = 1 << 5 | 1;
constexpr int kDeflateLevel = 6;
/// libzip removes archives without entries, numpy writes the end record alone.
constexpr std::string_view kEmptyArchive("PK\5\6\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 22);

Error writeError(const std::filesystem::path& path, std::string_view cause, ErrorCode code = ErrorCode::Io) {
  return {code, fmt::format("Cannot write {}: {}", path.string(), cause), {}, {}};
}

Error systemError(const std::filesystem::path& path, int code) {
  Error error = writeError(path, std::strerror(code), code == ENOENT ? ErrorCode::NotFound : ErrorCode::Io);
  if (code == EACCES || code == EROFS) {
    error.hint = "Choose a folder that you may write to, or change the permissions.";
  } else if (code == ENOSPC) {
    error.hint = "The disk is full. Free some space or choose another folder.";
  }
  return error;
}

/// A file with a name of its own beside the wanted one; removed unless it was renamed.
class TemporaryFile {
 public:
  static Result<std::unique_ptr<TemporaryFile>> create(const std::filesystem::path& beside,
                                                       const std::filesystem::path& forMessages) {
    std::string name = beside.string() + ".XXXXXX";
    const int fd = ::mkostemp(name.data(), O_CLOEXEC);
    if (fd < 0) {
      return systemError(forMessages, errno);
    }
    ::close(fd);
    return std::unique_ptr<TemporaryFile>(new TemporaryFile(std::move(name)));
  }
  ~TemporaryFile() { ::unlink(m_name.c_str()); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const std::string& name() const { return m_name; }

 private:
  explicit TemporaryFile(std::string name) : m_name(std::move(name)) {}
  std::string m_name;
};

Result<> checkKeys(const std::filesystem::path& path, const std::vector<NamedArray>& arrays) {
  std::set<std::string_view> seen;
  for (const NamedArray& entry : arrays) {
    const char* problem = entry.key.empty()                           ? "an array has no name"
                          : entry.key.find('\0') != std::string::npos ? "a name holds a zero byte"
                          : !seen.insert(entry.key).second            ? "two arrays have the same name"
                                                                      : nullptr;
    if (problem != nullptr) {
      return writeError(path, fmt::format("{} (\"{}\")", problem, entry.key.c_str()),
                        ErrorCode::InvalidArgument);
    }
  }
  return {};
}

/// Adds one entry; `header` and the array's bytes must live until the archive is closed.
bool addEntry(zip_t* archive, const NamedArray& entry, const std::string& header,
              NpzCompression compression) {
  // libzip only reads from the fragments.
  zip_buffer_fragment_t fragments[2] = {
      {reinterpret_cast<zip_uint8_t*>(const_cast<char*>(header.data())), header.size()},
      {reinterpret_cast<zip_uint8_t*>(const_cast<std::byte*>(entry.array.data())), entry.array.byteSize()}};
  const zip_uint64_t count = entry.array.byteSize() > 0 ? 2 : 1;
  zip_source_t* source = zip_source_buffer_fragment(archive, fragments, count, 0);
  if (source == nullptr) {
    return false;
  }
  const zip_int64_t index = zip_file_add(archive, (entry.key + ".npy").c_str(), source, ZIP_FL_ENC_UTF_8);
  if (index < 0) {
    zip_source_free(source);
    return false;
  }
  const auto position = static_cast<zip_uint64_t>(index);
  const bool deflated = compression == NpzCompression::Deflated;
  return zip_file_set_dostime(archive, position, 0, kDosDate, 0) == 0 &&
         zip_set_file_compression(archive, position, deflated ? ZIP_CM_DEFLATE : ZIP_CM_STORE,
                                  deflated ? kDeflateLevel : 0) == 0;
}

/// What went wrong in libzip, with the system's cause where it has one.
Error archiveError(const std::filesystem::path& path, zip_t* archive) {
  zip_error_t* error = zip_get_error(archive);
  if (zip_error_system_type(error) == ZIP_ET_SYS && zip_error_code_system(error) != 0) {
    return systemError(path, zip_error_code_system(error));
  }
  const bool badName = zip_error_code_zip(error) == ZIP_ER_INVAL;
  return writeError(path, zip_error_strerror(error), badName ? ErrorCode::InvalidArgument : ErrorCode::Io);
}

/// Adds the arrays and closes the archive, which is used up whatever happens.
Result<> fillArchive(zip_t* archive, const std::filesystem::path& path, const std::vector<NamedArray>& arrays,
                     NpzCompression compression) {
  std::vector<std::string> headers;
  headers.reserve(arrays.size());
  for (const NamedArray& entry : arrays) {
    headers.push_back(npyHeader(entry.array));
    if (!addEntry(archive, entry, headers.back(), compression)) {
      const Error error = archiveError(path, archive);
      zip_discard(archive);
      return error;
    }
  }
  if (zip_close(archive) != 0) {
    const Error error = archiveError(path, archive);
    zip_discard(archive);
    return error;
  }
  return {};
}

Result<> writeArchive(const std::string& file, const std::filesystem::path& path,
                      const std::vector<NamedArray>& arrays, NpzCompression compression) {
  int code = 0;
  zip_t* archive = zip_open(file.c_str(), ZIP_TRUNCATE, &code);
  if (archive == nullptr) {
    return systemError(path, errno != 0 ? errno : EIO);
  }
  return fillArchive(archive, path, arrays, compression);
}

/// All bytes that a written archive holds.
Result<std::string> bytesOf(zip_source_t* source) {
  const auto failed = [source] {
    return writeError("an archive", zip_error_strerror(zip_source_error(source)), ErrorCode::OutOfMemory);
  };
  zip_stat_t info;
  if (zip_source_stat(source, &info) != 0 || (info.valid & ZIP_STAT_SIZE) == 0 ||
      zip_source_open(source) != 0) {
    return failed();
  }
  std::string content(info.size, '\0');
  const zip_int64_t got = zip_source_read(source, content.data(), content.size());
  zip_source_close(source);
  if (got != static_cast<zip_int64_t>(content.size())) {
    return failed();
  }
  return content;
}

/// Brings the bytes to the disk and gives the permissions that a plain new file (or the old one) would have.
int finish(const std::string& file, const struct stat* old) {
  const int fd = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    return errno;
  }
  const mode_t mask = ::umask(0);
  ::umask(mask);
  int failure = ::fchmod(fd, old != nullptr ? (old->st_mode & 07777) : (0666 & ~mask)) != 0 ? errno : 0;
  if (failure == 0 && ::fsync(fd) != 0 && errno != EINVAL) {
    failure = errno;
  }
  ::close(fd);
  return failure;
}

}  // namespace

Result<std::string> npzContent(const std::vector<NamedArray>& arrays, NpzCompression compression) {
  const std::filesystem::path name = "an archive";
  OPSCOPE_TRY(checkKeys(name, arrays));
  if (arrays.empty()) {
    return std::string(kEmptyArchive);
  }
  zip_error_t error;
  zip_error_init(&error);
  const std::unique_ptr<zip_source_t, decltype(&zip_source_free)> source(
      zip_source_buffer_create(nullptr, 0, 0, &error), &zip_source_free);
  zip_t* archive = source ? zip_open_from_source(source.get(), ZIP_TRUNCATE, &error) : nullptr;
  if (archive == nullptr) {
    const Error failure = writeError(name, zip_error_strerror(&error), ErrorCode::OutOfMemory);
    zip_error_fini(&error);
    return failure;
  }
  zip_source_keep(source.get());  // closing the archive gives its own hold back
  OPSCOPE_TRY(fillArchive(archive, name, arrays, compression));
  return bytesOf(source.get());
}

Result<> writeNpz(const std::filesystem::path& path, const std::vector<NamedArray>& arrays,
                  NpzCompression compression) {
  OPSCOPE_TRY(checkKeys(path, arrays));
  if (arrays.empty()) {
    return base::writeFileAtomically(path, kEmptyArchive);
  }
  struct stat old {};
  const bool exists = ::stat(path.c_str(), &old) == 0;
  if (exists && S_ISDIR(old.st_mode)) {
    return systemError(path, EISDIR);
  }
  std::error_code ignored;
  if (exists && !S_ISREG(old.st_mode)) {
    // A pipe or device: made in memory, since a zip file is not written from front to back.
    OPSCOPE_TRY_ASSIGN(const std::string content, npzContent(arrays, compression));
    return base::writeFileAtomically(path, content);
  }
  OPSCOPE_TRY(base::checkNotHeld(path, "replace"));
  // A link is kept: what it points to is replaced.
  const std::filesystem::path target = exists ? std::filesystem::canonical(path, ignored) : path;
  OPSCOPE_TRY_ASSIGN(const auto temporary, TemporaryFile::create(target, path));
  OPSCOPE_TRY(writeArchive(temporary->name(), path, arrays, compression));
  int failure = finish(temporary->name(), exists ? &old : nullptr);
  if (failure == 0 && ::rename(temporary->name().c_str(), target.c_str()) != 0) {
    failure = errno;
  }
  if (failure != 0) {
    return systemError(path, failure);
  }
  return {};
}

}  // namespace opscope::arrays
