// SPDX-License-Identifier: Apache-2.0
#include "tests/server/local_session.h"

#include <stdlib.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <stdexcept>

namespace opscope::rpc::server::test {

std::string frameOf(FrameCode code, std::string_view payload) {
  return bytesOf(std::uint64_t{sizeof(code) + payload.size()}, code).append(payload);
}

std::string initFrame() {
  return frameOf(FrameCode::Init, bytesOf(std::uint64_t{5}) + "0.8.0" + bytesOf(std::int32_t{0}));
}

std::string textValue(std::string_view text) {
  return bytesOf(Tag::CString, static_cast<std::uint64_t>(text.size())).append(text);
}

std::string functionFrame(std::string_view name) {
  return frameOf(FrameCode::GetGlobalFunction, bytesOf(std::int32_t{1}) + textValue(name));
}

LocalSession::LocalSession(ClientAbi abi) {
  std::string name = (std::filesystem::temp_directory_path() / "opscope-session-XXXXXX").string();
  int ends[2];
  if (::mkdtemp(name.data()) == nullptr || ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    throw std::runtime_error("no folder or no socket for a session");
  }
  m_folder = name;
  m_socket = ends[0];
  const timeval limit{60, 0};  // a computer may be busy
  ::setsockopt(m_socket, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
  ::setsockopt(m_socket, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
  m_stream = std::make_unique<FrameStream>(ends[1]);
  m_session = std::make_unique<Session>(*m_stream, abi);
  m_functions = std::make_unique<SystemFunctions>(
      WorkDirectory(m_folder), SystemFunctions::Settings{abi, (m_folder / "cache").string(), 1 << 20, [] {},
                                                         [this](const runtime::RuntimeOptions& options) {
                                                           return m_session->configureKernelThreads(options);
                                                         },
                                                         [] { return std::string("{}"); }});
  m_thread = std::jthread([this] {
    m_session->run();
    ::shutdown(m_stream->socket(), SHUT_RDWR);
  });
}

LocalSession::~LocalSession() {
  ::close(m_socket);
  m_thread.join();
  m_functions.reset();
  std::filesystem::remove_all(m_folder);
}

bool LocalSession::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(m_socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) {
      return false;
    }
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

void LocalSession::finishSending() {
  ::shutdown(m_socket, SHUT_WR);
}

bool LocalSession::receive(void* data, std::size_t size) {
  return size == 0 || ::recv(m_socket, data, size, MSG_WAITALL) == static_cast<ssize_t>(size);
}

std::optional<std::string> LocalSession::reply() {
  std::uint64_t length = 0;
  if (!receive(&length, sizeof(length)) || length > kMaxFrameBytes) {
    return std::nullopt;
  }
  std::string body(length, '\0');
  if (!receive(body.data(), body.size())) {
    return std::nullopt;
  }
  return body;
}

std::optional<std::string> LocalSession::request(std::string_view frame) {
  return send(frame) ? reply() : std::nullopt;
}

std::string LocalSession::rest() {
  std::string all;
  char bytes[4096];
  for (ssize_t got = 0; (got = ::recv(m_socket, bytes, sizeof(bytes), 0)) > 0;) {
    all.append(bytes, static_cast<std::size_t>(got));
  }
  return all;
}

}  // namespace opscope::rpc::server::test
