// SPDX-License-Identifier: Apache-2.0
// The member "memory" of opscope.samples/1, out and in. For sources of this module only.
#pragma once

#include <string>

#include "engine/report/json_reader.h"
#include "engine/report/run.h"

namespace opscope::report {

/// Writes `"memory":{...}`.
void appendMemoryJson(std::string& out, const MemoryTrack& memory);

/// Reads what stands at `element`. Indices are held against `run`, whose repeats and calls are read before.
base::Result<MemoryTrack> memoryFromJson(const JsonFile& file, JsonElement element, const JsonPlace& place,
                                         const Run& run);

}  // namespace opscope::report
