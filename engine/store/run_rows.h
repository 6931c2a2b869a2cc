// SPDX-License-Identifier: Apache-2.0
// One run as rows of the store's tables, out and in. For sources of this module only; one thread at a time.
#pragma once

#include "engine/base/result.h"
#include "engine/report/run.h"
#include "engine/store/database.h"
#include "engine/store/store.h"

namespace opscope::store {

/// Writes all rows of a new run, within the caller's transaction. Returns its id.
base::Result<RunId> writeRun(const Database& database, const report::Document& document,
                             const RunNotes& notes);

/// Errors: NotFound, Format with the call or repeat that is damaged.
base::Result<report::Document> readRun(const Database& database, RunId id);

/// Adds those that are not there yet.
base::Result<> writeTags(const Database& database, RunId id, std::span<const std::string> tags);

}  // namespace opscope::store
