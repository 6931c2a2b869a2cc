// SPDX-License-Identifier: Apache-2.0
#include "engine/rpc/server/upload_cache.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define XXH_INLINE_ALL  // a server for boards brings its libraries along
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>
#include <vector>

#include "engine/base/atomic_file.h"
#include "engine/base/log.h"

namespace opscope::rpc::server {

namespace fs = std::filesystem;
using base::Error;
using base::ErrorCode;
using base::Result;

namespace {

constexpr std::size_t kHashDigits = 32;
constexpr std::uint64_t kMostFileBytes = std::uint64_t{1} << 40;
constexpr const char* kPartEnding = ".part";

Error wrong(std::string message) {
  return Error{ErrorCode::InvalidArgument, std::move(message), {}, {}};
}

Error failed(const fs::path& path, const std::string& why) {
  return Error{ErrorCode::Io, fmt::format("The upload cannot be kept in {}", path.string()), why, {}};
}

bool isHash(std::string_view text) {
  return text.size() == kHashDigits && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

/// A copy that shares no bytes with the original, under its name when it is whole.
Result<> copyTo(const fs::path& from, const fs::path& target) {
  std::error_code error;
  fs::create_directories(target.parent_path(), error);
  const fs::path part = target.string() + kPartEnding;
  if (fs::copy_file(from, part, fs::copy_options::overwrite_existing, error)) {
    fs::permissions(part, fs::perms::owner_read | fs::perms::owner_write, error);
    fs::rename(part, target, error);
  }
  if (error) {
    std::error_code ignored;
    fs::remove(part, ignored);
    return failed(target, error.message());
  }
  return {};
}

}  // namespace

std::string fileHash(std::string_view bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

UploadCache::UploadCache(fs::path folder, fs::path scratch, std::uint64_t mostBytes, Write write)
    : m_folder(std::move(folder)),
      m_scratch(std::move(scratch)),
      m_mostBytes(mostBytes),
      m_write(std::move(write)) {
  std::error_code error;
  if (!m_folder.empty()) {
    fs::create_directories(m_folder, error);
    fs::permissions(m_folder, fs::perms::owner_all, error);
  }
  if (error) {
    base::log(base::LogLevel::Warning, fmt::format("uploads are not kept beyond their session: {}: {}",
                                                   m_folder.string(), error.message()));
    m_whyNoFolder = fmt::format("{}: {}", m_folder.string(), error.message());
    m_folder.clear();
  }
}

UploadCache::~UploadCache() {
  while (!m_uploads.empty()) {
    drop(m_uploads.begin()->first, /*removeFile=*/false);
  }
}

fs::path UploadCache::finishedPath(const std::string& hash) const {
  return m_folder / hash;
}

bool UploadCache::takeFinished(const fs::path& target, const std::string& hash, std::uint64_t size) const {
  const fs::path path = finishedPath(hash);
  std::error_code error;
  if (m_folder.empty() || fs::file_size(path, error) != size || error) {
    return false;
  }
  const auto bytes = base::readFilePages(path);
  if (!bytes || fileHash(bytes->view()) != hash) {
    base::log(base::LogLevel::Warning,
              fmt::format("{} has changed since it was uploaded; it is dropped", path.string()));
    fs::remove(path, error);
    return false;
  }
  fs::last_write_time(path, fs::file_time_type::clock::now(), error);  // the least used go first
  return copyTo(path, target).has_value();
}

Result<UploadCache::Upload> UploadCache::openPart(const std::string& hash, std::uint64_t size) const {
  const fs::path own = scratchPath(hash);
  return openPartIn(m_folder.empty() ? std::vector{own} : std::vector{m_folder / (hash + kPartEnding), own},
                    size);
}

fs::path UploadCache::scratchPath(const std::string& hash) const {
  return m_scratch / ("." + hash + kPartEnding);
}

Result<UploadCache::Upload> UploadCache::openPartIn(const std::vector<fs::path>& places,
                                                    std::uint64_t size) const {
  std::string whyNotKept = m_whyNoFolder;
  for (const fs::path& path : places) {
    const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (descriptor < 0) {
      whyNotKept = fmt::format("{}: {}", path.parent_path().string(), std::strerror(errno));
      continue;
    }
    struct stat status {};
    const bool usable =
        ::flock(descriptor, LOCK_EX | LOCK_NB) == 0 && ::fstat(descriptor, &status) == 0 &&
        (static_cast<std::uint64_t>(status.st_size) <= size || ::ftruncate(descriptor, 0) == 0) &&
        ::fstat(descriptor, &status) == 0;
    if (usable) {
      return Upload{path, descriptor, size, static_cast<std::uint64_t>(status.st_size), whyNotKept};
    }
    ::close(descriptor);  // another session uploads the same: this one does so for itself
  }
  return failed(places.back(), std::strerror(errno));
}

Result<std::uint64_t> UploadCache::begin(const fs::path& target, const std::string& hash,
                                         std::uint64_t size) {
  if (!isHash(hash)) {
    return wrong(fmt::format("\"{}\" is no hash: expected 32 lower-case hexadecimal digits", hash));
  }
  if (size > kMostFileBytes) {
    return wrong(fmt::format("a file of {} bytes cannot be uploaded", size));
  }
  drop(hash, /*removeFile=*/false);
  if (takeFinished(target, hash, size)) {
    return size;
  }
  OPSCOPE_TRY_ASSIGN(Upload upload, openPart(hash, size));
  const std::uint64_t received = upload.received;
  m_uploads.emplace(hash, std::move(upload));
  if (received < size) {
    return received;
  }
  // All had come before, but it was never finished.
  OPSCOPE_TRY(finish(target, hash));
  return size;
}

Result<std::uint64_t> UploadCache::chunk(const std::string& hash, std::uint64_t offset,
                                         std::string_view bytes) {
  const auto found = m_uploads.find(hash);
  if (found == m_uploads.end()) {
    return wrong(fmt::format("no upload of {} has begun", hash));
  }
  Upload& upload = found->second;
  if (offset != upload.received || bytes.size() > upload.size - offset) {
    return wrong(fmt::format("{} bytes at {} do not fit: {} of {} bytes are here", bytes.size(), offset,
                             upload.received, upload.size));
  }
  int number = writeAll(upload, bytes);
  if (number != 0 && upload.path.parent_path() == m_folder && moveToScratch(hash, upload)) {
    upload.whyNotKept = fmt::format("{}: {}", m_folder.string(), std::strerror(number));
    number = writeAll(upload, bytes.substr(upload.received - offset));
  }
  if (number != 0) {
    Error error = failed(upload.path, std::strerror(number));
    error.hint = "make room there, or start the server with another --work-dir";
    drop(hash, /*removeFile=*/true);
    return error;
  }
  return upload.received;
}

int UploadCache::writeAll(Upload& upload, std::string_view bytes) const {
  while (!bytes.empty()) {
    const ssize_t written =
        m_write(upload.descriptor, bytes.data(), bytes.size(), static_cast<off_t>(upload.received));
    if (written < 0 && errno == EINTR) {
      continue;
    }
    if (written <= 0) {
      return written == 0 ? EIO : errno;
    }
    bytes.remove_prefix(static_cast<std::size_t>(written));
    upload.received += static_cast<std::uint64_t>(written);
  }
  return 0;
}

/// What is here of an upload goes on outside of the cache, whose disk takes no more. False when it cannot.
bool UploadCache::moveToScratch(const std::string& hash, Upload& upload) const {
  const auto here = base::readFilePages(upload.path);
  auto other = openPartIn({scratchPath(hash)}, upload.size);
  if (!here || !other || here->view().size() < upload.received) {
    return false;
  }
  other->received = 0;
  if (writeAll(*other, here->view().substr(0, upload.received)) != 0) {
    ::unlink(other->path.c_str());
    ::close(other->descriptor);
    return false;
  }
  base::log(base::LogLevel::Warning,
            fmt::format("{} takes no more; this upload is not kept beyond its session", m_folder.string()));
  ::unlink(upload.path.c_str());
  ::close(upload.descriptor);
  upload = *std::move(other);
  return true;
}

Result<std::string> UploadCache::finish(const fs::path& target, const std::string& hash) {
  const auto found = m_uploads.find(hash);
  if (found == m_uploads.end()) {
    return wrong(fmt::format("no upload of {} has begun", hash));
  }
  const Upload& upload = found->second;
  if (upload.received != upload.size) {
    return wrong(fmt::format("{} of {} bytes are here", upload.received, upload.size));
  }
  const auto bytes = base::readFilePages(upload.path);
  if (!bytes) {
    return bytes.error();
  }
  if (const std::string is = fileHash(bytes->view()); is != hash) {
    drop(hash, /*removeFile=*/true);
    return wrong(fmt::format("the content has the hash {}, expected {}; begin again", is, hash));
  }
  OPSCOPE_TRY(copyTo(upload.path, target));
  std::error_code error;
  const bool keep = !m_folder.empty() && upload.path.parent_path() == m_folder;
  std::string whyNotKept = upload.whyNotKept;
  if (keep) {
    fs::rename(upload.path, finishedPath(hash), error);
    whyNotKept = error ? fmt::format("{}: {}", m_folder.string(), error.message()) : std::string();
  }
  drop(hash, /*removeFile=*/!keep || error);
  makeRoom();
  return whyNotKept;
}

void UploadCache::drop(const std::string& hash, bool removeFile) {
  const auto found = m_uploads.find(hash);
  if (found == m_uploads.end()) {
    return;
  }
  if (removeFile) {
    ::unlink(found->second.path.c_str());
  }
  ::close(found->second.descriptor);
  m_uploads.erase(found);
}

void UploadCache::makeRoom() const {
  struct File {
    fs::file_time_type time;
    std::uint64_t size;
    fs::path path;
  };
  std::vector<File> files;
  std::uint64_t total = 0;
  std::error_code error;
  for (fs::directory_iterator at(m_folder, error), end; !error && at != end; at.increment(error)) {
    std::error_code gone;  // another session may have removed it meanwhile
    if (at->is_regular_file(gone)) {
      const File file{at->last_write_time(gone), at->file_size(gone), at->path()};
      if (!gone) {
        total += file.size;
        files.push_back(file);
      }
    }
  }
  std::ranges::sort(files, {}, &File::time);
  for (const File& file : files) {
    if (total <= m_mostBytes) {
      break;
    }
    fs::remove(file.path, error);
    total -= file.size;
  }
}

}  // namespace opscope::rpc::server
