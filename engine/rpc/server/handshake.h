// SPDX-License-Identifier: Apache-2.0
// The first words of a client, read piece by piece without ever waiting. One thread; owns no socket.
// Behaviour: section "TCP handshake" of TVM's protocol, and secret.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace opscope::rpc::server {

/// What a client asked for.
struct Hello {
  std::string key;         ///< the match key
  double timeoutS = 0;     ///< 0: none
  std::string holder;      ///< who it says that it is; may be empty
  std::string nonce;       ///< empty: the client knows no secrets
  bool wantsInfo = false;  ///< it can use the handle of the server's description of itself
  std::string text;        ///< all of it as it was sent
};

/// Takes a key text apart: "client:KEY -timeout=N ...". Options that are not known are passed over, as TVM
/// does. nullopt when it is no such text, or when the number of -timeout is none.
std::optional<Hello> parseHello(std::string_view text);

class Handshake {
 public:
  enum class State {
    Reading,    ///< wants() bytes more
    Greeted,    ///< hello() is there; answer it, or ask for a proof
    Proved,     ///< proof() is there, after askForProof
    Malformed,  ///< close the connection
    Refused,    ///< answer with the mismatch code, then close
  };

  State state() const { return m_state; }
  /// Bytes to be read next, at most; what follows the handshake is the session's and must stay unread.
  std::size_t wants() const { return m_wanted - m_buffer.size(); }
  void add(std::string_view bytes);

  const Hello& hello() const { return m_hello; }
  /// From Greeted to Reading: the client's proof comes next.
  void askForProof(std::string serverNonce);
  const std::string& serverNonce() const { return m_serverNonce; }
  const std::string& proof() const { return m_proof; }

 private:
  enum class Part { Magic, TextLength, Text, ProofLength, Proof };
  void finishPart();
  void expect(Part part, std::size_t bytes);
  void takeLength(Part next, std::size_t most);

  State m_state = State::Reading;
  Part m_part = Part::Magic;
  std::size_t m_wanted = 4;
  std::string m_buffer;
  Hello m_hello;
  std::string m_serverNonce;
  std::string m_proof;
};

}  // namespace opscope::rpc::server
