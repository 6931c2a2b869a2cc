// SPDX-License-Identifier: Apache-2.0
// unpack(first, second, numbers, counts): an SQL table that unfolds the columns of samples or spans into
// rows. For sources of this module only.
#pragma once

#include "engine/base/result.h"
#include "engine/store/database.h"

namespace opscope::store {

/// Rows of `unpack`: `number` (the third argument's, or 0, 1, 2 ... of each part where that is NULL), `first`
/// and `second` (the first's where the second argument is NULL), `part`, which counts from 0. The fourth
/// argument tells how many rows each part has, NULL: all is one. Arguments are columns of doubles and of
/// 32-bit numbers.
base::Result<> addUnpackFunction(const Database& database);

}  // namespace opscope::store
