// SPDX-License-Identifier: Apache-2.0
#include "engine/rpc/handshake.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/printable.h"
#include "engine/rpc/protocol.h"
#include "engine/rpc/wire_numbers.h"

namespace opscope::rpc {

namespace {

constexpr const char* kDeafHint =
    "another client may hold the board, then wait or ask who; otherwise its server is stuck: restart it on "
    "the board";
constexpr const char* kWhatListensHint =
    "is it a server of TVM's RPC? By default servers listen on ports from 9090 on and trackers on 9190";

base::Error unanswered(const Connection& connection, base::Error cause) {
  if (cause.code == base::ErrorCode::Timeout) {
    return {base::ErrorCode::Timeout,
            fmt::format("{} accepts connections but does not answer", connection.peer()),
            std::move(cause.detail), kDeafHint};
  }
  if (cause.code == base::ErrorCode::ConnectionLost) {
    return {base::ErrorCode::ConnectionLost,
            fmt::format("{} closed the connection during the handshake", connection.peer()),
            std::move(cause.detail), kWhatListensHint};
  }
  return cause;
}

base::Error refusal(const Connection& connection, std::int32_t code, const std::string& keyText) {
  if (code == kServerKeyMismatch) {
    return {base::ErrorCode::Remote,
            fmt::format("{} does not serve the key \"{}\"", connection.peer(), base::printable(keyText)),
            {},
            "without a tracker give the server's --key (none unless it was set); a board that a tracker "
            "knows must "
            "be asked from the tracker, and its key holds once"};
  }
  if (code == kServerKeyTaken) {
    return {base::ErrorCode::Remote,
            fmt::format("{}: the key \"{}\" is in use by another client", connection.peer(),
                        base::printable(keyText)),
            {},
            "wait until the other client is done, or ask for another board"};
  }
  return {base::ErrorCode::Format, fmt::format("{} is no server of TVM's RPC", connection.peer()),
          fmt::format("found {:#x} as its first word, expected {:#x}", static_cast<std::uint32_t>(code),
                      kServerMagic),
          kWhatListensHint};
}

base::Result<std::string> exchange(Connection& connection, const std::string& keyText, Deadline deadline) {
  const std::string key = "client:" + keyText;
  std::string hello;
  appendNumber(hello, kServerMagic);
  appendNumber(hello, static_cast<std::int32_t>(key.size()));
  OPSCOPE_TRY(connection.send(hello + key, deadline));
  std::int32_t code = 0;
  OPSCOPE_TRY(connection.receiveExact(&code, sizeof(code), deadline));
  if (code != kServerMagic) {
    return refusal(connection, code, keyText);
  }
  std::int32_t size = 0;
  OPSCOPE_TRY(connection.receiveExact(&size, sizeof(size), deadline));
  if (size < 0 || static_cast<std::size_t>(size) > kMaxKeyBytes) {
    return base::Error{base::ErrorCode::Format,
                       fmt::format("{} tells a key of {} bytes", connection.peer(), size),
                       fmt::format("expected at most {}", kMaxKeyBytes), kWhatListensHint};
  }
  std::string answer(static_cast<std::size_t>(size), '\0');
  OPSCOPE_TRY(connection.receiveExact(answer.data(), answer.size(), deadline));
  return answer;
}

}  // namespace

base::Result<> checkMatchKey(const std::string& key) {
  const bool blank =
      std::any_of(key.begin(), key.end(), [](unsigned char c) { return c <= ' ' || c == 0x7F; });
  if (!blank && key.size() <= kMaxKeyBytes / 2) {
    return {};
  }
  return base::Error{base::ErrorCode::InvalidArgument,
                     fmt::format("\"{}\" cannot be the key of a board", base::printable(key.substr(0, 80))),
                     blank ? "keys have no blanks or control characters" : "it is too long",
                     {}};
}

base::Result<std::string> shakeHands(Connection& connection, const std::string& keyText, Deadline deadline) {
  auto answer = exchange(connection, keyText, deadline);
  if (!answer) {
    return unanswered(connection, std::move(answer).error());
  }
  return answer;
}

}  // namespace opscope::rpc
