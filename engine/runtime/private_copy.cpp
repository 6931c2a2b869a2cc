// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/private_copy.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

namespace opscope::runtime {

using base::Error;
using base::ErrorCode;
using base::Result;

namespace {

Error failed(const std::string& displayName, const std::string& what, int code) {
  const bool memory = code == ENOMEM || code == ENOSPC;
  return {memory ? ErrorCode::OutOfMemory : ErrorCode::Io,
          "a private copy of " + displayName + " could not be made", what + ": " + std::strerror(code),
          memory ? "free some memory, or some space in the temporary folder" : ""};
}

/// 0 or an errno.
int writeAt(int descriptor, std::string_view bytes, std::uint64_t offset) {
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(descriptor, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) {
      continue;
    }
    if (written <= 0) {
      return written == 0 ? EIO : errno;
    }
    bytes.remove_prefix(static_cast<std::size_t>(written));
    offset += static_cast<std::uint64_t>(written);
  }
  return 0;
}

/// 0 or an errno.
int writeAll(int descriptor, std::string_view bytes, const Replacement& replacement) {
  if (::ftruncate(descriptor, static_cast<off_t>(bytes.size())) != 0) {
    return errno;
  }
  const std::uint64_t end = replacement.offset + replacement.size;
  int code = writeAt(descriptor, bytes.substr(0, replacement.offset), 0);
  code = code != 0 ? code : writeAt(descriptor, replacement.bytes, replacement.offset);
  return code != 0 ? code : writeAt(descriptor, bytes.substr(end), end);
}

bool stillLoaded(const std::string& path) {
  void* handle = dlopen(path.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (handle != nullptr) {
    dlclose(handle);
  }
  return handle != nullptr;
}

}  // namespace

Result<PrivateCopy> PrivateCopy::inMemory(std::string_view bytes, const Replacement& replacement,
                                          const std::string& displayName) {
  const std::string name = "opscope:" + std::filesystem::path(displayName).filename().string().substr(0, 200);
  const int descriptor = memfd_create(name.c_str(), MFD_CLOEXEC);
  if (descriptor < 0) {
    return failed(displayName, "memfd_create", errno);
  }
  PrivateCopy copy(descriptor, "/proc/self/fd/" + std::to_string(descriptor), false);
  if (const int code = writeAll(descriptor, bytes, replacement); code != 0) {
    return failed(displayName, "writing to memory", code);
  }
  return copy;
}

Result<PrivateCopy> PrivateCopy::onDisk(std::string_view bytes, const Replacement& replacement,
                                        const std::string& displayName) {
  std::error_code ignored;
  std::filesystem::path folder = std::filesystem::temp_directory_path(ignored);
  std::string path = (folder.empty() ? "/tmp" : folder.string()) + "/opscope-XXXXXX.so";
  const int descriptor = mkostemps(path.data(), 3, O_CLOEXEC);
  if (descriptor < 0) {
    return failed(displayName, "creating " + path, errno);
  }
  PrivateCopy copy(descriptor, path, true);
  if (const int code = writeAll(descriptor, bytes, replacement); code != 0) {
    return failed(displayName, "writing " + path, code);
  }
  return copy;
}

PrivateCopy::PrivateCopy(PrivateCopy&& other) noexcept
    : m_descriptor(std::exchange(other.m_descriptor, -1)),
      m_path(std::move(other.m_path)),
      m_onDisk(other.m_onDisk) {}

PrivateCopy& PrivateCopy::operator=(PrivateCopy&& other) noexcept {
  if (this != &other) {
    close();
    m_descriptor = std::exchange(other.m_descriptor, -1);
    m_path = std::move(other.m_path);
    m_onDisk = other.m_onDisk;
  }
  return *this;
}

PrivateCopy::~PrivateCopy() {
  close();
}

void PrivateCopy::close() {
  if (m_descriptor < 0) {
    return;
  }
  if (m_onDisk) {
    ::unlink(m_path.c_str());
  }
  // Some libraries cannot be unloaded. Were their descriptor's number given to another library, the loader
  // would take the old code for it; so it stays open then, for the rest of the process.
  if (m_onDisk || !stillLoaded(m_path)) {
    ::close(m_descriptor);
  }
  m_descriptor = -1;
}

}  // namespace opscope::runtime
