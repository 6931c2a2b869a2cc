// SPDX-License-Identifier: Apache-2.0
#include "engine/base/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "engine/base/held_file.h"

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

}  // namespace

AtomicFileWriter::AtomicFileWriter(AtomicFileWriter&& other) noexcept
    : m_path(std::move(other.m_path)),
      m_target(std::move(other.m_target)),
      m_temporary(std::exchange(other.m_temporary, {})),
      m_descriptor(std::exchange(other.m_descriptor, -1)),
      m_mode(other.m_mode) {}

AtomicFileWriter& AtomicFileWriter::operator=(AtomicFileWriter&& other) noexcept {
  if (this != &other) {
    discard();
    m_path = std::move(other.m_path);
    m_target = std::move(other.m_target);
    m_temporary = std::exchange(other.m_temporary, {});
    m_descriptor = std::exchange(other.m_descriptor, -1);
    m_mode = other.m_mode;
  }
  return *this;
}

AtomicFileWriter::~AtomicFileWriter() {
  discard();
}

void AtomicFileWriter::discard() {
  if (m_descriptor >= 0) {
    ::close(std::exchange(m_descriptor, -1));
  }
  if (!m_temporary.empty()) {
    ::unlink(m_temporary.c_str());
    m_temporary.clear();
  }
}

Result<AtomicFileWriter> AtomicFileWriter::create(const std::filesystem::path& path) {
  struct stat status {};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) {
    return ioError("Cannot write", path, EISDIR);
  }
  OPSCOPE_TRY(checkNotHeld(path, "replace"));
  AtomicFileWriter writer;
  writer.m_path = path;
  if (exists && !S_ISREG(status.st_mode)) {
    writer.m_descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    return writer.m_descriptor < 0 ? Result<AtomicFileWriter>(ioError("Cannot write", path, errno))
                                   : Result<AtomicFileWriter>(std::move(writer));
  }
  if (exists && ::access(path.c_str(), W_OK) != 0) {
    return ioError("Cannot write", path, errno);  // renaming over it would not ask
  }
  // A link is kept: what it points to is replaced.
  std::error_code ignored;
  writer.m_target = exists ? std::filesystem::canonical(path, ignored) : path;
  const mode_t mask = ::umask(0);
  ::umask(mask);
  writer.m_mode = exists ? (status.st_mode & 07777) : (0666 & ~mask);
  std::string temporary = writer.m_target.string() + ".XXXXXX";
  writer.m_descriptor = ::mkostemp(temporary.data(), O_CLOEXEC);
  if (writer.m_descriptor < 0) {
    return ioError("Cannot write", path, errno);
  }
  writer.m_temporary = std::move(temporary);
  return writer;
}

Result<> AtomicFileWriter::write(std::string_view bytes) {
  const int failure = writeAll(m_descriptor, bytes);
  return failure == 0 ? Result<>() : ioError("Cannot write", m_path, failure);
}

Result<> AtomicFileWriter::commit() {
  int failure = 0;
  if (!m_temporary.empty()) {
    failure = ::fchmod(m_descriptor, m_mode) != 0 ? errno : 0;
    if (failure == 0 && ::fsync(m_descriptor) != 0 && errno != EINVAL) {
      failure = errno;
    }
    // Closed before it has its name: an error of closing leaves the old file.
    if (::close(std::exchange(m_descriptor, -1)) != 0 && failure == 0) {
      failure = errno;
    }
    if (failure == 0 && ::rename(m_temporary.c_str(), m_target.c_str()) != 0) {
      failure = errno;
    }
    if (failure == 0) {
      m_temporary.clear();
    }
  }
  discard();
  return failure == 0 ? Result<>() : ioError("Cannot write", m_path, failure);
}

Result<> writeFileAtomically(const std::filesystem::path& path, std::string_view content) {
  OPSCOPE_TRY_ASSIGN(AtomicFileWriter writer, AtomicFileWriter::create(path));
  OPSCOPE_TRY(writer.write(content));
  return writer.commit();
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
  OPSCOPE_TRY(checkNotHeld(path, "replace"));
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
