// SPDX-License-Identifier: Apache-2.0
// The shared secret of our client and our server: each proves to the other that it knows it, without sending
// it. The words on the wire stand in docs/server.md. Any thread; pure functions.
//
//   client -> server   magic, text "client:KEY ... -opscope-nonce=CN"     CN: 32 hex digits, new each time
//   server -> client   kServerChallenge, text "challenge:SN"              SN: as CN, the server's
//   client -> server   text "proof:P"                                     P = secretProof(Client, ...)
//   server -> client   magic, text "server:KEY -opscope-proof=Q"          Q = secretProof(Server, ...)
//
// A text is an i32 length and as many bytes. Who sends no nonce (every client of TVM's) or a wrong proof gets
// the answer for a wrong key. A server without a secret takes no notice of the nonce and sends no proof.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace opscope::rpc {

/// The server's answer that asks for a proof; only to clients that sent a nonce. TVM uses magic to magic + 2.
inline constexpr std::int32_t kServerChallenge = 0xFF271 + 3;
inline constexpr std::string_view kNonceOption = "-opscope-nonce=";
inline constexpr std::string_view kProofOption = "-opscope-proof=";
/// Who the client is, for others who wait for the board: a text without blanks, at most 64 bytes.
inline constexpr std::string_view kHolderOption = "-opscope-client=";
/// From the client alone: it can use the handle of the server's description of itself. From our server, with
/// the handle as a decimal number behind "=": a function without arguments that may be called right behind
/// Init.
inline constexpr std::string_view kInfoOption = "-opscope-info";
inline constexpr std::string_view kChallengePrefix = "challenge:";
inline constexpr std::string_view kProofPrefix = "proof:";
inline constexpr std::size_t kNonceDigits = 32;
inline constexpr std::size_t kProofDigits = 64;

enum class Prover { Client, Server };

/// HMAC-SHA-256 under `secret` over who proves, the client's first text as it was sent, and both nonces; in
/// 64 lower-case hex digits.
std::string secretProof(std::string_view secret, Prover prover, std::string_view clientText,
                        std::string_view clientNonce, std::string_view serverNonce);

/// 32 hex digits from the system's random numbers.
std::string makeNonce();

/// Whether both are equal, in a time that does not tell where they differ.
bool sameProof(std::string_view left, std::string_view right);

/// The secret in a file: its content without line ends behind it. Errors: as base::readFile; InvalidArgument
/// for less than 16 bytes and for files that others than their owner may read.
base::Result<std::string> readSecret(const std::string& path);

}  // namespace opscope::rpc
