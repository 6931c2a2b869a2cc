// SPDX-License-Identifier: Apache-2.0
// Names of computers to addresses. Waits for the system's resolver; any thread.
#pragma once

#include <string>
#include <vector>

#include "engine/base/result.h"

namespace opscope::session {

/// IPv4 and IPv6 addresses of `host`, each once. Errors: NotFound with what the resolver says.
base::Result<std::vector<std::string>> lookUp(const std::string& host);

}  // namespace opscope::session
