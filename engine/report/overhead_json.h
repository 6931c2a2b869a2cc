// SPDX-License-Identifier: Apache-2.0
// The overhead statement in opscope.samples/1, out and in. For sources of this module only.
#pragma once

#include <string>

#include "engine/report/json_reader.h"
#include "engine/report/overhead.h"

namespace opscope::report {

/// Writes `"overhead":{"calls":...,"repeats":[...],"unhookedNs":[...]}`.
void appendOverheadJson(std::string& out, const Overhead& overhead);

/// Reads it. Errors: Format for repeats that are not ascending or not below `repeats`, for lists of unequal
/// length, for times out of range.
base::Result<Overhead> overheadFromJson(const JsonFile& file, JsonElement element, const JsonPlace& place,
                                        std::uint32_t repeats);

}  // namespace opscope::report
