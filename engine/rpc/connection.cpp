// SPDX-License-Identifier: Apache-2.0
#include "engine/rpc/connection.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

namespace opscope::rpc {

namespace {

constexpr std::size_t kBufferBytes = std::size_t{64} << 10;
/// A blocking read or write wakes this often to look at its deadline. Blocking costs one system call an
/// answer where polling costs three.
constexpr std::chrono::milliseconds kSlice{50};
constexpr std::size_t kMaxPieces = 1024;  // of one writev

void setOption(int socket, int level, int name, const void* value, socklen_t size) {
  // Sockets that are no TCP (tests use pairs) lack some; all of them are about speed or manners.
  static_cast<void>(::setsockopt(socket, level, name, value, size));
}

void prepare(int socket) {
  const int flags = ::fcntl(socket, F_GETFL);
  ::fcntl(socket, F_SETFL, flags & ~O_NONBLOCK);
  const int on = 1;
  setOption(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  setOption(socket, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
  const timeval slice{0, std::chrono::microseconds(kSlice).count()};
  setOption(socket, SOL_SOCKET, SO_RCVTIMEO, &slice, sizeof(slice));
  setOption(socket, SOL_SOCKET, SO_SNDTIMEO, &slice, sizeof(slice));
}

/// False once the deadline is over. With less than a slice left it waits for the rest by itself.
bool waitFurther(int socket, short events, Deadline deadline) {
  const auto left = deadline.left(kSlice);
  if (left < kSlice) {
    if (left.count() <= 0) {
      return false;
    }
    pollfd entry{socket, events, 0};
    ::poll(&entry, 1, static_cast<int>(left.count()));
  }
  return true;
}

bool isAgain(int number) {
  return number == EAGAIN || number == EWOULDBLOCK || number == EINTR;
}

/// What is left to send, cut off at the front as it goes.
class Rest {
 public:
  explicit Rest(std::span<const iovec> pieces) : m_pieces(pieces.begin(), pieces.end()) {}

  bool done() const { return m_next == m_pieces.size(); }
  msghdr message() {
    msghdr header{};
    header.msg_iov = m_pieces.data() + m_next;
    header.msg_iovlen = std::min(m_pieces.size() - m_next, kMaxPieces);
    return header;
  }
  void advance(std::size_t bytes) {
    while (!done() && bytes >= m_pieces[m_next].iov_len) {
      bytes -= m_pieces[m_next++].iov_len;
    }
    if (bytes > 0) {
      iovec& piece = m_pieces[m_next];
      piece.iov_base = static_cast<char*>(piece.iov_base) + bytes;
      piece.iov_len -= bytes;
    }
  }

 private:
  std::vector<iovec> m_pieces;
  std::size_t m_next = 0;
};

}  // namespace

Connection::Connection(int socket, std::string peer)
    : m_socket(socket), m_peer(std::move(peer)), m_buffer(new char[kBufferBytes]) {
  prepare(socket);
}

std::unique_ptr<Connection> Connection::adopt(int socket, std::string peer) {
  return std::unique_ptr<Connection>(new Connection(socket, std::move(peer)));
}

Connection::~Connection() {
  ::close(m_socket);
}

base::Result<> Connection::send(std::string_view bytes, Deadline deadline) {
  const iovec piece{const_cast<char*>(bytes.data()), bytes.size()};  // only read
  return send(std::span(&piece, 1), deadline);
}

base::Result<> Connection::send(std::span<const iovec> pieces, Deadline deadline) {
  Rest rest(pieces);
  while (!rest.done()) {
    if (aborted()) {
      return cancelled();
    }
    const msghdr message = rest.message();
    const ssize_t sent = ::sendmsg(m_socket, &message, MSG_NOSIGNAL);
    if (sent >= 0) {
      m_bytesSent += static_cast<std::uint64_t>(sent);
      rest.advance(static_cast<std::size_t>(sent));
    } else if (!isAgain(errno)) {
      return aborted() ? cancelled() : lost("sending", errno);
    }
    if (!rest.done() && !waitFurther(m_socket, POLLOUT, deadline)) {
      return timedOut("sending");
    }
  }
  return {};
}

base::Result<std::size_t> Connection::receiveNow(void* data, std::size_t size, Deadline deadline) {
  for (;;) {
    if (aborted()) {
      return cancelled();
    }
    if (m_acknowledgeAtOnce) {  // the system forgets it
      const int on = 1;
      setOption(m_socket, IPPROTO_TCP, TCP_QUICKACK, &on, sizeof(on));
    }
    const ssize_t received = ::recv(m_socket, data, size, 0);
    if (received >= 0) {
      m_bytesReceived += static_cast<std::uint64_t>(received);
      return received == 0 && aborted() ? base::Result<std::size_t>(cancelled())
                                        : static_cast<std::size_t>(received);
    }
    if (!isAgain(errno)) {
      return aborted() ? cancelled() : lost("receiving", errno);
    }
    if (!waitFurther(m_socket, POLLIN, deadline)) {
      return timedOut("receiving");
    }
  }
}

base::Result<std::size_t> Connection::receiveSome(void* data, std::size_t size, Deadline deadline) {
  if (m_bufferBegin == m_bufferEnd) {
    if (size >= kBufferBytes) {
      return receiveNow(data, size, deadline);
    }
    m_bufferBegin = m_bufferEnd = 0;
    OPSCOPE_TRY_ASSIGN(m_bufferEnd, receiveNow(m_buffer.get(), kBufferBytes, deadline));
  }
  const std::size_t bytes = std::min(size, m_bufferEnd - m_bufferBegin);
  std::memcpy(data, m_buffer.get() + m_bufferBegin, bytes);
  m_bufferBegin += bytes;
  return bytes;
}

base::Result<> Connection::receiveExact(void* data, std::size_t size, Deadline deadline) {
  std::size_t done = 0;
  while (done < size) {
    OPSCOPE_TRY_ASSIGN(const std::size_t bytes,
                       receiveSome(static_cast<char*>(data) + done, size - done, deadline));
    if (bytes == 0) {
      base::Error error = lost("receiving", 0);
      error.detail = fmt::format("{} of {} bytes came", done, size);
      return error;
    }
    done += bytes;
    if (done < size && deadline.expired()) {  // a trickle is no answer
      return timedOut("receiving");
    }
  }
  return {};
}

bool Connection::readable() const {
  if (m_bufferBegin != m_bufferEnd) {
    return true;
  }
  pollfd entry{m_socket, POLLIN, 0};
  return ::poll(&entry, 1, 0) > 0;
}

base::Result<bool> Connection::awaitReadable(Deadline deadline) const {
  while (!readable()) {
    if (deadline.expired()) {
      return false;
    }
    pollfd entry{m_socket, POLLIN, 0};
    ::poll(&entry, 1, static_cast<int>(deadline.left(kSlice).count()));
    if (aborted()) {
      return cancelled();
    }
  }
  return aborted() ? base::Result<bool>(cancelled()) : true;
}

void Connection::finishSending() {
  ::shutdown(m_socket, SHUT_WR);
}

void Connection::abort() {
  m_aborted.store(true, std::memory_order_release);
  ::shutdown(m_socket, SHUT_RDWR);
}

base::Error Connection::cancelled() const {
  return {base::ErrorCode::Cancelled, fmt::format("the connection to {} was cancelled", m_peer), {}, {}};
}

base::Error Connection::timedOut(std::string_view doing) const {
  return {base::ErrorCode::Timeout,
          fmt::format("{} did not answer in time", m_peer),
          fmt::format("while {}", doing),
          {}};
}

base::Error Connection::lost(std::string_view doing, int number) const {
  return {base::ErrorCode::ConnectionLost,
          fmt::format("{} closed the connection", m_peer),
          number == 0 ? fmt::format("while {}", doing)
                      : fmt::format("while {}: {}", doing, std::strerror(number)),
          {}};
}

}  // namespace opscope::rpc
