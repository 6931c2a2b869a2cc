// SPDX-License-Identifier: Apache-2.0
#include "engine/rpc/server/frame_stream.h"

#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace opscope::rpc::server {

namespace {

constexpr std::size_t kInputBytes = std::size_t{64} << 10;
constexpr std::size_t kMostGathered = std::size_t{64} << 10;
constexpr std::size_t kMostAtOnce = std::size_t{1} << 30;

/// What one recv gave: bytes, 0 at the end or after a failure.
std::size_t receive(int socket, void* target, std::size_t bytes, int flags = 0) {
  for (;;) {
    const ssize_t got = ::recv(socket, target, std::min(bytes, kMostAtOnce), flags);
    if (got >= 0) {
      return static_cast<std::size_t>(got);
    }
    if (errno != EINTR) {
      return 0;
    }
  }
}

}  // namespace

FrameStream::FrameStream(int socket) : m_socket(socket), m_input(kInputBytes) {}

FrameStream::~FrameStream() {
  ::close(m_socket);
}

bool FrameStream::fill() {
  if (m_begin == m_end) {
    m_begin = m_end = 0;
  } else if (m_begin > 0) {
    std::memmove(m_input.data(), m_input.data() + m_begin, m_end - m_begin);
    m_end -= m_begin;
    m_begin = 0;
  }
  const std::size_t got = receive(m_socket, m_input.data() + m_end, m_input.size() - m_end);
  m_end += got;
  return got > 0;
}

bool FrameStream::read(void* target, std::uint64_t bytes) {
  auto* to = static_cast<char*>(target);
  while (bytes > 0) {
    if (m_begin < m_end) {
      const std::size_t now = std::min<std::uint64_t>(bytes, m_end - m_begin);
      std::memcpy(to, m_input.data() + m_begin, now);
      m_begin += now;
      to += now;
      bytes -= now;
    } else if (bytes >= m_input.size()) {  // straight to where it belongs
      const std::size_t got = receive(m_socket, to, bytes, MSG_WAITALL);
      if (got == 0) {
        return false;
      }
      to += got;
      bytes -= got;
    } else if (!fill()) {
      return false;
    }
  }
  return true;
}

bool FrameStream::skip(std::uint64_t bytes) {
  while (bytes > 0) {
    if (m_begin == m_end && !fill()) {
      return false;
    }
    const std::size_t now = std::min<std::uint64_t>(bytes, m_end - m_begin);
    m_begin += now;
    bytes -= now;
  }
  return true;
}

bool FrameStream::readLength(std::uint64_t& length) {
  do {
    if (!hasFrame() && !flush()) {
      return false;
    }
    if (!read(&length, sizeof(length))) {
      return false;
    }
  } while (length == 0);
  return true;
}

bool FrameStream::hasFrame() const {
  std::uint64_t length = 0;
  const std::size_t there = m_end - m_begin;
  if (there < sizeof(length)) {
    return false;
  }
  std::memcpy(&length, m_input.data() + m_begin, sizeof(length));
  return length <= there - sizeof(length);
}

bool FrameStream::write(std::string_view head, std::string_view blob) {
  const std::uint64_t length = head.size() + blob.size();
  char prefix[sizeof(length)];
  std::memcpy(prefix, &length, sizeof(length));
  m_output.append(prefix, sizeof(prefix));
  m_output.append(head);
  if (m_output.size() + blob.size() <= kMostGathered) {
    m_output.append(blob);
    return true;
  }
  const bool sent = sendAll(m_output, blob);
  m_output.clear();
  return sent;
}

bool FrameStream::flush() {
  const bool sent = m_output.empty() || sendAll(m_output, {});
  m_output.clear();
  return sent;
}

bool FrameStream::sendAll(std::string_view first, std::string_view second) {
  const std::lock_guard lock(m_writeLock);
  while (!first.empty() || !second.empty()) {
    std::array<iovec, 2> parts{iovec{const_cast<char*>(first.data()), first.size()},
                               iovec{const_cast<char*>(second.data()), std::min(second.size(), kMostAtOnce)}};
    msghdr message{};
    message.msg_iov = parts.data();
    message.msg_iovlen = parts.size();
    const ssize_t sent = ::sendmsg(m_socket, &message, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) {
      continue;
    }
    if (sent <= 0) {
      return false;
    }
    const std::size_t ofFirst = std::min(first.size(), static_cast<std::size_t>(sent));
    first.remove_prefix(ofFirst);
    second.remove_prefix(static_cast<std::size_t>(sent) - ofFirst);
  }
  return true;
}

}  // namespace opscope::rpc::server
