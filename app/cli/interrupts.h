// SPDX-License-Identifier: Apache-2.0
// Ctrl-C: the first one asks what runs to stop, the second one ends the program at once. Made in main before
// any other thread, so that no thread takes the signal but ours.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <thread>

namespace opscope::cli {

class Interrupts {
 public:
  Interrupts();
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  /// True after the first Ctrl-C (or SIGTERM).
  bool seen() const { return m_seen.load(); }

  /// What the first one does from now on, on another thread; at once when it came already. An empty function
  /// takes it away; it is not called any more when this returns.
  void onFirst(std::function<void()> action);

 private:
  void watch();
  void first();

  int m_signals = -1;  // signalfd
  int m_end = -1;      // eventfd, readable when the program ends
  std::atomic<bool> m_seen{false};
  std::mutex m_mutex;
  std::function<void()> m_action;  // guarded by m_mutex
  std::thread m_thread;
};

}  // namespace opscope::cli
