// SPDX-License-Identifier: Apache-2.0
#include "engine/rpc/channel.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "engine/base/clock.h"

namespace opscope::rpc {

namespace {

/// Sent at once; between two of these the deadline starts anew and progress is told.
constexpr std::uint64_t kSliceBytes = std::uint64_t{1} << 20;
/// Bodies from this size on come into memory of their own.
constexpr std::uint64_t kLargeBytes = std::uint64_t{64} << 10;
/// What a length alone makes us reserve; more is reserved as bytes come.
constexpr std::uint64_t kFirstStepBytes = std::uint64_t{8} << 20;
/// A peer that is gone may have left words of why.
constexpr std::chrono::milliseconds kLastWords{300};
constexpr std::size_t kCodeBytes = sizeof(std::int32_t);

constexpr const char* kLostHint =
    "connect again; when it then does not answer, restart the server on the board: stock servers often hang "
    "after this";

/// Cuts pieces into slices of at most kSliceBytes.
class Slices {
 public:
  explicit Slices(std::span<const iovec> pieces) : m_pieces(pieces) {}

  std::span<const iovec> next() {
    m_slice.clear();
    std::uint64_t room = kSliceBytes;
    while (room > 0 && m_piece < m_pieces.size()) {
      const iovec& piece = m_pieces[m_piece];
      const std::size_t size = std::min<std::uint64_t>(piece.iov_len - m_done, room);
      m_slice.push_back({static_cast<char*>(piece.iov_base) + m_done, size});
      room -= size;
      m_done += size;
      if (m_done == piece.iov_len) {
        ++m_piece;
        m_done = 0;
      }
    }
    m_bytes = kSliceBytes - room;
    return m_slice;
  }
  std::uint64_t bytes() const { return m_bytes; }

