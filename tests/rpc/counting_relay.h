// SPDX-License-Identifier: Apache-2.0
// Stands between a client and a server on 127.0.0.1, passes on what they say and counts it with nothing of
// the product. One connection, on a thread of its own, ended with this object.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <limits>
#include <string>
#include <thread>

namespace opscope::rpc::test {

class CountingRelay {
 public:
  /// Passes nothing on any more once the client has said more than `most` bytes, and stays open.
  explicit CountingRelay(const std::string& serverPort,
                         std::uint64_t most = std::numeric_limits<std::uint64_t>::max())
      : m_most(most), m_listener(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address = local(0);
    socklen_t size = sizeof address;
    ::bind(m_listener, reinterpret_cast<const sockaddr*>(&address), sizeof address);
    ::listen(m_listener, 1);
    ::getsockname(m_listener, reinterpret_cast<sockaddr*>(&address), &size);
    m_port = std::to_string(ntohs(address.sin_port));
    m_thread = std::thread([this, server = std::stoi(serverPort)] { serve(server); });
  }
  CountingRelay(const CountingRelay&) = delete;
  CountingRelay& operator=(const CountingRelay&) = delete;
  ~CountingRelay() {
    m_ending = true;
    m_thread.join();
    ::close(m_listener);
  }

  const std::string& port() const { return m_port; }
  std::uint64_t fromClient() const { return m_fromClient; }
  std::uint64_t fromServer() const { return m_fromServer; }

 private:
  static sockaddr_in local(int port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    return address;
  }

  static bool passOn(int from, int to, std::atomic<std::uint64_t>& count) {
    char bytes[65536];
    const ssize_t size = ::recv(from, bytes, sizeof bytes, 0);
    if (size <= 0) {
      return false;
    }
    count += static_cast<std::uint64_t>(size);  // before the other side can have it
    for (ssize_t done = 0; done < size;) {
      const ssize_t sent = ::send(to, bytes + done, static_cast<std::size_t>(size - done), MSG_NOSIGNAL);
      if (sent <= 0) {
        return false;
      }
      done += sent;
    }
    return true;
  }

  bool waitFor(pollfd* entries, nfds_t count) const {
    while (!m_ending) {
      if (::poll(entries, count, 20) > 0) {
        return true;
      }
    }
    return false;
  }

  void serve(int serverPort) {
    pollfd coming{m_listener, POLLIN, 0};
    if (!waitFor(&coming, 1)) {
      return;
    }
    const int client = ::accept(m_listener, nullptr, nullptr);
    const int server = ::socket(AF_INET, SOCK_STREAM, 0);
    const sockaddr_in address = local(serverPort);
    if (::connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
      pollfd entries[2] = {{client, POLLIN, 0}, {server, POLLIN, 0}};
      bool open = true;
      while (open && m_fromClient <= m_most && waitFor(entries, 2)) {
        open = (entries[0].revents == 0 || passOn(client, server, m_fromClient)) &&
               (entries[1].revents == 0 || passOn(server, client, m_fromServer));
      }
    }
    while (!m_ending && m_fromClient > m_most) {
      ::poll(nullptr, 0, 20);
    }
    ::close(server);
    ::close(client);
  }

  const std::uint64_t m_most;
  const int m_listener;
  std::string m_port;
  std::atomic<std::uint64_t> m_fromClient = 0;
  std::atomic<std::uint64_t> m_fromServer = 0;
  std::atomic<bool> m_ending = false;
  std::thread m_thread;
};

}  // namespace opscope::rpc::test
