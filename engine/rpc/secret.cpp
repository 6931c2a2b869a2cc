// SPDX-License-Identifier: Apache-2.0
#include "engine/rpc/secret.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <random>

#include "engine/base/atomic_file.h"
#include "engine/rpc/sha256.h"

namespace opscope::rpc {

namespace {

constexpr std::size_t kFewestSecretBytes = 16;
constexpr std::size_t kMostSecretBytes = 4096;

}  // namespace

std::string secretProof(std::string_view secret, Prover prover, std::string_view clientText,
                        std::string_view clientNonce, std::string_view serverNonce) {
  const std::string_view role = prover == Prover::Client ? "client" : "server";
  const Sha256Digest digest = hmacSha256(
      secret, fmt::format("opscope-rpc-1 {}\n{}\n{}\n{}", role, clientText, clientNonce, serverNonce));
  std::string text;
  for (const std::uint8_t byte : digest) {
    text += fmt::format("{:02x}", byte);
  }
  return text;
}

std::string makeNonce() {
  std::random_device source;  // the system's generator
  std::string text;
  while (text.size() < kNonceDigits) {
    text += fmt::format("{:08x}", source());
  }
  return text;
}

bool sameProof(std::string_view left, std::string_view right) {
  if (left.size() != right.size()) {
    return false;
  }
  unsigned difference = 0;
  for (std::size_t i = 0; i < left.size(); ++i) {
    difference |= static_cast<unsigned>(static_cast<unsigned char>(left[i] ^ right[i]));
  }
  return difference == 0;
}

base::Result<std::string> readSecret(const std::string& path) {
  OPSCOPE_TRY_ASSIGN(std::string secret, base::readFile(path, kMostSecretBytes));
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && (status.st_mode & 077) != 0) {
    return base::Error{base::ErrorCode::InvalidArgument,
                       fmt::format("Others can read the secret in {}", path),
                       fmt::format("its mode is {:o}, expected 600 or 400", status.st_mode & 0777U),
                       fmt::format("chmod 600 {}; and make a new secret if others may have seen it", path)};
  }
  secret.erase(secret.find_last_not_of("\r\n") + 1);
  if (secret.size() < kFewestSecretBytes) {
    return base::Error{
        base::ErrorCode::InvalidArgument, fmt::format("The secret in {} is too short", path),
        fmt::format("it has {} bytes, expected at least {}", secret.size(), kFewestSecretBytes),
        "make one: head -c 32 /dev/urandom | base64 > FILE; chmod 600 FILE"};
  }
  return secret;
}

}  // namespace opscope::rpc
