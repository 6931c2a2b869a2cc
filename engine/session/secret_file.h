// SPDX-License-Identifier: Apache-2.0
// The secret that we share with our server, from its file. Any thread that may wait for files.
#pragma once

#include <string>

#include "engine/base/result.h"

namespace opscope::session {

/// The file without the line's end; empty for no path. Errors: Io.
base::Result<std::string> readSecretFile(const std::string& path);

}  // namespace opscope::session
