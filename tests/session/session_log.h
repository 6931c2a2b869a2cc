// SPDX-License-Identifier: Apache-2.0
// Collects what a session tells and waits for it.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <vector>

#include "engine/session/session.h"

namespace opscope::session::testing {

class SessionLog {
 public:
  Session::EventSink sink() {
    return [this](Event event) {
      const std::lock_guard lock(m_mutex);
      m_events.push_back(std::move(event));
      m_arrived.notify_all();
    };
  }

  /// Waits for the first event of this kind and request. Nothing after a minute.
  template <class Body>
  std::optional<Body> waitFor(RequestId request) {
    std::optional<Body> found;
    std::unique_lock lock(m_mutex);
    m_arrived.wait_for(lock, std::chrono::minutes(1), [&] {
      for (const Event& event : m_events) {
        if (const auto* body = std::get_if<Body>(&event.body); body != nullptr && event.request == request) {
          found = *body;
          return true;
        }
      }
      return false;
    });
    return found;
  }

  /// Waits until the session told this state for this request. False after a minute.
  bool waitForState(RequestId request, State state) {
    std::unique_lock lock(m_mutex);
    return m_arrived.wait_for(lock, std::chrono::minutes(1), [&] {
      for (const Event& event : m_events) {
        const auto* change = std::get_if<StateChanged>(&event.body);
        if (change != nullptr && event.request == request && change->state == state) {
          return true;
        }
      }
      return false;
    });
  }

  /// Waits for a number of events of this kind and request, and gives those that came within a minute.
  template <class Body>
  std::vector<Body> waitForMany(RequestId request, std::size_t wanted) {
    std::vector<Body> found;
    std::unique_lock lock(m_mutex);
    m_arrived.wait_for(lock, std::chrono::minutes(1), [&] {
      found.clear();
      for (const Event& event : m_events) {
        if (const auto* body = std::get_if<Body>(&event.body); body != nullptr && event.request == request) {
          found.push_back(*body);
        }
      }
      return found.size() >= wanted;
    });
    return found;
  }

  /// Waits until the session told that a measured repeat is done. False after a minute.
  bool waitForRepeat(RequestId request) {
    std::unique_lock lock(m_mutex);
    return m_arrived.wait_for(lock, std::chrono::minutes(1), [&] {
      for (const Event& event : m_events) {
        const auto* progress = std::get_if<Progress>(&event.body);
        if (progress != nullptr && event.request == request && progress->stage == State::Measuring &&
            progress->done > 0) {
          return true;
        }
      }
      return false;
    });
  }

  std::vector<State> states(RequestId request) {
    std::vector<State> found;
    const std::lock_guard lock(m_mutex);
    for (const Event& event : m_events) {
      if (const auto* change = std::get_if<StateChanged>(&event.body);
          change != nullptr && event.request == request) {
        found.push_back(change->state);
      }
    }
    return found;
  }

  template <class Body>
  std::size_t count(RequestId request) {
    const std::lock_guard lock(m_mutex);
    std::size_t found = 0;
    for (const Event& event : m_events) {
      found += event.request == request && std::holds_alternative<Body>(event.body) ? 1 : 0;
    }
    return found;
  }

 private:
  std::mutex m_mutex;
  std::condition_variable m_arrived;
  std::vector<Event> m_events;
};

}  // namespace opscope::session::testing
