// SPDX-License-Identifier: Apache-2.0
// The tables of the store and how older files become newer. For sources of this module only.
#pragma once

#include <cstdint>
#include <span>

#include "engine/base/result.h"
#include "engine/store/database.h"

namespace opscope::store {

/// In the header of the file, so that it is known for ours: "OPSC".
inline constexpr std::uint32_t kApplicationId = 0x4F505343;

/// migrations()[n] turns version n into n + 1; 0 is an empty file. What was released is never changed.
std::span<const char* const> migrations();

/// Brings the file to the newest version, in one transaction. Several processes may do so at once. Errors:
/// Unsupported when it is newer than we know.
base::Result<> migrate(const Database& database, std::span<const char* const> steps);

/// For a file of an older version that may not be written: this connection shows it as if it were of the
/// newest, by temporary views. Errors: as migrate.
base::Result<> standIn(const Database& database);

}  // namespace opscope::store
