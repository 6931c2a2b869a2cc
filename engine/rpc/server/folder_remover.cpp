// SPDX-License-Identifier: Apache-2.0
#include "engine/rpc/server/folder_remover.h"

#include <pthread.h>
#include <signal.h>

#include <utility>

namespace opscope::rpc::server {

namespace {

/// Signals are the server's thread's: a thread that is started while this lives gets none.
class NoSignals {
 public:
  NoSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &m_before);
  }
  NoSignals(const NoSignals&) = delete;
  NoSignals& operator=(const NoSignals&) = delete;
  ~NoSignals() { pthread_sigmask(SIG_SETMASK, &m_before, nullptr); }

 private:
  sigset_t m_before;
};

}  // namespace

FolderRemover::~FolderRemover() {
  {
    const std::lock_guard lock(m_mutex);
    m_ending = true;
  }
  m_changed.notify_all();
  if (m_thread.joinable()) {
    m_thread.join();
  }
}

void FolderRemover::add(std::filesystem::path folder) {
  {
    const std::lock_guard lock(m_mutex);
    m_folders.push_back(std::move(folder));
  }
  if (!m_thread.joinable()) {
    const NoSignals noSignals;
    m_thread = std::thread([this] { run(); });
  }
  m_changed.notify_all();
}

void FolderRemover::run() {
  std::unique_lock lock(m_mutex);
  for (;;) {
    m_changed.wait(lock, [this] { return m_ending || !m_folders.empty(); });
    if (m_folders.empty()) {
      return;
    }
    const std::filesystem::path folder = std::move(m_folders.front());
    m_folders.pop_front();
    lock.unlock();
    m_remove(folder);
    lock.lock();
  }
}

}  // namespace opscope::rpc::server
