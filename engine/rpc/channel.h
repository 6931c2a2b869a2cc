// SPDX-License-Identifier: Apache-2.0
// Requests and replies in order over one connection: what Client is built on. Frames collect in an outbox and
// go out in one write; replies nobody waits for are read on the way. One thread at a time, except for
// abort(); owns the connection. After a failure of the connection the channel stays failed.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "engine/base/page_buffer.h"
#include "engine/base/result.h"
#include "engine/rpc/connection.h"
#include "engine/rpc/frames.h"
#include "engine/rpc/traffic_log.h"

namespace opscope::rpc {

/// Called with bytes sent so far and in all.
using Progress = std::function<void(std::uint64_t done, std::uint64_t total)>;

/// How long to wait: `patience` for each piece that is sent and for the answer, `deadline` for all together.
struct Waiting {
  std::chrono::milliseconds patience{60'000};
  Deadline deadline = Deadline::none();
  Deadline next() const { return earlier(deadline, Deadline::after(patience)); }
};

/// A reply's body without its code; valid until the next receive.
struct Reply {
  FrameCode code = FrameCode::None;  ///< Return or CopyAck
  std::string_view payload;
};

class Channel {
 public:
  /// `traffic` may be null; it outlives the channel.
  explicit Channel(std::unique_ptr<Connection> connection, TrafficLog* traffic = nullptr)
      : m_connection(std::move(connection)), m_traffic(traffic) {}

  /// Null when nobody asked for it.
  TrafficLog* traffic() { return m_traffic; }

  /// Frames for the next flush. Each one that has a reply is told by expect() or expectIgnored(), in order.
  FrameWriter& outbox() { return m_outbox; }
  void expect() { awaitReply(true); }
  /// The reply is read and dropped, also when it is an exception.
  void expectIgnored() { awaitReply(false); }
  /// Replies that are still to come.
  std::size_t expected() const { return m_awaited.size(); }

  /// Sends what is in the outbox. Errors: as Connection's, told as a lost session; the channel has failed
  /// then.
  base::Result<> flush(const Waiting& waiting, const Progress& progress = {});

  /// The next reply that somebody waits for. Errors: Remote for an exception of the server's (the channel
  /// stays good); Timeout, ConnectionLost, Cancelled, Format (the channel has failed).
  base::Result<Reply> receive(const Waiting& waiting);
  /// The same for a CopyAck of exactly `size` bytes, straight into `data`.
  base::Result<> receiveCopy(void* data, std::size_t size, const Waiting& waiting);
  /// Reads all replies that are still to come and drops them.
  base::Result<> drain(const Waiting& waiting);
  /// The memory behind the last reply when it was large; empty when it was not.
  base::PageBuffer takeLargeBody() { return std::move(m_large); }

  /// Ends the session so that the server lives on: whole frames, Shutdown, then everything is read until the
  /// server closes, at most for `time`.
  void close(std::chrono::milliseconds time);
  /// Ends every wait with Cancelled. Any thread.
  void abort() { m_connection->abort(); }

  /// Makes the channel fail for what a caller found in an answer; returns the error in words.
  base::Error fail(base::Error cause);
  /// Why the channel failed, or nothing.
  const std::optional<base::Error>& failure() const { return m_failure; }
  const std::string& peer() const { return m_connection->peer(); }

 private:
  void awaitReply(bool wanted) {
    m_awaited.push_back(wanted);
    if (m_traffic != nullptr) {
      m_traffic->asked(m_outbox.lastCode(), m_outbox.lastFrameBytes());
    }
  }
  void noteReply(bool failed);
  base::Result<> sendAll(const Waiting& waiting, const Progress& progress);
  base::Result<std::uint64_t> receiveLength(const Waiting& waiting);
  base::Result<std::string_view> receiveBody(std::uint64_t size, const Waiting& waiting);
  base::Result<std::string_view> receiveLargeBody(std::uint64_t size, const Waiting& waiting);
  base::Result<FrameCode> receiveHead(std::uint64_t& payloadBytes, const Waiting& waiting);
  base::Result<> receiveCopyBody(void* data, std::size_t size, const Waiting& waiting);
  base::Result<Reply> receiveAny(const Waiting& waiting);
  base::Result<> skipIgnored(const Waiting& waiting);
  base::Error exceptionOf(std::string_view payload);
  base::Error explainSendFailure(base::Error cause);

  std::unique_ptr<Connection> m_connection;
  FrameWriter m_outbox;
  std::deque<bool> m_awaited;  ///< one entry a reply to come: whether somebody waits for it
  std::string m_small;         ///< the last body
  base::PageBuffer m_large;    ///< or this one
  bool m_sendingCut = false;   ///< a frame was sent in part
  bool m_closed = false;
  TrafficLog* const m_traffic;
  std::uint64_t m_replyBytes = 0;  ///< of the last reply, its length included
  std::optional<base::Error> m_failure;
};

}  // namespace opscope::rpc
