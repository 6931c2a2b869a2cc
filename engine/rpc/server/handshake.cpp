// SPDX-License-Identifier: Apache-2.0
#include "engine/rpc/server/handshake.h"

#include <charconv>
#include <cmath>
#include <cstring>
#include <utility>

#include "engine/rpc/protocol.h"
#include "engine/rpc/secret.h"

namespace opscope::rpc::server {

namespace {

constexpr std::string_view kClientPrefix = "client:";
constexpr std::string_view kTimeoutOption = "-timeout=";
constexpr std::string_view kBlanks = " \t\r\n\v\f";
constexpr std::size_t kMostHolderBytes = 64;
constexpr double kMostTimeoutS = 10.0 * 365 * 24 * 3600;

std::string_view nextWord(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  const std::string_view word = text.substr(0, text.find_first_of(kBlanks));
  text.remove_prefix(word.size());
  return word;
}

std::optional<double> parseSeconds(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) {
    return std::nullopt;
  }
  return value <= 0 ? 0 : std::min(value, kMostTimeoutS);
}

bool isHex(std::string_view text) {
  return text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

/// False for a value that cannot be.
bool takeOption(std::string_view option, Hello& hello) {
  if (option.starts_with(kTimeoutOption)) {
    const auto seconds = parseSeconds(option.substr(kTimeoutOption.size()));
    hello.timeoutS = seconds.value_or(0);
    return seconds.has_value();
  }
  if (option.starts_with(kNonceOption)) {
    hello.nonce = option.substr(kNonceOption.size());
    return hello.nonce.size() == kNonceDigits && isHex(hello.nonce);
  }
  hello.wantsInfo = hello.wantsInfo || option == kInfoOption;
  if (option.starts_with(kHolderOption)) {
    hello.holder = option.substr(kHolderOption.size(), kMostHolderBytes);
  }
  return true;
}

}  // namespace

std::optional<Hello> parseHello(std::string_view text) {
  Hello hello;
  hello.text = text;
  const std::string_view first = nextWord(text);
  if (!first.starts_with(kClientPrefix)) {
    return std::nullopt;
  }
  hello.key = first.substr(kClientPrefix.size());
  for (std::string_view option = nextWord(text); !option.empty(); option = nextWord(text)) {
    if (!takeOption(option, hello)) {
      return std::nullopt;
    }
  }
  return hello;
}

void Handshake::expect(Part part, std::size_t bytes) {
  m_part = part;
  m_wanted = bytes;
  m_buffer.clear();
}

void Handshake::takeLength(Part next, std::size_t most) {
  std::int32_t length = 0;
  std::memcpy(&length, m_buffer.data(), sizeof(length));
  if (length < 1 || static_cast<std::size_t>(length) > most) {
    m_state = State::Malformed;
    return;
  }
  expect(next, static_cast<std::size_t>(length));
}

void Handshake::finishPart() {
  switch (m_part) {
    case Part::Magic: {
      std::int32_t magic = 0;
      std::memcpy(&magic, m_buffer.data(), sizeof(magic));
      m_state = magic == kServerMagic ? m_state : State::Malformed;
      return expect(Part::TextLength, sizeof(std::int32_t));
    }
    case Part::TextLength:
      return takeLength(Part::Text, kMaxKeyBytes);
    case Part::Text: {
      auto hello = parseHello(m_buffer);
      m_state = hello.has_value() ? State::Greeted : State::Refused;
      m_hello = std::move(hello).value_or(Hello{});
      return;
    }
    case Part::ProofLength:
      return takeLength(Part::Proof, kProofPrefix.size() + kProofDigits);
    case Part::Proof:
      m_state = m_buffer.starts_with(kProofPrefix) ? State::Proved : State::Refused;
      m_proof = m_buffer.substr(std::min(kProofPrefix.size(), m_buffer.size()));
      return;
  }
}

void Handshake::add(std::string_view bytes) {
  m_buffer += bytes;
  if (m_state == State::Reading && m_buffer.size() >= m_wanted) {
    finishPart();
  }
}

void Handshake::askForProof(std::string serverNonce) {
  m_serverNonce = std::move(serverNonce);
  m_state = State::Reading;
  expect(Part::ProofLength, sizeof(std::int32_t));
}

}  // namespace opscope::rpc::server
