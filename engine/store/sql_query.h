// SPDX-License-Identifier: Apache-2.0
// SQL from a person on the store: it reads and nothing else. For sources of this module only; one thread at
// a time.
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

#include "engine/base/result.h"
#include "engine/store/database.h"
#include "engine/store/query_result.h"

namespace opscope::store {

/// As Store::query. A change of `interrupts` while it runs ends it with Cancelled; any thread may change it.
base::Result<QueryResult> runQuery(const Database& database, std::string_view sql, const QueryLimits& limits,
                                   const std::atomic<std::uint64_t>& interrupts);

}  // namespace opscope::store
