// SPDX-License-Identifier: Apache-2.0
// Carries a stop from any thread to the machine that runs on the worker. Owned by the worker; outlives every
// machine that is attached.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>

namespace opscope::vm {
class VirtualMachine;
}

namespace opscope::session {

class StopControl {
 public:
  /// Any thread. Takes effect at the next instruction of the attached machine, and of one attached later,
  /// until `reset`.
  void request();
  /// Any thread.
  bool requested() const { return m_requested.load(std::memory_order_relaxed); }
  /// On the worker, before a request begins and no machine is attached.
  void reset() { m_requested.store(false, std::memory_order_relaxed); }

  /// While one lives, `machine` hears of stops. On the worker.
  class Attachment {
   public:
    Attachment(StopControl& control, vm::VirtualMachine& machine);
    ~Attachment();
    Attachment(const Attachment&) = delete;
    Attachment& operator=(const Attachment&) = delete;

   private:
    StopControl& m_control;
  };

  /// While one lives, `heard` is called on the thread that requests a stop, or at once where one was
  /// requested already. One at a time; it must not wait.
  class Listener {
   public:
    Listener(StopControl& control, std::function<void()> heard);
    ~Listener();
    Listener(const Listener&) = delete;
    Listener& operator=(const Listener&) = delete;

   private:
    StopControl& m_control;
  };

 private:
  std::atomic<bool> m_requested{false};
  std::mutex m_mutex;
  std::function<void()> m_heard;            // guarded by m_mutex
  vm::VirtualMachine* m_machine = nullptr;  // guarded by m_mutex
};

}  // namespace opscope::session
