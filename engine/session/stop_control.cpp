// SPDX-License-Identifier: Apache-2.0
#include "engine/session/stop_control.h"

#include <utility>

#include "engine/vm/virtual_machine.h"

namespace opscope::session {

void StopControl::request() {
  const std::lock_guard lock(m_mutex);
  m_requested.store(true, std::memory_order_relaxed);
  if (m_machine != nullptr) {
    m_machine->requestStop();
  }
  if (m_heard) {
    m_heard();
  }
}

StopControl::Listener::Listener(StopControl& control, std::function<void()> heard) : m_control(control) {
  const std::lock_guard lock(control.m_mutex);
  control.m_heard = std::move(heard);
  if (control.requested()) {
    control.m_heard();
  }
}

StopControl::Listener::~Listener() {
  const std::lock_guard lock(m_control.m_mutex);
  m_control.m_heard = nullptr;
}

StopControl::Attachment::Attachment(StopControl& control, vm::VirtualMachine& machine) : m_control(control) {
  const std::lock_guard lock(control.m_mutex);
  machine.clearStop();
  control.m_machine = &machine;
  if (control.requested()) {
    machine.requestStop();
  }
}

StopControl::Attachment::~Attachment() {
  const std::lock_guard lock(m_control.m_mutex);
  m_control.m_machine->clearStop();
  m_control.m_machine = nullptr;
}

}  // namespace opscope::session
