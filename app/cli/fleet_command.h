// SPDX-License-Identifier: Apache-2.0
// `profile --all`. Main thread.
#pragma once

#include "app/cli/commands.h"
#include "engine/session/requests.h"

namespace opscope::cli {

/// Profiles on every free board; files that options name get the board's address into their names.
int profileAll(const ProfileOptions& options, const session::ProfileRequest& request, Console& console,
               Interrupts& interrupts);

}  // namespace opscope::cli
