// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

#include "engine/base/atomic_file.h"
#include "engine/base/held_file.h"

namespace opscope::base {

namespace {

constexpr std::size_t kChunk = std::size_t{1} << 16;
constexpr int kWriterWaits = 20;
constexpr int kWriterWaitMs = 100;

class Descriptor {
 public:
  explicit Descriptor(int fd) : m_fd(fd) {}
  ~Descriptor() {
    if (m_fd >= 0) {
      ::close(m_fd);
    }
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return m_fd; }

 private:
  int m_fd;
};

Error readError(const std::filesystem::path& path, std::string_view why, ErrorCode code = ErrorCode::Io,
                std::string hint = {}) {
  return {code, "Cannot read " + path.string() + ": " + std::string(why), {}, std::move(hint)};
}

Error systemError(const std::filesystem::path& path, int code) {
  if (code == ENOENT) {
    return readError(path, std::strerror(code), ErrorCode::NotFound, missingFileHint(path));
  }
  return readError(path, std::strerror(code), ErrorCode::Io,
                   code == EACCES ? "You need the permission to read it." : "");
}

Error tooLong(const std::filesystem::path& path, std::size_t limit) {
  return readError(path, "it holds more than " + std::to_string(limit) + " bytes", ErrorCode::Format);
}

/// How many bytes can be expected. Errors: what is neither a regular file nor a pipe, and files over the
/// limit.
Result<std::size_t> expectedBytes(int fd, const std::filesystem::path& path, std::size_t limit) {
  struct stat status {};
  if (::fstat(fd, &status) != 0) {
    return systemError(path, errno);
  }
  if (S_ISDIR(status.st_mode)) {
    return systemError(path, EISDIR);
  }
  if (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode)) {
    return std::size_t{0};
  }
  if (!S_ISREG(status.st_mode)) {
    return readError(path, "it is a device", ErrorCode::Io, "Name a file.");
  }
  if (static_cast<std::uintmax_t>(status.st_size) > limit) {
    return tooLong(path, limit);
  }
  return static_cast<std::size_t>(status.st_size);
}

bool isPipe(int fd) {
  struct stat status {};
  return ::fstat(fd, &status) == 0 && S_ISFIFO(status.st_mode);
}

/// Reads one file to its end, into a std::string or a PageBuffer.
template <class Buffer>
class Reader {
 public:
  Reader(int fd, const std::filesystem::path& path, std::size_t limit)
      : m_fd(fd), m_path(path), m_limit(limit) {}

  Result<Buffer> read(std::size_t expected) {
    m_content.resize(expected + 1);  // one more, so that the end is seen without growing
    while (true) {
      if (m_size == m_content.size()) {
        m_content.resize(m_size + kChunk);
      }
      const ssize_t got = ::read(m_fd, m_content.data() + m_size, m_content.size() - m_size);
      if (got < 0) {
        OPSCOPE_TRY(afterFailure(errno));
        continue;
      }
      m_size += static_cast<std::size_t>(got);
      if (m_size > m_limit) {
        return tooLong(m_path, m_limit);
      }
      if (got == 0) {
        OPSCOPE_TRY_ASSIGN(const bool ended, hasEnded());
        if (ended) {
          m_content.resize(m_size);
          return std::move(m_content);
        }
      }
    }
  }

 private:
  Result<> afterFailure(int code) {
    if (code == EAGAIN) {
      pollfd pipe{m_fd, POLLIN, 0};
      ::poll(&pipe, 1, -1);
      m_hasWriter = true;
      return {};
    }
    return code == EINTR ? Result<>() : Result<>(systemError(m_path, code));
  }

  /// A pipe reads as ended while nobody has opened it for writing; somebody may be about to.
  Result<bool> hasEnded() {
    if (m_size > 0 || m_hasWriter || !isPipe(m_fd)) {
      return true;
    }
    pollfd pipe{m_fd, POLLIN, 0};
    if (::poll(&pipe, 1, kWriterWaitMs) > 0) {
      m_hasWriter = true;  // it wrote something, or has gone again
      return false;
    }
    if (++m_waits < kWriterWaits) {
      return false;
    }
    return readError(m_path, "it is a pipe that nobody writes to");
  }

  int m_fd;
  const std::filesystem::path& m_path;
  std::size_t m_limit;
  Buffer m_content;
  std::size_t m_size = 0;
  bool m_hasWriter = false;
  int m_waits = 0;
};

template <class Buffer>
Result<Buffer> readInto(const std::filesystem::path& path, std::size_t limit) {
  OPSCOPE_TRY(checkNotHeld(path));
  // Without waiting: opening a pipe that nobody writes to would not return.
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) {
    return systemError(path, errno);
  }
  OPSCOPE_TRY_ASSIGN(const std::size_t expected, expectedBytes(file.get(), path, limit));
  try {
    return Reader<Buffer>(file.get(), path, limit).read(expected);
  } catch (const std::bad_alloc&) {
    return readError(path, "not enough memory for its bytes", ErrorCode::OutOfMemory);
  }
}

}  // namespace

std::string missingFileHint(const std::filesystem::path& path) {
  constexpr std::string_view kReplaced = "\xEF\xBF\xBD";
  if (path.native().find(kReplaced) == std::string::npos) {
    return {};
  }
  return "Its name holds bytes that are no UTF-8, so that it cannot be told here: rename the file or its "
         "folder.";
}

Result<std::string> readFile(const std::filesystem::path& path, std::size_t limit) {
  return readInto<std::string>(path, limit);
}

Result<PageBuffer> readFilePages(const std::filesystem::path& path, std::size_t limit) {
  return readInto<PageBuffer>(path, limit);
}

}  // namespace opscope::base
