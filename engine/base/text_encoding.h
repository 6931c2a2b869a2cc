// SPDX-License-Identifier: Apache-2.0
// Text files as UTF-8. Any thread; pure functions.
#pragma once

#include <string_view>

#include "engine/base/result.h"

namespace opscope::base {

/// The text without its byte order mark. Errors: Format for text that its mark tells to be UTF-16 or UTF-32
/// (what Windows PowerShell writes), naming `file`.
Result<std::string_view> utf8Text(std::string_view content, std::string_view file);

}  // namespace opscope::base
