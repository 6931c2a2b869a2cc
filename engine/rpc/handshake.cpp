// SPDX-License-Identifier: Apache-2.0
#include "engine/rpc/handshake.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "engine/base/printable.h"
#include "engine/rpc/protocol.h"
#include "engine/rpc/secret.h"
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
            "knows must be asked from the tracker, and its key holds once. A server of ours that was started "
            "with a secret says the same to clients without it"};
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

/// A text behind its length in four bytes.
std::string sized(std::string_view text) {
  std::string bytes;
  appendNumber(bytes, static_cast<std::int32_t>(text.size()));
  return bytes.append(text);
}

base::Result<std::string> receiveText(Connection& connection, Deadline deadline) {
  std::int32_t size = 0;
  OPSCOPE_TRY(connection.receiveExact(&size, sizeof(size), deadline));
  if (size < 0 || static_cast<std::size_t>(size) > kMaxKeyBytes) {
    return base::Error{base::ErrorCode::Format,
                       fmt::format("{} tells a key of {} bytes", connection.peer(), size),
                       fmt::format("expected at most {}", kMaxKeyBytes), kWhatListensHint};
  }
  std::string text(static_cast<std::size_t>(size), '\0');
  OPSCOPE_TRY(connection.receiveExact(text.data(), text.size(), deadline));
  return text;
}

base::Error secretError(const Connection& connection, std::string detail) {
  return {base::ErrorCode::Remote, fmt::format("{} does not share our secret", connection.peer()),
          std::move(detail),
          "give client and server the same secret, and check that it is the server you mean"};
}

/// What follows "NAME=" among the words of a text.
std::string_view optionOf(std::string_view text, std::string_view name) {
  const std::size_t found = text.find(name);
  if (found == std::string_view::npos) {
    return {};
  }
  const std::string_view rest = text.substr(found + name.size());
  return rest.substr(0, rest.find(' '));
}

/// One handshake: what was said, and by whom.
class Handshake {
 public:
  Handshake(Connection& connection, const Hello& hello, Deadline deadline)
      : m_connection(connection), m_hello(hello), m_deadline(deadline), m_text("client:" + hello.key) {
    if (hello.sessionSeconds > 0) {  // whole seconds: the server in C++ reads digits only
      m_text += fmt::format(" -timeout={}", hello.sessionSeconds);
    }
    if (!hello.clientName.empty()) {
      m_text += fmt::format(" {}{}", kHolderOption, oneWord(hello.clientName));
    }
    if (!hello.secret.empty()) {
      m_nonce = makeNonce();
      m_text += fmt::format(" {}{}", kNonceOption, m_nonce);
    }
    m_text += fmt::format(" {}", kInfoOption);
  }

  base::Result<Welcome> run() {
    std::string bytes;
    appendNumber(bytes, kServerMagic);
    OPSCOPE_TRY(m_connection.send(bytes + sized(m_text), m_deadline));
    OPSCOPE_TRY_ASSIGN(std::int32_t code, receiveCode());
    if (code >= kServerMagic && code <= kServerChallenge) {
      tell(OpeningStep::Magic);
    }
    std::string serverNonce;
    if (code == kServerChallenge && !m_nonce.empty()) {
      OPSCOPE_TRY_ASSIGN(serverNonce, answerChallenge());
      OPSCOPE_TRY_ASSIGN(code, receiveCode());
    }
    if (code != kServerMagic) {
      return code == kServerKeyMismatch && !serverNonce.empty()
                 ? secretError(m_connection, "it does not accept our proof")
                 : refusal(m_connection, code, m_hello.key);
    }
    OPSCOPE_TRY_ASSIGN(const std::string answer, receiveText(m_connection, m_deadline));
    OPSCOPE_TRY(checkProof(answer, serverNonce));
    tell(OpeningStep::Key);
    return Welcome{answer.substr(0, answer.find(' ')), infoHandle(answer)};
  }

 private:
  void tell(OpeningStep step) const {
    if (m_hello.reached) {
      m_hello.reached(step);
    }
  }

  /// At most 64 bytes without blanks, as the option takes it.
  static std::string oneWord(const std::string& name) {
    std::string word = name.substr(0, 64);
    for (char& character : word) {
      character = static_cast<unsigned char>(character) <= ' ' || character == 0x7F ? '_' : character;
    }
    return word;
  }

  static std::uint64_t infoHandle(std::string_view answer) {
    const std::string_view digits = optionOf(answer, std::string(kInfoOption) + "=");
    std::uint64_t handle = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), handle);
    return error == std::errc() && end == digits.data() + digits.size() ? handle : 0;
  }

  base::Result<std::int32_t> receiveCode() {
    std::int32_t code = 0;
    OPSCOPE_TRY(m_connection.receiveExact(&code, sizeof(code), m_deadline));
    return code;
  }

  /// Returns the server's nonce.
  base::Result<std::string> answerChallenge() {
    OPSCOPE_TRY_ASSIGN(const std::string text, receiveText(m_connection, m_deadline));
    if (!text.starts_with(kChallengePrefix)) {
      return base::Error{
          base::ErrorCode::Format,
          fmt::format("{} asks for the secret in a way that is not known", m_connection.peer()),
          {},
          "its version may be another one"};
    }
    const std::string nonce = text.substr(kChallengePrefix.size());
    const std::string proof = secretProof(m_hello.secret, Prover::Client, m_text, m_nonce, nonce);
    OPSCOPE_TRY(m_connection.send(sized(std::string(kProofPrefix) + proof), m_deadline));
    return nonce;
  }

  base::Result<> checkProof(const std::string& answer, const std::string& serverNonce) {
    if (m_hello.secret.empty()) {
      return {};
    }
    if (serverNonce.empty()) {
      return secretError(m_connection, "it was started without one, or is not our server");
    }
    const std::string expected = secretProof(m_hello.secret, Prover::Server, m_text, m_nonce, serverNonce);
    if (!sameProof(optionOf(answer, kProofOption), expected)) {
      return secretError(m_connection, "its proof is wrong");
    }
    return {};
  }

  Connection& m_connection;
  const Hello& m_hello;
  const Deadline m_deadline;
  std::string m_text;  ///< as it is sent
  std::string m_nonce;
};

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

base::Result<Welcome> shakeHands(Connection& connection, const Hello& hello, Deadline deadline) {
  OPSCOPE_TRY(checkMatchKey(hello.key));
  auto answer = Handshake(connection, hello, deadline).run();
  if (!answer) {
    return unanswered(connection, std::move(answer).error());
  }
  return answer;
}

}  // namespace opscope::rpc
