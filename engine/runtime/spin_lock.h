// SPDX-License-Identifier: Apache-2.0
// A lock for a few instructions that are nearly always done by one thread. Any thread.
#pragma once

#include <atomic>
#include <thread>

namespace opscope::runtime {

class SpinLock {
 public:
  void lock() {
    int tries = 0;
    while (m_locked.exchange(true, std::memory_order_acquire)) {
      if (++tries > kTriesBeforeYield) {
        std::this_thread::yield();
      }
    }
  }
  void unlock() { m_locked.store(false, std::memory_order_release); }

 private:
  static constexpr int kTriesBeforeYield = 64;
  std::atomic<bool> m_locked{false};
};

}  // namespace opscope::runtime
