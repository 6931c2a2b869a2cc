// SPDX-License-Identifier: Apache-2.0
// Clients before they have a session: reads their first words without waiting for any of them, answers those
// who may not come in, and keeps the others in their order. The server's thread; owns their sockets.
#pragma once

#include <poll.h>

#include <chrono>
#include <deque>
#include <functional>
#include <list>
#include <optional>
#include <string>
#include <vector>

#include "engine/rpc/server/handshake.h"
#include "engine/rpc/server/listener.h"
#include "engine/rpc/server/options.h"

namespace opscope::rpc::server {

/// A client that may have a session. The socket is its holder's to close.
struct AdmittedClient {
  int socket = -1;
  std::string peer;
  Hello hello;
  std::string serverNonce;  ///< not empty: the client has proved that it knows the secret
};

class Clients {
 public:
  using Clock = std::chrono::steady_clock;
  struct Rules {
    std::function<bool(std::string_view)> takeKey;  ///< whether a client with this key may come in
    std::function<void(std::string_view)>
        keyUnused;                        ///< a client that had taken its key left before its turn
    std::function<std::string()> status;  ///< JSON for those who ask with kStatusKey
  };

  Clients(const ServerOptions& options, Rules rules) : m_options(options), m_rules(std::move(rules)) {}
  ~Clients();
  Clients(const Clients&) = delete;
  Clients& operator=(const Clients&) = delete;

  void add(AcceptedClient client);
  /// What to wait for; valid until the next call.
  void addTo(std::vector<pollfd>& entries) const;
  /// Goes on with all sockets that have something; closes those whose time is over.
  void advance(const std::vector<pollfd>& entries);
  /// Milliseconds until the next handshake's time is over; -1: none is under way.
  int nextDeadlineMs() const;

  /// The next one in order.
  std::optional<AdmittedClient> next();
  /// Forgets those who left while they waited.
  void dropThoseWhoLeft();
  std::size_t waiting() const { return m_admitted.size(); }

 private:
  struct Newcomer {
    AcceptedClient client;
    Handshake handshake;
    Clock::time_point end;
    bool spoke = false;
  };
  enum class Fate { Stays, Leaves, Admitted };

  void makeRoom();
  Fate advance(Newcomer& newcomer);
  Fate judge(Newcomer& newcomer);
  Fate admit(Newcomer& newcomer);
  Fate mismatch(const Newcomer& newcomer, std::string_view why) const;

  const ServerOptions& m_options;
  Rules m_rules;
  std::list<Newcomer> m_newcomers;
  std::deque<AdmittedClient> m_admitted;
};

/// Sends `code`, and `text` with its length behind it when it is not empty. Never waits.
bool answerHandshake(int socket, std::int32_t code, std::string_view text);
/// What follows magic for an accepted client: "server:KEY", the handle of what describes the server for
/// clients that can use it, and the server's proof where there is a secret.
std::string acceptedText(const AdmittedClient& client, const ServerOptions& options);

}  // namespace opscope::rpc::server
