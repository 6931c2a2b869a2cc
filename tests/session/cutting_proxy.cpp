// SPDX-License-Identifier: Apache-2.0
#include "tests/session/cutting_proxy.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

namespace opscope::session::test {

namespace {

constexpr int kPauseMs = 20;

sockaddr_in local(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  return address;
}

int connectTo(const std::string& port) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_in address = local(std::stoi(port));
  if (::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    ::close(socket);
    return -1;
  }
  return socket;
}

bool sendAll(int socket, const char* data, std::size_t size) {
  while (size > 0) {
    const ssize_t sent = ::send(socket, data, size, MSG_NOSIGNAL);
    if (sent <= 0) {
      return false;
    }
    data += sent;
    size -= static_cast<std::size_t>(sent);
  }
  return true;
}

}  // namespace

CuttingProxy::CuttingProxy(std::string serverPort, std::uint64_t most)
    : m_serverPort(std::move(serverPort)),
      m_most(most),
      m_listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address = local(0);
  socklen_t size = sizeof address;
  ::bind(m_listener, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  ::listen(m_listener, 4);
  ::getsockname(m_listener, reinterpret_cast<sockaddr*>(&address), &size);
  m_port = std::to_string(ntohs(address.sin_port));
  m_thread = std::jthread([this] { serve(); });
}

CuttingProxy::~CuttingProxy() {
  m_ending = true;
  m_thread.join();
  ::close(m_listener);
}

void CuttingProxy::serve() {
  while (!m_ending) {
    pollfd entry{m_listener, POLLIN, 0};
    if (::poll(&entry, 1, kPauseMs) <= 0) {
      continue;
    }
    const int client = ::accept4(m_listener, nullptr, nullptr, SOCK_CLOEXEC);
    const int server = connectTo(m_serverPort);
    if (client >= 0 && server >= 0) {
      passOn(client, server);
    }
    for (const int socket : {client, server}) {
      if (socket >= 0) {
        ::close(socket);
      }
    }
  }
}

void CuttingProxy::passOn(int client, int server) {
  char buffer[1 << 16];
  while (!m_ending && m_passed < m_most) {
    pollfd entries[2] = {{client, POLLIN, 0}, {server, POLLIN, 0}};
    if (::poll(entries, 2, kPauseMs) <= 0) {
      continue;
    }
    for (int i = 0; i < 2; ++i) {
      if (entries[i].revents == 0) {
        continue;
      }
      const ssize_t got = ::recv(entries[i].fd, buffer, sizeof buffer, 0);
      if (got <= 0) {
        return;
      }
      auto size = static_cast<std::size_t>(got);
      if (i == 1) {
        size = static_cast<std::size_t>(std::min<std::uint64_t>(size, m_most - m_passed));
        m_passed += size;
      }
      if (!sendAll(i == 0 ? server : client, buffer, size)) {
        return;
      }
    }
  }
}

}  // namespace opscope::session::test
