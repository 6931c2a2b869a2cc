// SPDX-License-Identifier: Apache-2.0
// From the log of memory to what a person asks: how much was live when, and who held the peak. Any thread;
// works on plain values after the measuring is over.
#pragma once

#include "engine/profile/run_timeline.h"
#include "engine/report/run.h"
#include "engine/runtime/memory_log.h"

namespace opscope::profile {

/// `run` is the run that buildCalls made from the same input. Storages that are older than the log are not
/// seen.
report::MemoryTrack buildMemory(const runtime::MemoryLog& log, const RunTimeline& timeline,
                                const report::Run& run);

}  // namespace opscope::profile
