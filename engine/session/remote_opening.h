// SPDX-License-Identifier: Apache-2.0
// From a target to the address of a server: asks a tracker where the target is one. On the worker.
#pragma once

#include "engine/base/result.h"
#include "engine/rpc/client.h"
#include "engine/session/remote_board.h"
#include "engine/session/targets.h"

namespace opscope::session {

/// Waits for a free board of a tracker as long as target and options allow. Errors: InvalidArgument for a
/// local target; those of the tracker client; Timeout telling how many wait.
base::Result<rpc::ConnectSettings> connectSettings(const Target& target, const BoardOptions& options);

}  // namespace opscope::session
