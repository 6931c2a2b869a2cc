// SPDX-License-Identifier: Apache-2.0
#include "engine/rpc/session_table.h"

#include <fmt/format.h>

#include <algorithm>

namespace opscope::rpc {

bool isRemoteDevice(DLDevice device) {
  return sessionIndexOf(device).has_value();
}

std::optional<int> sessionIndexOf(DLDevice device) {
  const int index = static_cast<int>(device.device_type) / kSessionMask - 1;
  return static_cast<int>(device.device_type) >= kSessionMask ? std::optional(index) : std::nullopt;
}

DLDevice addSessionMask(DLDevice device, int index) {
  return {static_cast<DLDeviceType>(static_cast<int>(device.device_type) + kSessionMask * (index + 1)),
          device.device_id};
}

DLDevice removeSessionMask(DLDevice device) {
  return {static_cast<DLDeviceType>(static_cast<int>(device.device_type) % kSessionMask), device.device_id};
}

base::Result<int> SessionTableObj::insert(RemoteSessionObj* session) {
  const std::lock_guard lock(m_mutex);
  const auto free = std::find(m_sessions.begin(), m_sessions.end(), nullptr);
  if (free == m_sessions.end()) {
    return base::Error{base::ErrorCode::Unsupported,
                       fmt::format("there are {} remote sessions, and no more fit", kMaxSessions),
                       "devices of sessions are told apart by a number of limited size",
                       "end sessions that are no longer used"};
  }
  *free = session;
  return static_cast<int>(free - m_sessions.begin());
}

void SessionTableObj::remove(int index) {
  const std::lock_guard lock(m_mutex);
  m_sessions.at(static_cast<std::size_t>(index)) = nullptr;
}

int SessionTableObj::size() const {
  const std::lock_guard lock(m_mutex);
  return static_cast<int>(kMaxSessions - std::count(m_sessions.begin(), m_sessions.end(), nullptr));
}

}  // namespace opscope::rpc
