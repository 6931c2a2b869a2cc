// SPDX-License-Identifier: Apache-2.0
// Plugins are tried when the server starts, so that it tells what is wrong and not each of its clients.
// Called from main.
#pragma once

#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/rpc/server/options.h"

namespace opscope::server {

/// Loads them as a session does, in a process of its own behind --wrapper; nothing without plugins. Errors:
/// KernelFailed when that process fails; it has told why on standard error where it could.
base::Result<> tryPlugins(const rpc::server::ServerOptions& options);

}  // namespace opscope::server
