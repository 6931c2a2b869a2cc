// SPDX-License-Identifier: Apache-2.0
// The words of --device, before it is known where they count. Any thread; a pure function.
#pragma once

#include <string>

#include "engine/base/result.h"

namespace opscope::session {

/// Errors: InvalidArgument for what can be no device of any computer; whether it exists is not looked at.
base::Result<> checkDeviceName(const std::string& text);

}  // namespace opscope::session
