// SPDX-License-Identifier: GPL-3.0-or-later
// Whether a file is what was run: its content hash, as Run::executableHash has it.
#pragma once

#include <string>

#include "engine/base/result.h"

namespace opscope::ui {

/// Blocks while it reads the whole file; for the background. Errors: Io, NotFound.
base::Result<std::string> hashOfFile(const std::string& path);

}  // namespace opscope::ui
