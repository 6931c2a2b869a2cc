// SPDX-License-Identifier: Apache-2.0
// Runs another program to its end. Any thread, which waits meanwhile.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <vector>

#include "engine/base/result.h"

namespace opscope::runtime {

struct ChildOutcome {
  bool succeeded = false;  ///< it ended by itself with status 0
  bool timedOut = false;   ///< it was ended, with all that it had started
  std::string how;         ///< "exit status 1", "signal: Killed"
  std::string output;      ///< the last 64 KiB that it wrote to standard output and error
};

/// Runs `words` (the program, found in PATH, and its arguments; no shell) with nothing to read. The child is
/// always waited for. Errors: NotFound when there is no such program; Io when it cannot be started.
base::Result<ChildOutcome> runChild(const std::vector<std::string>& words, std::chrono::milliseconds limit);

/// Waits for `child`, the leader of a process group of its own, and reads what comes from `output` (not
/// blocking; closed here) meanwhile; ends the group when time is over.
ChildOutcome awaitChild(pid_t child, int output, std::chrono::milliseconds limit);

}  // namespace opscope::runtime