 private:
  std::span<const iovec> m_pieces;
  std::vector<iovec> m_slice;
  std::size_t m_piece = 0;
  std::size_t m_done = 0;  // of that piece
  std::uint64_t m_bytes = 0;
};

/// The text of an exception in whichever encoding; empty when it has none.
std::string exceptionText(std::string_view payload) {
  for (const Encoding encoding : {Encoding::Tvm022, Encoding::Legacy}) {
    ByteCursor cursor(payload);
    auto values = decodeSequence(encoding, cursor);
    if (values && !values->empty()) {
      if (auto* text = std::get_if<std::string>(&values->front())) {
        return std::move(*text);
      }
    }
  }
  return {};
}

std::string_view withoutSpace(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  const std::size_t end = text.find_last_not_of(" \t\r\n");
  return begin == std::string_view::npos ? std::string_view() : text.substr(begin, end - begin + 1);
}

/// Servers up to TVM 0.21 send whole tracebacks, whose last line tells what happened; later ones a message.
base::Error remoteError(const std::string& peer, std::string_view text) {
  text = withoutSpace(text);
  const bool traceback = text.starts_with("Traceback (most recent call last)");
  const std::size_t cut = traceback ? text.rfind('\n') : text.find('\n');
  if (cut == std::string_view::npos) {
    return {base::ErrorCode::Remote, fmt::format("{}: {}", peer, text), {}, {}};
  }
  const std::string_view first = text.substr(0, cut);
  const std::string_view rest = text.substr(cut + 1);
  return {base::ErrorCode::Remote,
          fmt::format("{}: {}", peer, traceback ? rest : first),
          std::string(withoutSpace(traceback ? first : rest)),
          {}};
}

}  // namespace

base::Error Channel::fail(base::Error cause) {
  if (cause.code == base::ErrorCode::ConnectionLost) {
    cause = {base::ErrorCode::ConnectionLost, fmt::format("the session with {} was lost", peer()),
             fmt::format("{}{}{}", cause.message, cause.detail.empty() ? "" : ", ", cause.detail), kLostHint};
  } else if (cause.code == base::ErrorCode::Format) {
    cause.message = fmt::format("{} sent what cannot be read: {}", peer(), cause.message);
  } else if (cause.code == base::ErrorCode::Timeout && cause.hint.empty()) {
    cause.hint = "the board may be busy or hang: wait longer, or restart its server";
  }
  m_failure = cause;
  return cause;
}

base::Error Channel::explainSendFailure(base::Error cause) {
  m_sendingCut = true;
  if (cause.code == base::ErrorCode::ConnectionLost) {
    while (!m_failure.has_value()) {
      static_cast<void>(receiveAny({kLastWords}));  // the channel fails when there is nothing more
    }
    return *m_failure;
  }
  return fail(std::move(cause));
}

base::Result<> Channel::sendAll(const Waiting& waiting, const Progress& progress) {
  const std::span<const iovec> pieces = m_outbox.pieces();
  const std::uint64_t total = m_outbox.size();
  if (total <= kSliceBytes && !progress) {
    return m_connection->send(pieces, waiting.next());
  }
  Slices slices(pieces);
  for (std::uint64_t done = 0; done < total;) {
    OPSCOPE_TRY(m_connection->send(slices.next(), waiting.next()));
    done += slices.bytes();
    if (progress) {
      progress(done, total);
    }
  }
  return {};
}

base::Result<> Channel::flush(const Waiting& waiting, const Progress& progress) {
  if (m_failure.has_value()) {
    m_outbox.clear();
    return *m_failure;
  }
  if (m_outbox.empty()) {
    return {};
  }
  if (m_traffic != nullptr) {
    m_traffic->sending(base::monotonicNs());
  }
  auto sent = sendAll(waiting, progress);
  m_outbox.clear();
  if (!sent) {
    return explainSendFailure(std::move(sent).error());
  }
  return {};
}

base::Result<std::uint64_t> Channel::receiveLength(const Waiting& waiting) {
  m_connection->acknowledgeAtOnce(!m_awaited.empty());  // more answers are to come behind this one
  const Deadline deadline = waiting.next();
  std::uint64_t length = 0;
  do {  // empty frames mean nothing, and do not keep a session waiting for ever
    if (deadline.expired()) {
      return base::Error{base::ErrorCode::Timeout, fmt::format("{} did not answer in time", peer()), {}, {}};
    }
    OPSCOPE_TRY(m_connection->receiveExact(&length, sizeof(length), deadline));
  } while (length == 0);
  if (length < kCodeBytes || length > kMaxFrameBytes) {
    return base::Error{
        base::ErrorCode::Format, fmt::format("a frame is said to have {} bytes", length),
        fmt::format("expected {} to {}", kCodeBytes, kMaxFrameBytes),
        "what answers there speaks another protocol: check the address and the version of its TVM"};
  }
  m_replyBytes = length + sizeof(length);
  return length;
}

void Channel::noteReply(bool failed) {
  if (m_traffic != nullptr) {
    m_traffic->answered(std::exchange(m_replyBytes, 0), failed, base::monotonicNs());
    m_traffic->wire(m_connection->bytesSent(), m_connection->bytesReceived());
  }
}

base::Result<FrameCode> Channel::receiveHead(std::uint64_t& payloadBytes, const Waiting& waiting) {
  OPSCOPE_TRY_ASSIGN(const std::uint64_t length, receiveLength(waiting));
  std::array<char, kCodeBytes> word;
  OPSCOPE_TRY(m_connection->receiveExact(word.data(), word.size(), waiting.next()));
  OPSCOPE_TRY_ASSIGN(const FrameCode code, parseFrameCode({word.data(), word.size()}));
  payloadBytes = length - kCodeBytes;
  if (code == FrameCode::Shutdown) {
    return base::Error{base::ErrorCode::ConnectionLost,
                       fmt::format("{} ended the session", peer()),
                       "what it was asked to do broke its session process",
                       {}};
  }
  if (code != FrameCode::Return && code != FrameCode::CopyAck && code != FrameCode::Exception) {
    return base::Error{base::ErrorCode::Format,
                       fmt::format("an answer has the code {}", frameCodeName(code)),
                       "expected Return, CopyAck or Exception",
                       {}};
  }
  return code;
}

base::Result<std::string_view> Channel::receiveLargeBody(std::uint64_t size, const Waiting& waiting) {
  m_large = {};
  for (std::size_t done = 0; done < size;) {
    const std::size_t step =
        std::min<std::uint64_t>(size - done, std::max<std::uint64_t>(kFirstStepBytes, done));
    m_large.resize(done + step);
    for (const std::size_t end = done + step; done < end;) {
      const std::size_t slice = std::min<std::uint64_t>(end - done, kSliceBytes);
      OPSCOPE_TRY(m_connection->receiveExact(m_large.data() + done, slice, waiting.next()));
      done += slice;
    }
  }
  return m_large.view();
}

base::Result<std::string_view> Channel::receiveBody(std::uint64_t size, const Waiting& waiting) {
  if (size >= kLargeBytes) {
    return receiveLargeBody(size, waiting);
  }
  m_large = {};
  m_small.resize(size);
  OPSCOPE_TRY(m_connection->receiveExact(m_small.data(), m_small.size(), waiting.next()));
  return std::string_view(m_small);
}

base::Error Channel::exceptionOf(std::string_view payload) {
  const std::string text = exceptionText(payload);
  const std::size_t prefix = text.find(kSessionTimeoutPrefix);
  if (prefix == std::string::npos) {
    return remoteError(peer(), text.empty() ? "an error without a text" : text);
  }
  return fail({base::ErrorCode::Timeout, fmt::format("{} ended the session: its time was over", peer()),
               text.substr(prefix + kSessionTimeoutPrefix.size()),
               "connect again, with a longer time for the session"});
}

base::Result<Reply> Channel::receiveAny(const Waiting& waiting) {
  if (m_failure.has_value()) {
    return *m_failure;
  }
  std::uint64_t size = 0;
  const auto code = receiveHead(size, waiting);
  const auto payload = code ? receiveBody(size, waiting) : base::Result<std::string_view>(code.error());
  if (!payload) {
    return fail(payload.error());
  }
  if (*code == FrameCode::Exception) {
    return exceptionOf(*payload);
  }
  return Reply{*code, *payload};
}

base::Result<> Channel::skipIgnored(const Waiting& waiting) {
  while (!m_awaited.empty() && !m_awaited.front()) {
    const auto reply = receiveAny(waiting);
    noteReply(!reply);
    if (m_failure.has_value()) {
      return reply.error();
    }
    m_awaited.pop_front();
  }
  return {};
}

base::Result<Reply> Channel::receive(const Waiting& waiting) {
  OPSCOPE_TRY(skipIgnored(waiting));
  if (!m_awaited.empty()) {
    m_awaited.pop_front();
  }
  auto reply = receiveAny(waiting);
  noteReply(!reply);
  if (reply && reply->code != FrameCode::Return) {
    return fail({base::ErrorCode::Format, "an answer has the code CopyAck", "expected Return", {}});
  }
  return reply;
}

base::Result<> Channel::receiveCopy(void* data, std::size_t size, const Waiting& waiting) {
  OPSCOPE_TRY(skipIgnored(waiting));
  if (!m_awaited.empty()) {
    m_awaited.pop_front();
  }
  if (m_failure.has_value()) {
    return *m_failure;
  }
  auto received = receiveCopyBody(data, size, waiting);
  noteReply(!received);
  return received;
}

base::Result<> Channel::receiveCopyBody(void* data, std::size_t size, const Waiting& waiting) {
  std::uint64_t payloadBytes = 0;
  const auto code = receiveHead(payloadBytes, waiting);
  if (!code) {
    return fail(code.error());
  }
  if (*code == FrameCode::Exception) {
    const auto payload = receiveBody(payloadBytes, waiting);
    return payload ? exceptionOf(*payload) : fail(payload.error());
  }
  if (*code != FrameCode::CopyAck || payloadBytes != size) {
    return fail({base::ErrorCode::Format,
                 fmt::format("the answer to a copy is {} with {} bytes", frameCodeName(*code), payloadBytes),
                 fmt::format("expected CopyAck with {}", size),
                 {}});
  }
  for (std::size_t done = 0; done < size;) {
    const std::size_t slice = std::min<std::uint64_t>(size - done, kSliceBytes);
    if (auto received = m_connection->receiveExact(static_cast<char*>(data) + done, slice, waiting.next());
        !received) {
      return fail(std::move(received).error());
    }
    done += slice;
  }
  return {};
}

base::Result<> Channel::drain(const Waiting& waiting) {
  std::fill(m_awaited.begin(), m_awaited.end(), false);
  return skipIgnored(waiting);
}

void Channel::close(std::chrono::milliseconds time) {
  const bool gone = m_failure.has_value() && m_failure->code != base::ErrorCode::Timeout;
  if (m_closed || gone || m_sendingCut || m_connection->aborted()) {
    m_closed = true;
    return;
  }
  m_closed = true;
  m_failure.reset();
  const Waiting waiting{time, Deadline::after(time)};
  m_outbox.begin(FrameCode::Shutdown);
  m_outbox.end();
  auto sent = sendAll(waiting, {});
  m_outbox.clear();
  if (sent) {
    m_connection->finishSending();
    // Closing with bytes unread resets the connection, which leaves stock servers deaf.
    std::array<char, 16384> bytes;
    for (;;) {
      const auto received = m_connection->receiveSome(bytes.data(), bytes.size(), waiting.deadline);
      if (!received || *received == 0 || waiting.deadline.expired()) {
        break;
      }
    }
  }
  m_failure = base::Error{
      base::ErrorCode::ConnectionLost, fmt::format("the session with {} is closed", peer()), {}, {}};
}

}  // namespace opscope::rpc
