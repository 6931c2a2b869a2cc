// SPDX-License-Identifier: Apache-2.0
// The client's side of the first words on a connection to a server. One thread at a time.
#pragma once

#include <string>

#include "engine/base/result.h"
#include "engine/rpc/connection.h"

namespace opscope::rpc {

/// Says who we are: magic and "client:" + `keyText` (the match key and, behind blanks, options); returns the
/// key that the server says of itself ("server:KEY"). Errors tell the cases apart and what to do: Timeout (it
/// accepts connections but does not answer), InvalidArgument (a match key that cannot be one), Remote
/// (another key is served, or the key is taken), ConnectionLost, Format (no server of TVM), Cancelled.
base::Result<std::string> shakeHands(Connection& connection, const std::string& keyText, Deadline deadline);

/// InvalidArgument for what would break the server's reading of the key text.
base::Result<> checkMatchKey(const std::string& key);

}  // namespace opscope::rpc
