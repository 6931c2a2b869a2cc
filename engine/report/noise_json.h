// SPDX-License-Identifier: Apache-2.0
// The noise grade in opscope.samples/1, out and in. For sources of this module only.
#pragma once

#include <string>

#include "engine/report/json_reader.h"
#include "engine/report/noise_grade.h"

namespace opscope::report {

/// Writes `"noise":{"grade":"B","checks":[{"id","title","found","grade","advice"},...],"unknown":[...]}`.
void appendNoiseJson(std::string& out, const NoiseGrade& noise);

/// Reads it. Errors: Format for other grades than A to D.
base::Result<NoiseGrade> noiseFromJson(const JsonFile& file, JsonElement element, const JsonPlace& place);

}  // namespace opscope::report
