// SPDX-License-Identifier: Apache-2.0
// The folder of one session: its files, and the only place where its system functions read and write. Values;
// any thread. Who makes it (SessionFolders) removes it.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/rpc/server/folder_remover.h"

namespace opscope::rpc::server {

class WorkDirectory {
 public:
  /// `path` exists and is absolute.
  explicit WorkDirectory(std::filesystem::path path);

  const std::filesystem::path& path() const { return m_path; }

  /// The absolute path of `name`, which is relative to the folder or lies in it. Errors: InvalidArgument for
  /// an empty name, one with a zero byte, and one that leads out, by ".." or over a link.
  base::Result<std::filesystem::path> resolve(std::string_view name) const;

 private:
  std::filesystem::path m_path;  ///< links followed
};

/// The folders of all sessions of one server, below one of its own. Removes all that earlier servers, which
/// were killed, have left there. One thread.
class SessionFolders {
 public:
  /// `parent` empty: the system's temporary folder. Errors: Io.
  static base::Result<SessionFolders> create(const std::filesystem::path& parent);
  SessionFolders(SessionFolders&& other) noexcept;
  SessionFolders& operator=(SessionFolders&&) = delete;
  SessionFolders(const SessionFolders&) = delete;
  SessionFolders& operator=(const SessionFolders&) = delete;
  /// Removes everything.
  ~SessionFolders();

  /// When the folder of all sessions was removed meanwhile, by a cleaner of temporary files for example, it
  /// is made again. Errors: Io.
  base::Result<std::filesystem::path> add();
  /// Has one removed with all in it, on a thread of its own; the log says so where that is not possible.
  void remove(const std::filesystem::path& folder);

 private:
  explicit SessionFolders(std::filesystem::path place) : m_place(std::move(place)) {}
  base::Result<> makeOwnFolder();

  std::filesystem::path m_place;  ///< where the folder of all sessions is made
  std::filesystem::path m_path;
  std::vector<std::filesystem::path> m_made;  ///< folders above that were not there, the innermost last
  int m_lock = -1;  ///< held as long as the server lives; who can take it may remove the folder
  int m_count = 0;
  std::unique_ptr<FolderRemover> m_remover;  ///< once there was one to remove
};

}  // namespace opscope::rpc::server
