// SPDX-License-Identifier: Apache-2.0
#include "engine/session/secret_file.h"

#include <fmt/format.h>

#include <fstream>
#include <iterator>

namespace opscope::session {

base::Result<std::string> readSecretFile(const std::string& path) {
  if (path.empty()) {
    return std::string();
  }
  std::ifstream file(path, std::ios::binary);
  std::string secret{std::istreambuf_iterator<char>(file), {}};
  while (!secret.empty() && (secret.back() == '\n' || secret.back() == '\r')) {
    secret.pop_back();
  }
  if (secret.empty()) {
    return base::Error{base::ErrorCode::Io, fmt::format("{} cannot be read, or is empty.", path),
                       "It should hold the secret that the board's server shares.", ""};
  }
  return secret;
}

}  // namespace opscope::session
