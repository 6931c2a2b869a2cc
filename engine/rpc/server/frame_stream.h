// SPDX-License-Identifier: Apache-2.0
// Both directions of a session's socket. Reading waits; small replies are gathered and leave together when
// the next request is not there yet. One thread; `writeLock` lets a second one write between two frames. Owns
// the socket.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace opscope::rpc::server {

class FrameStream {
 public:
  explicit FrameStream(int socket);
  ~FrameStream();
  FrameStream(const FrameStream&) = delete;
  FrameStream& operator=(const FrameStream&) = delete;

  /// Exactly `bytes` bytes; false when the peer closed or failed before.
  bool read(void* target, std::uint64_t bytes);
  /// Reads and drops.
  bool skip(std::uint64_t bytes);
  /// The length of the next frame that is not empty.
  bool readLength(std::uint64_t& length);
  /// True when read() of the next whole frame would not wait.
  bool hasFrame() const;

  /// Adds one frame: its length, `head` and `blob`. A large blob is sent at once, without a copy. False when
  /// the peer is gone.
  bool write(std::string_view head, std::string_view blob = {});
  bool flush();

  /// Held while bytes of a frame are on their way.
  std::timed_mutex& writeLock() { return m_writeLock; }
  int socket() const { return m_socket; }

 private:
  bool fill();
  bool sendAll(std::string_view first, std::string_view second);

  int m_socket;
  std::vector<char> m_input;
  std::size_t m_begin = 0;  ///< of what was received and not read yet
  std::size_t m_end = 0;
  std::string m_output;
  std::timed_mutex m_writeLock;
};

}  // namespace opscope::rpc::server
