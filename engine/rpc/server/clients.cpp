// SPDX-License-Identifier: Apache-2.0
#include "engine/rpc/server/clients.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <utility>

#include "engine/base/log.h"
#include "engine/rpc/protocol.h"
#include "engine/rpc/secret.h"
#include "engine/rpc/server/handle_table.h"

namespace opscope::rpc::server {

namespace {

/// They cost a descriptor each. When one more comes, one of them must go.
constexpr std::size_t kMostNewcomers = 256;

/// "127.0.0.1" of "127.0.0.1:54321".
std::string_view hostOf(std::string_view peer) {
  return peer.substr(0, peer.rfind(':'));
}

/// Whether the client closed and left nothing to be read.
bool hasLeft(int socket) {
  char byte = 0;
  const ssize_t got = ::recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return got == 0 || (got < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
}

/// The end of the server's answer that proves that it knows the secret; nothing without one.
std::string proofFor(const AdmittedClient& client, const ServerOptions& options) {
  if (client.serverNonce.empty()) {
    return {};
  }
  return fmt::format(
      " {}{}", kProofOption,
      secretProof(options.secret, Prover::Server, client.hello.text, client.hello.nonce, client.serverNonce));
}

}  // namespace

bool answerHandshake(int socket, std::int32_t code, std::string_view text) {
  std::string bytes(reinterpret_cast<const char*>(&code), sizeof(code));
  if (!text.empty()) {
    const auto length = static_cast<std::int32_t>(text.size());
    bytes.append(reinterpret_cast<const char*>(&length), sizeof(length)).append(text);
  }
  return ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT) ==
         static_cast<ssize_t>(bytes.size());
}

std::string acceptedText(const AdmittedClient& client, const ServerOptions& options) {
  const std::string info =
      client.hello.wantsInfo ? fmt::format(" {}={}", kInfoOption, HandleTable::kFirst) : "";
  return "server:" + options.key + info + proofFor(client, options);
}

Clients::~Clients() {
  for (const Newcomer& newcomer : m_newcomers) {
    ::close(newcomer.client.socket);
  }
  for (const AdmittedClient& client : m_admitted) {
    ::close(client.socket);
  }
}

void Clients::add(AcceptedClient client) {
  if (m_newcomers.size() >= kMostNewcomers) {
    makeRoom();
  }
  m_newcomers.push_back({std::move(client), {}, Clock::now() + m_options.handshakeLimit});
}

/// Closes the oldest of those whose computer has most of them, one that said nothing if there is such a one:
/// who keeps connections open without a word keeps nobody else out.
void Clients::makeRoom() {
  std::map<std::string_view, std::size_t> counts;
  for (const Newcomer& newcomer : m_newcomers) {
    ++counts[hostOf(newcomer.client.peer)];
  }
  const auto most = std::ranges::max_element(counts, {}, [](const auto& count) { return count.second; });
  const auto isTheirs = [&](const Newcomer& newcomer) { return hostOf(newcomer.client.peer) == most->first; };
  auto leaving = std::ranges::find_if(
      m_newcomers, [&](const Newcomer& newcomer) { return isTheirs(newcomer) && !newcomer.spoke; });
  if (leaving == m_newcomers.end()) {
    leaving = std::ranges::find_if(m_newcomers, isTheirs);
  }
  base::log(base::LogLevel::Warning,
            fmt::format("too many connections at once; {} is closed", leaving->client.peer));
  ::close(leaving->client.socket);
  m_newcomers.erase(leaving);
}

void Clients::addTo(std::vector<pollfd>& entries) const {
  for (const Newcomer& newcomer : m_newcomers) {
    entries.push_back({newcomer.client.socket, POLLIN, 0});
  }
}

int Clients::nextDeadlineMs() const {
  if (m_newcomers.empty()) {
    return -1;
  }
  const auto left = m_newcomers.front().end - Clock::now();
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(left).count();
  return static_cast<int>(std::max<std::int64_t>(ms, 0) + 1);
}

void Clients::advance(const std::vector<pollfd>& entries) {
  const auto now = Clock::now();
  for (auto at = m_newcomers.begin(); at != m_newcomers.end();) {
    const auto entry = std::ranges::find(entries, at->client.socket, &pollfd::fd);
    Fate fate = Fate::Stays;
    if (entry != entries.end() && entry->revents != 0) {
      fate = advance(*at);
    }
    if (fate == Fate::Stays && now >= at->end) {
      base::log(base::LogLevel::Info, fmt::format("{} said nothing in time", at->client.peer));
      fate = Fate::Leaves;
    }
    if (fate == Fate::Leaves) {
      ::close(at->client.socket);
    }
    at = fate == Fate::Stays ? std::next(at) : m_newcomers.erase(at);
  }
}

Clients::Fate Clients::advance(Newcomer& newcomer) {
  while (newcomer.handshake.state() == Handshake::State::Reading) {
    char bytes[kMaxKeyBytes];
    const std::size_t wanted = std::min(newcomer.handshake.wants(), sizeof(bytes));
    const ssize_t got = ::recv(newcomer.client.socket, bytes, wanted, 0);
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      return Fate::Stays;
    }
    if (got <= 0) {
      return Fate::Leaves;
    }
    newcomer.spoke = true;
    newcomer.handshake.add({bytes, static_cast<std::size_t>(got)});
    if (newcomer.handshake.state() != Handshake::State::Reading) {
      if (const Fate fate = judge(newcomer); fate != Fate::Stays) {
        return fate;
      }
    }
  }
  return Fate::Stays;
}

