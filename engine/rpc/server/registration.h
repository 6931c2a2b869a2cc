// SPDX-License-Identifier: Apache-2.0
// Keeps a server in a tracker's list: registers it, offers it whenever it is free, makes a new key when
// somebody took the old one and never came, and connects again for ever. Works on a thread of its own.
// Behaviour: section "Registration loop of a server" of TVM's protocol.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include "engine/base/result.h"
#include "engine/rpc/connection.h"
#include "engine/rpc/server/match_key.h"

namespace opscope::rpc::server {

struct RegistrationSettings {
  std::string trackerHost;
  std::string trackerPort;
  std::string key;
  int port = 0;                           ///< where this server listens
  std::string customAddress;              ///< empty: the address that the tracker sees
  std::chrono::milliseconds poll{2000};   ///< between two questions whether the key is still there
  std::chrono::milliseconds retry{2000};  ///< before the next try after a failure
  std::chrono::milliseconds replyLimit{10'000};
  int missingPolls = 4;  ///< a key that is away this often was taken by somebody who does not come
};

class Registration {
 public:
  /// `matchKey` is of the one-time kind and outlives this object.
  Registration(RegistrationSettings settings, MatchKey& matchKey);
  /// Ends the connection: the tracker takes the server from its list.
  ~Registration();
  Registration(const Registration&) = delete;
  Registration& operator=(const Registration&) = delete;

 private:
  void work(const std::stop_token& stop);
  base::Result<> stayRegistered(const std::stop_token& stop);
  base::Result<> greet();
  base::Result<> offer();
  base::Result<> awaitClient(const std::stop_token& stop);
  base::Result<bool> keyIsThere();
  base::Result<> awaitSessionEnd(const std::stop_token& stop);
  base::Result<std::string> ask(const std::string& message);

  RegistrationSettings m_settings;
  MatchKey& m_matchKey;
  std::unique_ptr<Connection> m_connection;
  std::jthread m_thread;
};

}  // namespace opscope::rpc::server
