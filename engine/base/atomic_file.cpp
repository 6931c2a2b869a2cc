// SPDX-License-Identifier: Apache-2.0
#include "engine/base/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace opscope::base {

namespace {

Error ioError(std::string_view doing, const std::filesystem::path& path, int code) {
  Error error{code == ENOENT ? ErrorCode::NotFound : ErrorCode::Io,
              std::string(doing) + " " + path.string() + ": " + std::strerror(code),
              {},
              {}};
  if (code == EACCES || code == EROFS) {
    error.hint = "Choose a folder that you may write to, or change the permissions.";
  } else if (code == ENOSPC) {
    error.hint = "The disk is full. Free some space or choose another folder.";
  }
  return error;
}

/// Writes all bytes; returns 0 or errno.
int writeAll(int fd, std::string_view content) {
  while (!content.empty()) {
    const ssize_t written = ::write(fd, content.data(), content.size());
    if (written < 0) {
      if (errno == EINTR) {
        continue;
      }
      return errno;
    }
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

Result<> writeDirectly(const std::filesystem::path& path, std::string_view content) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (fd < 0) {
    return ioError("Cannot write", path, errno);
  }
  const int failure = writeAll(fd, content);
  ::close(fd);
  if (failure != 0) {
    return ioError("Cannot write", path, failure);
  }
  return {};
}

}  // namespace

Result<> writeFileAtomically(const std::filesystem::path& path, std::string_view content) {
  struct stat status {};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) {
    return ioError("Cannot write", path, EISDIR);
  }
  if (exists && !S_ISREG(status.st_mode)) {
    return writeDirectly(path, content);
  }
  if (exists && ::access(path.c_str(), W_OK) != 0) {
    return ioError("Cannot write", path, errno);  // renaming over it would not ask
  }
  // A link is kept: what it points to is replaced.
  std::error_code ignored;
  const std::filesystem::path target = exists ? std::filesystem::canonical(path, ignored) : path;
  std::string temporary = target.string() + ".XXXXXX";
  const int fd = ::mkostemp(temporary.data(), O_CLOEXEC);
  if (fd < 0) {
    return ioError("Cannot write", path, errno);
  }
  int failure = writeAll(fd, content);
  const mode_t mask = ::umask(0);
  ::umask(mask);
  const mode_t mode = exists ? (status.st_mode & 07777) : (0666 & ~mask);
  if (failure == 0 && ::fchmod(fd, mode) != 0) {
    failure = errno;
  }
  if (failure == 0 && ::fsync(fd) != 0 && errno != EINVAL) {
    failure = errno;
  }
  ::close(fd);
  if (failure == 0 && ::rename(temporary.c_str(), target.c_str()) != 0) {
    failure = errno;
  }
  if (failure != 0) {
    ::unlink(temporary.c_str());
    return ioError("Cannot write", path, failure);
  }
  return {};
}

Result<> checkWritable(const std::filesystem::path& path) {
  struct stat status {};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) {
    return ioError("Cannot write", path, EISDIR);
  }
  if (exists && !S_ISREG(status.st_mode)) {
    return ::access(path.c_str(), W_OK) == 0 ? Result<>() : ioError("Cannot write", path, errno);
  }
  if (exists && ::access(path.c_str(), W_OK) != 0) {
    return ioError("Cannot write", path, errno);
  }
  std::error_code ignored;
  const std::filesystem::path target = exists ? std::filesystem::canonical(path, ignored) : path;
  std::string temporary = target.string() + ".XXXXXX";
  const int fd = ::mkostemp(temporary.data(), O_CLOEXEC);
  if (fd < 0) {
    return ioError("Cannot write", path, errno);
  }
  ::close(fd);
  ::unlink(temporary.c_str());
  return {};
}

}  // namespace opscope::base
