// SPDX-License-Identifier: Apache-2.0
// SQL from a person on the store: it reads and nothing else. For sources of this module only; one thread at
// a time.
#pragma once

#include <string_view>

#include "engine/base/result.h"
#include "engine/store/database.h"
#include "engine/store/query_result.h"

namespace opscope::store {

/// As Store::query.
base::Result<QueryResult> runQuery(const Database& database, std::string_view sql, const QueryLimits& limits);

}  // namespace opscope::store
