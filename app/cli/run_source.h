// SPDX-License-Identifier: Apache-2.0
// Where a command takes measurements from: a file, or a run of the store. Any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/report/run.h"
#include "engine/store/store.h"

namespace opscope::cli {

/// The store that `option` (--store, may be empty), the environment or custom names. Write makes it.
base::Result<store::Store> openStore(const std::string& option, store::Access access);

/// Whether an argument means a saved run rather than a file: it begins with "run:". A file of such a name is
/// "./run:3".
bool namesSavedRun(std::string_view argument);

/// A TVM report, samples, a trace or a session file, or a saved run: "run:3", "run:last", "run:last-1".
/// Errors: those of report::readDocument and of the store; InvalidArgument for what is no number of a run and
/// for a store of several runs.
base::Result<report::Document> documentFrom(const std::string& argument, const std::string& storeOption);

/// What is wrong with the name of a run (see runIdOf; with `ranges` see runIdsOf), in words that follow the
/// option's; empty when nothing is.
std::string wrongRunName(std::string_view text, bool ranges);

/// "3", "last", "last-2", each with or without "run:". The run need not be there, but for "last". Errors:
/// InvalidArgument, NotFound.
base::Result<store::RunId> runIdOf(store::Store& store, std::string_view text);

/// The same, or all runs there are from one to another: "3-7". In order, each once.
base::Result<std::vector<store::RunId>> runIdsOf(store::Store& store, const std::vector<std::string>& texts);

}  // namespace opscope::cli
