// SPDX-License-Identifier: Apache-2.0
// The member "lanes" of opscope.samples/1, out and in. For sources of this module only.
#pragma once

#include <string>

#include "engine/report/json_reader.h"
#include "engine/report/run.h"

namespace opscope::report {

/// Writes `"lanes":{...}`.
void appendLanesJson(std::string& out, const LaneTrack& lanes);

/// Reads what stands at `element`. Indices are held against `run`, whose repeats and calls are read before.
base::Result<LaneTrack> lanesFromJson(const JsonFile& file, JsonElement element, const JsonPlace& place,
                                      const Run& run);

}  // namespace opscope::report
