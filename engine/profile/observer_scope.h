// SPDX-License-Identifier: Apache-2.0
// What a profile puts onto a machine, for as long as it measures. For staged_profile.cpp, on the machine's
// thread.
#pragma once

#include "engine/runtime/options.h"
#include "engine/vm/virtual_machine.h"

namespace opscope::profile {

/// The machine's observer and logs are removed on every way out.
class ObserverScope {
 public:
  ObserverScope(vm::VirtualMachine& machine, vm::CallObserver* observer, const runtime::RuntimeLogs& logs)
      : m_machine(machine), m_observer(observer), m_logs(logs) {
    set();
  }
  void set() const {
    m_machine.setObserver(m_observer);
    m_machine.setLogs(m_logs);
  }
  /// Nothing is recorded but memory, whose story must have no gaps.
  void pause() const {
    m_machine.setObserver(nullptr);
    m_machine.setLogs({m_logs.memory, nullptr});
  }
  ~ObserverScope() {
    m_machine.setObserver(nullptr);
    m_machine.setLogs({});
  }
  ObserverScope(const ObserverScope&) = delete;
  ObserverScope& operator=(const ObserverScope&) = delete;

 private:
  vm::VirtualMachine& m_machine;
  vm::CallObserver* m_observer;
  runtime::RuntimeLogs m_logs;
};

}  // namespace opscope::profile
