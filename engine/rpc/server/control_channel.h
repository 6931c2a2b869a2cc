// SPDX-License-Identifier: Apache-2.0
// Messages between the server and the process of a session: JSON texts, one a packet, of which one may carry
// a socket. Owns its end. One thread at a time on each side.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "engine/base/result.h"

namespace opscope::rpc::server {

class ControlChannel {
 public:
  /// The two ends, both closed on exec. Errors: Io.
  static base::Result<std::pair<ControlChannel, ControlChannel>> makePair();
  explicit ControlChannel(int descriptor) : m_descriptor(descriptor) {}
  ControlChannel(ControlChannel&& other) noexcept : m_descriptor(std::exchange(other.m_descriptor, -1)) {}
  ControlChannel& operator=(ControlChannel&& other) noexcept;
  ControlChannel(const ControlChannel&) = delete;
  ControlChannel& operator=(const ControlChannel&) = delete;
  ~ControlChannel();

  int descriptor() const { return m_descriptor; }

  /// False when the other side is gone. Never waits. `socket` may be -1.
  bool send(std::string_view text, int socket = -1) const;

  struct Message {
    std::string text;
    int socket = -1;  ///< the receiver's to close
  };
  /// The next message, waiting for it; nullopt when the other side is gone.
  std::optional<Message> receive() const;

 private:
  int m_descriptor = -1;
};

}  // namespace opscope::rpc::server
