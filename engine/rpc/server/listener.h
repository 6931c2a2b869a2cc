// SPDX-License-Identifier: Apache-2.0
// The server's listening socket. Owns it; one thread.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "engine/base/result.h"

namespace opscope::rpc::server {

struct AcceptedClient {
  int socket = -1;   ///< not blocking; the caller's to close
  std::string peer;  ///< "127.0.0.1:54321", "[::1]:54321"
};

class Listener {
 public:
  /// The first free port of [port, portEnd) at `host`, a name or an address of either family; 0: any free
  /// one. Errors: NotFound for the host; Io when no port of the range is free.
  static base::Result<Listener> open(const std::string& host, int port, int portEnd);
  Listener(Listener&& other) noexcept
      : m_socket(std::exchange(other.m_socket, -1)),
        m_port(other.m_port),
        m_address(std::move(other.m_address)) {}
  Listener& operator=(Listener&&) = delete;
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  ~Listener();

  int socket() const { return m_socket; }
  int port() const { return m_port; }
  /// "127.0.0.1:9090"
  const std::string& address() const { return m_address; }

  /// nullopt when nobody waits.
  std::optional<AcceptedClient> accept() const;

 private:
  Listener(int socket, int port, std::string address)
      : m_socket(socket), m_port(port), m_address(std::move(address)) {}

  int m_socket;
  int m_port;
  std::string m_address;
};

}  // namespace opscope::rpc::server
