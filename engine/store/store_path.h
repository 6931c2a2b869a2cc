// SPDX-License-Identifier: Apache-2.0
// Where the store is. Any thread, as long as none changes the environment.
#pragma once

#include <filesystem>
#include <string_view>

#include "engine/base/result.h"

namespace opscope::store {

/// `option` when it is not empty, else $OPSCOPE_STORE, else opscope/runs.sqlite in $XDG_DATA_HOME or
/// ~/.local/share. Errors: NotFound when there is no home.
base::Result<std::filesystem::path> storePath(std::string_view option);

/// Makes the folders of the usual place, where they are missing; does nothing for a place that was named.
/// Errors: Io.
base::Result<> makeStoreFolder(std::string_view option);

}  // namespace opscope::store
