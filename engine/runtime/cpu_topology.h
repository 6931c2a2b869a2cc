// SPDX-License-Identifier: Apache-2.0
// Which processors this process may use. Any thread; values only.
#pragma once

#include <vector>

namespace opscope::runtime {

/// The processors of the calling thread's affinity mask, one of each physical core first, then their
/// siblings. Never empty on Linux; the order is stable.
std::vector<int> allowedCpus();

/// Physical cores among `allowedCpus()`, at least 1. Where /sys tells no topology each processor counts as
/// one.
int physicalCoreCount();

/// How many threads a pool should have: `requested` when positive, then the environment variable
/// TVM_NUM_THREADS when it holds a positive number (anything else is logged and passed over), then
/// `physicalCoreCount()`. At most kMaxThreads.
int chooseThreadCount(int requested);

inline constexpr int kMaxThreads = 1024;

}  // namespace opscope::runtime
