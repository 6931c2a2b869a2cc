// SPDX-License-Identifier: Apache-2.0
// Who has a board that accepts connections and does not answer: our server tells those who ask. On any thread
// that may wait.
#pragma once

#include <optional>
#include <string>

#include "engine/base/error.h"
#include "engine/rpc/client.h"
#include "engine/session/tracker_overview.h"

namespace opscope::session {

/// "ada@laptop (192.168.1.20:50312) since 3 min; 1 waits"; nothing where the server is not full.
std::optional<std::string> holderWords(const BoardStatus& status);

/// `error` of an opening that timed out, told with who holds the board where its server says so. Other errors
/// stay as they are. Asks for a second at most.
base::Error withHolder(const rpc::ConnectSettings& settings, base::Error error);

}  // namespace opscope::session
