// SPDX-License-Identifier: Apache-2.0
// A TCP connection with a deadline on every wait. One thread at a time, except for abort(); owns the socket.
#pragma once

#include <sys/uio.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "engine/rpc/deadline.h"

namespace opscope::rpc {

class Connection {
 public:
  /// Connects to a name, IPv4 or IPv6 address; `port` is a number as text. Tries every address of the name
  /// within the deadline. Errors: InvalidArgument (no port), NotFound (no such name), Timeout (no answer),
  /// Io (refused, unreachable), Cancelled (`stop`); all name host and port.
  static base::Result<std::unique_ptr<Connection>> connect(const std::string& host, const std::string& port,
                                                           Deadline deadline, std::stop_token stop = {});
  /// Takes over a connected socket. `peer` names it in errors.
  static std::unique_ptr<Connection> adopt(int socket, std::string peer);

  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection();

  /// Sends all pieces, in one system call while the system takes them. Errors: Timeout, ConnectionLost,
  /// Cancelled (after abort()). After an error nothing more can be sent: a frame may have been cut.
  base::Result<> send(std::span<const iovec> pieces, Deadline deadline);
  base::Result<> send(std::string_view bytes, Deadline deadline);

  /// Exactly `size` bytes. Errors: Timeout, ConnectionLost (its detail tells how many bytes came), Cancelled.
  base::Result<> receiveExact(void* data, std::size_t size, Deadline deadline);
  /// At least one byte and at most `size`; 0 when the peer has closed. Errors as receiveExact.
  base::Result<std::size_t> receiveSome(void* data, std::size_t size, Deadline deadline);
  /// True when bytes, or the peer's end, can be read without waiting.
  bool readable() const;
  /// Waits for that: false at the deadline. Errors: Cancelled.
  base::Result<bool> awaitReadable(Deadline deadline) const;

  /// Whether what comes is acknowledged at once. Servers of TVM's write each answer by itself and leave
  /// Nagle's algorithm on, so that of several answers each waits for the acknowledgement of the one before,
  /// which otherwise comes 40 ms late. Costs a system call a read.
  void acknowledgeAtOnce(bool on) { m_acknowledgeAtOnce = on; }
  /// No more is sent; the peer sees an end. What it still sends can be read.
  void finishSending();
  /// Ends every wait, now and later, with Cancelled. Any thread.
  void abort();
  bool aborted() const { return m_aborted.load(std::memory_order_acquire); }

  /// "HOST:PORT".
  const std::string& peer() const { return m_peer; }
  int socket() const { return m_socket; }
  /// In all, whole frames or not.
  std::uint64_t bytesSent() const { return m_bytesSent; }
  std::uint64_t bytesReceived() const { return m_bytesReceived; }

 private:
  Connection(int socket, std::string peer);

  base::Result<std::size_t> receiveNow(void* data, std::size_t size, Deadline deadline);
  base::Error cancelled() const;
  base::Error timedOut(std::string_view doing) const;
  base::Error lost(std::string_view doing, int number) const;

  const int m_socket;
  const std::string m_peer;
  std::atomic<bool> m_aborted{false};
  std::uint64_t m_bytesSent = 0;
  std::uint64_t m_bytesReceived = 0;
  bool m_acknowledgeAtOnce = true;   // until the session's owner knows better
  std::unique_ptr<char[]> m_buffer;  ///< received ahead
  std::size_t m_bufferBegin = 0;
  std::size_t m_bufferEnd = 0;
};

}  // namespace opscope::rpc
