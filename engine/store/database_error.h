// SPDX-License-Identifier: Apache-2.0
// SQLite's result codes as errors of ours. For sources of this module only; pure functions.
#pragma once

#include <filesystem>
#include <string_view>

#include "engine/base/error.h"

namespace opscope::store {

/// `code` may be an extended one; `words` are SQLite's; `systemCode` is errno of what failed, or 0.
base::Error databaseError(const std::filesystem::path& path, int code, std::string_view words,
                          int systemCode);

/// The file is something else than a store of ours.
base::Error notAStore(const std::filesystem::path& path, std::string_view found);

}  // namespace opscope::store
