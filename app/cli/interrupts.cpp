// SPDX-License-Identifier: Apache-2.0
#include "app/cli/interrupts.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <utility>

#include "app/cli/exit_status.h"

namespace opscope::cli {

Interrupts::Interrupts() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  m_signals = signalfd(-1, &set, SFD_CLOEXEC);
  m_end = eventfd(0, EFD_CLOEXEC);
  m_thread = std::thread([this] { watch(); });
}

Interrupts::~Interrupts() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(m_end, &one, sizeof one);
  m_thread.join();
  close(m_signals);
  close(m_end);
}

void Interrupts::onFirst(std::function<void()> action) {
  const std::lock_guard lock(m_mutex);
  m_action = std::move(action);
  if (m_seen && m_action) {
    m_action();
  }
}

void Interrupts::watch() {
  std::array<pollfd, 2> files{pollfd{m_signals, POLLIN, 0}, pollfd{m_end, POLLIN, 0}};
  while (true) {
    if (poll(files.data(), files.size(), -1) < 0) {
      continue;
    }
    if (files[1].revents != 0) {
      return;
    }
    signalfd_siginfo info{};
    if (read(m_signals, &info, sizeof info) != static_cast<ssize_t>(sizeof info)) {
      continue;
    }
    if (m_seen) {
      _exit(kInterrupted);
    }
    first();
  }
}

void Interrupts::first() {
  const std::lock_guard lock(m_mutex);
  m_seen = true;
  if (m_action) {
    m_action();
  }
}

}  // namespace opscope::cli
