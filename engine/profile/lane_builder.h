// SPDX-License-Identifier: Apache-2.0
// From the log of parallel parts to launches on the time axis of the run. Any thread; works on plain values
// after the measuring is over.
#pragma once

#include "engine/profile/run_timeline.h"
#include "engine/report/lanes.h"
#include "engine/runtime/lane_log.h"

namespace opscope::profile {

/// Launches outside of the repeats (of the warm-up) are left out.
report::LaneTrack buildLanes(const runtime::LaneLog& log, const RunTimeline& timeline);

}  // namespace opscope::profile
