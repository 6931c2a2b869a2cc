// SPDX-License-Identifier: Apache-2.0
// The secret that we share with our server, from its file. Any thread that may wait for files.
#pragma once

#include <string>

#include "engine/base/result.h"

namespace opscope::session {

/// As rpc::readSecret; empty for no path.
base::Result<std::string> readSecretFile(const std::string& path);

}  // namespace opscope::session
