// SPDX-License-Identifier: Apache-2.0
// A TVM report as a part of a JSON file. For sources of this module only: it shows simdjson.
#pragma once

#include "engine/report/json_reader.h"
#include "engine/report/report.h"

namespace opscope::report {

/// The report that `element` holds. Errors: Format, with its place in `file`.
base::Result<Report> reportOfElement(const JsonFile& file, JsonElement element, const JsonPlace& place);

}  // namespace opscope::report
