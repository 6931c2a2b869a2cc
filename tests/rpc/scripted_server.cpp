// SPDX-License-Identifier: Apache-2.0
#include "tests/rpc/scripted_server.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace opscope::rpc::test {

namespace {

int bound(std::string& port) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(::bind(socket, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  socklen_t size = sizeof(address);
  ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size);
  port = std::to_string(ntohs(address.sin_port));
  return socket;
}

}  // namespace

ScriptedServer::ScriptedServer(Script script) : m_script(std::move(script)), m_listener(bound(m_port)) {
  EXPECT_EQ(::listen(m_listener, 16), 0);
  m_thread = std::thread([this] { serve(); });
}

ScriptedServer::~ScriptedServer() {
  {
    const std::lock_guard lock(m_mutex);
    m_ending = true;
    if (m_connection != nullptr) {
      m_connection->abort();
    }
  }
  ::shutdown(m_listener, SHUT_RDWR);
  m_thread.join();
  ::close(m_listener);
}

void ScriptedServer::serve() {
  for (;;) {
    const int socket = ::accept4(m_listener, nullptr, nullptr, SOCK_CLOEXEC);
    if (socket < 0) {
      return;
    }
    {
      const std::lock_guard lock(m_mutex);
      m_connection = Connection::adopt(socket, "the client");
      if (m_ending) {
        return;
      }
    }
    m_script(*m_connection);
    const std::lock_guard lock(m_mutex);
    m_connection.reset();
  }
}

std::string freePort() {
  std::string port;
  ::close(bound(port));
  return port;
}

}  // namespace opscope::rpc::test
