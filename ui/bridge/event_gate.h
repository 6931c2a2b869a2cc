// SPDX-License-Identifier: GPL-3.0-or-later
// The way of a session's events to the GUI thread, which can be shut: a session that was given up may still
// speak when nobody listens any more. post may be called on any thread, the rest on the GUI thread.
#pragma once

#include <QMetaObject>
#include <QObject>
#include <functional>
#include <memory>
#include <mutex>

#include "ui/bridge/session_types.h"

namespace opscope::ui {

class EventGate : public std::enable_shared_from_this<EventGate> {
 public:
  using Listener = std::function<void(session::Event&)>;
  /// Events go to `listener` on the thread of `target`, which outlives the open gate.
  EventGate(QObject* target, Listener listener) : m_target(target), m_listener(std::move(listener)) {}

  void post(session::Event event) {
    const std::lock_guard lock(m_mutex);
    if (m_target == nullptr) return;
    // Calls of the queue are dropped with their target; the gate may have been shut since, too.
    QMetaObject::invokeMethod(
        m_target,
        [gate = shared_from_this(), held = std::make_shared<session::Event>(std::move(event))]() {
          if (gate->m_target == nullptr) return;
          const Listener listener = gate->m_listener;  // it may be replaced while it listens
          listener(*held);
        },
        Qt::QueuedConnection);
  }

  /// Events that come after this go to another listener. GUI thread.
  void redirect(Listener listener) { m_listener = std::move(listener); }

  /// No event is delivered after this.
  void shut() {
    const std::lock_guard lock(m_mutex);
    m_target = nullptr;
  }

 private:
  std::mutex m_mutex;
  QObject* m_target;  // written on the GUI thread only, under the lock
  Listener m_listener;
};

}  // namespace opscope::ui
