// SPDX-License-Identifier: Apache-2.0
#include "engine/rpc/server/work_directory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "engine/base/log.h"

namespace opscope::rpc::server {

namespace fs = std::filesystem;
using base::Error;
using base::ErrorCode;
using base::Result;

namespace {

constexpr std::string_view kServerPrefix = "opscope-server-";
constexpr const char* kLockName = "lock";

/// Whether `path` is `folder` or lies in it. Both are absolute and normal.
bool isInside(const fs::path& path, const fs::path& folder) {
  const auto [end, at] = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
  return end == folder.end();
}

void removeAll(const fs::path& folder) {
  std::error_code error;
  fs::remove_all(folder, error);
  if (!error) {
    return;
  }
  // A folder may have lost its rights: give them back and try once more.
  std::error_code ignored;
  for (fs::recursive_directory_iterator at(folder, fs::directory_options::skip_permission_denied, ignored),
       end;
       at != end; at.increment(ignored)) {
    if (at->is_directory(ignored) && !at->is_symlink(ignored)) {
      fs::permissions(at->path(), fs::perms::owner_all, fs::perm_options::add, ignored);
    }
  }
  fs::remove_all(folder, error);
  if (error) {
    base::log(base::LogLevel::Warning,
              fmt::format("{} could not be removed: {}", folder.string(), error.message()));
  }
}

/// A descriptor of the folder's lock, or -1 when its server lives.
int takeLock(const fs::path& folder) {
  const int lock = ::open((folder / kLockName).c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (lock >= 0 && ::flock(lock, LOCK_EX | LOCK_NB) != 0) {
    ::close(lock);
    return -1;
  }
  return lock;
}

void removeAbandoned(const fs::path& parent) {
  std::error_code error;
  for (fs::directory_iterator at(parent, fs::directory_options::skip_permission_denied, error), end;
       !error && at != end; at.increment(error)) {
    std::error_code ignored;
    if (!at->path().filename().string().starts_with(kServerPrefix) || !at->is_directory(ignored) ||
        at->is_symlink(ignored)) {
      continue;
    }
    if (const int lock = takeLock(at->path()); lock >= 0) {
      base::log(base::LogLevel::Info,
                fmt::format("removing {}, which a killed server has left", at->path().string()));
      removeAll(at->path());
      ::close(lock);
    }
  }
}

}  // namespace

WorkDirectory::WorkDirectory(fs::path path) : m_path(std::move(path)) {
  std::error_code error;
  if (const fs::path real = fs::canonical(m_path, error); !error) {
    m_path = real;
  }
}

Result<fs::path> WorkDirectory::resolve(std::string_view name) const {
  const auto refused = [&](const char* why) {
    return Error{ErrorCode::InvalidArgument,
                 fmt::format("\"{}\" cannot be the name of a file of this session: {}", name, why),
                 {},
                 {}};
  };
  if (name.empty() || name.find('\0') != std::string_view::npos) {
    return refused("it is empty or holds a zero byte");
  }
  const fs::path plain = (m_path / fs::path(name)).lexically_normal();
  if (!isInside(plain, m_path)) {
    return refused("it leads out of the session's folder");
  }
  std::error_code error;
  const fs::path real = fs::weakly_canonical(plain, error);
  if (error || !isInside(real, m_path)) {
    return refused("it leads out of the session's folder over a link");
  }
  return real;
}

namespace {

Error noFolder(const fs::path& place, const std::string& why) {
  return Error{ErrorCode::Io, fmt::format("No folder for sessions can be made in {}", place.string()), why,
               "name another place with --work-dir"};
}

}  // namespace

Result<SessionFolders> SessionFolders::create(const fs::path& parent) {
  std::error_code error;
  const fs::path place = parent.empty() ? fs::temp_directory_path(error) : fs::absolute(parent, error);
  if (error) {
    return noFolder(place, error.message());
  }
  SessionFolders folders(place);
  OPSCOPE_TRY(folders.makeOwnFolder());
  return folders;
}

Result<> SessionFolders::makeOwnFolder() {
  std::error_code error;
  for (fs::path at = m_place; !at.empty() && !fs::exists(at, error) && at != at.root_path();
       at = at.parent_path()) {
    if (at.has_filename()) {  // not behind a slash at the end
      m_made.insert(m_made.begin(), at);
    }
  }
  fs::create_directories(m_place, error);
  if (error) {
    return noFolder(m_place, error.message());
  }
  removeAbandoned(m_place);
  std::string name = (m_place / (std::string(kServerPrefix) + "XXXXXX")).string();
  if (::mkdtemp(name.data()) == nullptr) {
    return noFolder(m_place, std::strerror(errno));
  }
  const int lock = takeLock(name);
  if (lock < 0) {
    removeAll(name);
    return noFolder(m_place, "its lock could not be taken");
  }
  if (m_lock >= 0) {
    ::close(m_lock);
  }
  m_path = name;
  m_lock = lock;
  return {};
}

SessionFolders::SessionFolders(SessionFolders&& other) noexcept
    : m_place(std::move(other.m_place)),
      m_path(std::move(other.m_path)),
      m_made(std::move(other.m_made)),
      m_lock(std::exchange(other.m_lock, -1)),
      m_count(other.m_count),
      m_remover(std::move(other.m_remover)) {}

SessionFolders::~SessionFolders() {
  m_remover.reset();
  if (m_lock >= 0) {
    removeAll(m_path);
    ::close(m_lock);
  }
  for (auto folder = m_made.rbegin(); folder != m_made.rend(); ++folder) {
    std::error_code ignored;
    fs::remove(*folder, ignored);  // one that holds anything stays
  }
}

Result<fs::path> SessionFolders::add() {
  std::error_code ignored;
  if (!fs::is_directory(m_path, ignored)) {
    base::log(base::LogLevel::Warning, fmt::format("{} is gone; another one is made", m_path.string()));
    OPSCOPE_TRY(makeOwnFolder());
  }
  const fs::path folder = m_path / fmt::format("session-{}", ++m_count);
  std::error_code error;
  if (!fs::create_directory(folder, error)) {
    return Error{
        ErrorCode::Io, fmt::format("The folder {} cannot be made", folder.string()), error.message(), {}};
  }
  fs::permissions(folder, fs::perms::owner_all, error);
  return folder;
}

void SessionFolders::remove(const fs::path& folder) {
  if (!m_remover) {
    m_remover = std::make_unique<FolderRemover>(removeAll);
  }
  m_remover->add(folder);
}

}  // namespace opscope::rpc::server
