// SPDX-License-Identifier: Apache-2.0
// Opening of a store's file, made anew where it may be. For sources of this module only.
#pragma once

#include <filesystem>

#include "engine/base/result.h"
#include "engine/store/database.h"
#include "engine/store/store.h"

namespace opscope::store {

/// A connection whose schema is the newest. Errors: as Store::open.
base::Result<Database> openStoreFile(const std::filesystem::path& path, Access access);

}  // namespace opscope::store
