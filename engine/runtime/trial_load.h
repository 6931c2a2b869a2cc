// SPDX-License-Identifier: Apache-2.0
// Loading a user's library in a child process first. Inside of loadPlugin.
#pragma once

#include <string>

#include "engine/base/result.h"

namespace opscope::runtime {

/// Loads the library at `path` in a forked child, which then ends. What a library does while it is loaded can
/// end the whole process: an exception in its static initialisers, such as tvm-ffi's for a name that is
/// registered twice, cannot be caught across the system's loader. Errors: KernelFailed with what the child
/// wrote last. A child that cannot be made or does not come back within 20 s (its fork may have met a lock)
/// tells nothing, and counts as good.
base::Result<> trialLoad(const std::string& path);

}  // namespace opscope::runtime
