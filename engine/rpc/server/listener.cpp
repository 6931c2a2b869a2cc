// SPDX-License-Identifier: Apache-2.0
#include "engine/rpc/server/listener.h"

#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include "engine/rpc/address.h"

namespace opscope::rpc::server {

using base::Error;
using base::ErrorCode;
using base::Result;

namespace {

constexpr int kBacklog = 128;

std::string textOf(const sockaddr_storage& address, socklen_t size) {
  char host[NI_MAXHOST] = "";
  char port[NI_MAXSERV] = "";
  if (::getnameinfo(reinterpret_cast<const sockaddr*>(&address), size, host, sizeof(host), port, sizeof(port),
                    NI_NUMERICHOST | NI_NUMERICSERV) != 0) {
    return "?";
  }
  return addressText(host, port);
}

/// A socket that listens at `address` with its port set, or -1 with errno.
int listenAt(const addrinfo& address, int port) {
  const int socket = ::socket(address.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (socket < 0) {
    return -1;
  }
  sockaddr_storage place{};
  std::memcpy(&place, address.ai_addr, address.ai_addrlen);
  if (address.ai_family == AF_INET6) {
    reinterpret_cast<sockaddr_in6*>(&place)->sin6_port = htons(static_cast<std::uint16_t>(port));
  } else {
    reinterpret_cast<sockaddr_in*>(&place)->sin_port = htons(static_cast<std::uint16_t>(port));
  }
  const int yes = 1;
  ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
  if (::bind(socket, reinterpret_cast<const sockaddr*>(&place), address.ai_addrlen) != 0 ||
      ::listen(socket, kBacklog) != 0) {
    const int error = errno;
    ::close(socket);
    errno = error;
    return -1;
  }
  return socket;
}

/// Finds out within half a minute that a computer is gone which could not say so.
void watchOverPeer(int socket) {
  const auto set = [socket](int level, int option, int value) {
    ::setsockopt(socket, level, option, &value, sizeof(value));
  };
  set(IPPROTO_TCP, TCP_NODELAY, 1);
  set(SOL_SOCKET, SO_KEEPALIVE, 1);
  set(IPPROTO_TCP, TCP_KEEPIDLE, 15);
  set(IPPROTO_TCP, TCP_KEEPINTVL, 5);
  set(IPPROTO_TCP, TCP_KEEPCNT, 3);
}

}  // namespace

Result<Listener> Listener::open(const std::string& host, int port, int portEnd) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE;
  addrinfo* found = nullptr;
  if (const int error = ::getaddrinfo(host.c_str(), nullptr, &hints, &found); error != 0) {
    return Error{ErrorCode::NotFound, fmt::format("{} is no name or address of this computer", host),
                 ::gai_strerror(error),
                 "--host takes 127.0.0.1, 0.0.0.0 (all networks), or an address of a network card"};
  }
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> guard(found, ::freeaddrinfo);
  const int end = std::max(portEnd, port + 1);
  for (int at = port; at < end; ++at) {
    const int socket = listenAt(*found, at);
    if (socket >= 0) {
      sockaddr_storage place{};
      socklen_t size = sizeof(place);
      ::getsockname(socket, reinterpret_cast<sockaddr*>(&place), &size);
      const std::uint16_t bound = place.ss_family == AF_INET6
                                      ? reinterpret_cast<sockaddr_in6&>(place).sin6_port
                                      : reinterpret_cast<sockaddr_in&>(place).sin_port;
      return Listener(socket, ntohs(bound), textOf(place, size));
    }
    if (errno != EADDRINUSE || at + 1 == end) {
      break;
    }
  }
  const std::string ports =
      end == port + 1 ? fmt::format("port {}", port) : fmt::format("ports {} to {}", port, end - 1);
  return Error{ErrorCode::Io, fmt::format("The server cannot listen at {}, {}", host, ports),
               std::strerror(errno),
               "another server may run already; --port and --port-end name other ports"};
}

Listener::~Listener() {
  if (m_socket >= 0) {
    ::close(m_socket);
  }
}

std::optional<AcceptedClient> Listener::accept() const {
  sockaddr_storage place{};
  socklen_t size = sizeof(place);
  const int socket =
      ::accept4(m_socket, reinterpret_cast<sockaddr*>(&place), &size, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (socket < 0) {
    return std::nullopt;
  }
  watchOverPeer(socket);
  return AcceptedClient{socket, textOf(place, size)};
}

}  // namespace opscope::rpc::server
