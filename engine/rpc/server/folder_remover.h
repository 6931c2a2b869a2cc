// SPDX-License-Identifier: Apache-2.0
// Removes folders on a thread of its own, since a folder may hold millions of files and the server's thread
// must not wait for them. Made and asked by one thread; the thread is started by the first folder.
#pragma once

#include <condition_variable>
#include <deque>
#include <filesystem>
#include <functional>
#include <mutex>
#include <thread>

namespace opscope::rpc::server {

class FolderRemover {
 public:
  /// `remove` takes a folder away with all in it; called on the thread, one after the other.
  explicit FolderRemover(std::function<void(const std::filesystem::path&)> remove)
      : m_remove(std::move(remove)) {}
  FolderRemover(const FolderRemover&) = delete;
  FolderRemover& operator=(const FolderRemover&) = delete;
  /// Waits until all are removed.
  ~FolderRemover();

  /// Never waits.
  void add(std::filesystem::path folder);

 private:
  void run();

  const std::function<void(const std::filesystem::path&)> m_remove;
  std::mutex m_mutex;  ///< guards the next two
  std::deque<std::filesystem::path> m_folders;
  bool m_ending = false;
  std::condition_variable m_changed;
  std::thread m_thread;
};

}  // namespace opscope::rpc::server
