// SPDX-License-Identifier: Apache-2.0
// The member "traffic" of opscope.samples/1 and of traces, out and in. For sources of this module only.
#pragma once

#include <string>
#include <string_view>

#include "engine/report/json_reader.h"
#include "engine/report/run.h"
#include "engine/report/traffic.h"

namespace opscope::report {

/// An object.
std::string trafficText(const TrafficTrack& traffic);

/// Reads what stands at `element`. Repeats are held against those of `run`.
base::Result<TrafficTrack> trafficFromJson(const JsonFile& file, JsonElement element, const JsonPlace& place,
                                           const Run& run);

}  // namespace opscope::report
