// SPDX-License-Identifier: Apache-2.0
#include "engine/session/secret_file.h"

#include "engine/rpc/secret.h"

namespace opscope::session {

base::Result<std::string> readSecretFile(const std::string& path) {
  return path.empty() ? std::string() : rpc::readSecret(path);
}

}  // namespace opscope::session
