// SPDX-License-Identifier: Apache-2.0
// Which key a client must name. Without a tracker the server's own, for everybody; with one a random key for
// one session, which the tracker hands to the client whose turn it is. Shared by the server's thread and the
// one that talks to the tracker.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>

namespace opscope::rpc::server {

class MatchKey {
 public:
  /// `oneTime`: keys are random, and there is none until `renew`.
  MatchKey(std::string key, bool oneTime);

  /// True when a client with this key may have a session. A one-time key is spent then.
  bool take(std::string_view key);
  /// The session that took the key has ended.
  void giveBack();

  /// A new random key, KEY:DIGITS; earlier ones are void.
  std::string renew();
  std::string current() const;
  /// True from take to giveBack.
  bool taken() const;

  /// Waits until taken() is `wanted`, at most for `limit`, or until `stop`. Gives taken().
  bool awaitTaken(bool wanted, std::chrono::milliseconds limit, const std::stop_token& stop);

 private:
  const std::string m_key;
  const bool m_oneTime;
  mutable std::mutex m_mutex;
  std::condition_variable_any m_changed;
  std::string m_current;
  bool m_taken = false;
};

}  // namespace opscope::rpc::server
