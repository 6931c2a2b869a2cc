// SPDX-License-Identifier: Apache-2.0
#include "engine/rpc/server/control_channel.h"

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

namespace opscope::rpc::server {

namespace {

constexpr std::size_t kMostBytes = std::size_t{64} << 10;

}  // namespace

base::Result<std::pair<ControlChannel, ControlChannel>> ControlChannel::makePair() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    return base::Error{
        base::ErrorCode::Io, "No channel to a session's process can be made", std::strerror(errno), {}};
  }
  return std::pair(ControlChannel(ends[0]), ControlChannel(ends[1]));
}

ControlChannel& ControlChannel::operator=(ControlChannel&& other) noexcept {
  std::swap(m_descriptor, other.m_descriptor);
  return *this;
}

ControlChannel::~ControlChannel() {
  if (m_descriptor >= 0) {
    ::close(m_descriptor);
  }
}

bool ControlChannel::send(std::string_view text, int socket) const {
  iovec part{const_cast<char*>(text.data()), text.size()};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  alignas(cmsghdr) char space[CMSG_SPACE(sizeof(int))] = {};
  if (socket >= 0) {
    message.msg_control = space;
    message.msg_controllen = sizeof(space);
    cmsghdr* const header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(header), &socket, sizeof(socket));
  }
  ssize_t sent = 0;
  do {
    sent = ::sendmsg(m_descriptor, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
  } while (sent < 0 && errno == EINTR);
  return sent == static_cast<ssize_t>(text.size());
}

std::optional<ControlChannel::Message> ControlChannel::receive() const {
  std::vector<char> text(kMostBytes);
  iovec part{text.data(), text.size()};
  alignas(cmsghdr) char space[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = space;
  message.msg_controllen = sizeof(space);
  ssize_t got = 0;
  do {
    got = ::recvmsg(m_descriptor, &message, MSG_CMSG_CLOEXEC);
  } while (got < 0 && errno == EINTR);
  if (got <= 0) {
    return std::nullopt;
  }
  Message result{std::string(text.data(), static_cast<std::size_t>(got)), -1};
  const cmsghdr* const header = CMSG_FIRSTHDR(&message);
  if (header != nullptr && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS) {
    std::memcpy(&result.socket, CMSG_DATA(header), sizeof(result.socket));
  }
  return result;
}

}  // namespace opscope::rpc::server
