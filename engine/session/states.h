// SPDX-License-Identifier: Apache-2.0
// The states of a session and which may follow which. Any thread; pure functions.
#pragma once

#include <string_view>

#include "engine/session/events.h"

namespace opscope::session {

/// True when a session in state `from` may go to state `to`.
bool mayFollow(State from, State to);

/// For logs and JSON: "idle", "warming up".
std::string_view stateName(State state);

}  // namespace opscope::session
