// SPDX-License-Identifier: Apache-2.0
#include "engine/rpc/server/match_key.h"

#include <fmt/format.h>

#include <chrono>
#include <random>
#include <utility>

#include "engine/rpc/secret.h"

namespace opscope::rpc::server {

MatchKey::MatchKey(std::string key, bool oneTime)
    : m_key(std::move(key)), m_oneTime(oneTime), m_current(oneTime ? "" : m_key) {}

bool MatchKey::take(std::string_view key) {
  if (!m_oneTime) {
    return key == m_key;
  }
  const std::lock_guard lock(m_mutex);
  if (m_taken || m_current.empty() || !sameProof(key, m_current)) {
    return false;
  }
  m_taken = true;
  m_current.clear();
  m_changed.notify_all();
  return true;
}

void MatchKey::giveBack() {
  const std::lock_guard lock(m_mutex);
  m_taken = false;
  m_changed.notify_all();
}

/// Trackers find a key's queue by what stands before its last colon.
std::string MatchKey::renew() {
  std::random_device source;
  const std::uint64_t number = std::uint64_t{source()} << 32 | source();
  const std::lock_guard lock(m_mutex);
  m_current = fmt::format("{}:{:020}", m_key, number);
  return m_current;
}

std::string MatchKey::current() const {
  const std::lock_guard lock(m_mutex);
  return m_current;
}

bool MatchKey::taken() const {
  const std::lock_guard lock(m_mutex);
  return m_taken;
}

bool MatchKey::awaitTaken(bool wanted, std::chrono::milliseconds limit, const std::stop_token& stop) {
  std::unique_lock lock(m_mutex);
  m_changed.wait_for(lock, stop, limit, [&] { return m_taken == wanted; });
  return m_taken;
}

}  // namespace opscope::rpc::server
