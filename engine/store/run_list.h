// SPDX-License-Identifier: Apache-2.0
// Summaries of runs. For sources of this module only; one thread at a time.
#pragma once

#include <vector>

#include "engine/base/result.h"
#include "engine/store/database.h"
#include "engine/store/store.h"

namespace opscope::store {

/// Newest first.
base::Result<std::vector<StoredRun>> listRuns(const Database& database, const RunFilter& filter);

/// Errors: NotFound.
base::Result<StoredRun> findRun(const Database& database, RunId id);

}  // namespace opscope::store