Clients::Fate Clients::mismatch(const Newcomer& newcomer, std::string_view why) const {
  base::log(base::LogLevel::Info, fmt::format("{} is turned away: {}", newcomer.client.peer, why));
  answerHandshake(newcomer.client.socket, kServerKeyMismatch, {});
  return Fate::Leaves;
}

Clients::Fate Clients::judge(Newcomer& newcomer) {
  Handshake& handshake = newcomer.handshake;
  switch (handshake.state()) {
    case Handshake::State::Reading:
      return Fate::Stays;
    case Handshake::State::Malformed:
      base::log(base::LogLevel::Info, fmt::format("{} does not speak the protocol", newcomer.client.peer));
      return Fate::Leaves;
    case Handshake::State::Refused:
      return mismatch(newcomer, "what it says cannot be understood");
    case Handshake::State::Greeted:
      if (m_options.secret.empty()) {
        return admit(newcomer);
      }
      if (handshake.hello().nonce.empty()) {
        return mismatch(newcomer, "it does not know of the secret");
      }
      handshake.askForProof(makeNonce());
      return answerHandshake(newcomer.client.socket, kServerChallenge,
                             std::string(kChallengePrefix) + handshake.serverNonce())
                 ? Fate::Stays
                 : Fate::Leaves;
    case Handshake::State::Proved: {
      const Hello& hello = handshake.hello();
      const std::string expected =
          secretProof(m_options.secret, Prover::Client, hello.text, hello.nonce, handshake.serverNonce());
      return sameProof(expected, handshake.proof()) ? admit(newcomer)
                                                    : mismatch(newcomer, "its secret is wrong");
    }
  }
  return Fate::Leaves;
}

Clients::Fate Clients::admit(Newcomer& newcomer) {
  const Hello& hello = newcomer.handshake.hello();
  AdmittedClient client{newcomer.client.socket, newcomer.client.peer, hello,
                        newcomer.handshake.serverNonce()};
  if (hello.key == kStatusKey) {
    answerHandshake(client.socket, kServerMagic,
                    std::string(kStatusPrefix) + m_rules.status() + proofFor(client, m_options));
    return Fate::Leaves;
  }
  if (!m_rules.takeKey(hello.key)) {
    return mismatch(newcomer, "its key is not the one that is asked for");
  }
  m_admitted.push_back(std::move(client));
  return Fate::Admitted;
}

void Clients::dropThoseWhoLeft() {
  for (auto at = m_admitted.begin(); at != m_admitted.end();) {
    if (hasLeft(at->socket)) {
      base::log(base::LogLevel::Info, fmt::format("{} left before its turn", at->peer));
      m_rules.keyUnused(at->hello.key);
      ::close(at->socket);
      at = m_admitted.erase(at);
    } else {
      ++at;
    }
  }
}

std::optional<AdmittedClient> Clients::next() {
  dropThoseWhoLeft();
  if (m_admitted.empty()) {
    return std::nullopt;
  }
  AdmittedClient client = std::move(m_admitted.front());
  m_admitted.pop_front();
  return client;
}

}  // namespace opscope::rpc::server
