// SPDX-License-Identifier: Apache-2.0
// A point in the past as people write it. Any thread.
#pragma once

#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace opscope::cli {

/// As ISO 8601 in UTC, so that texts compare as times do. `text` is a date, a date with a time ("T" or a
/// blank between, seconds may be left out, a "Z" may follow), or how long ago: "45m", "36h", "7d". Errors:
/// InvalidArgument.
base::Result<std::string> sinceText(std::string_view text);

}  // namespace opscope::cli
