// SPDX-License-Identifier: Apache-2.0
#include "engine/session/remote_stop.h"

namespace opscope::session {

RemoteStop::RemoteStop(StopControl& control)
    : m_thread([this](const std::stop_token& ended) { waitAndAbort(ended); }), m_listener(control, [this] {
        m_source.request_stop();
        const std::lock_guard lock(m_mutex);
        m_requested = true;
        m_changed.notify_all();
      }) {}

RemoteStop::~RemoteStop() = default;

void RemoteStop::watch(rpc::Client* client) {
  const std::lock_guard lock(m_mutex);
  m_client = client;
}

void RemoteStop::waitAndAbort(const std::stop_token& ended) {
  std::unique_lock lock(m_mutex);
  if (!m_changed.wait(lock, ended, [this] { return m_requested; })) {
    return;
  }
  const auto deadline = std::chrono::steady_clock::now() + kPoliteTime;
  while (!ended.stop_requested() && std::chrono::steady_clock::now() < deadline) {
    m_changed.wait_until(lock, ended, deadline, [] { return false; });
  }
  if (!ended.stop_requested() && m_client != nullptr) {
    m_client->abort();
  }
}

}  // namespace opscope::session
