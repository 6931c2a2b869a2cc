// SPDX-License-Identifier: Apache-2.0
// profile --save: the store is looked at before the run, and what was measured is never lost. Main thread.
#pragma once

#include "app/cli/console.h"
#include "app/cli/options.h"
#include "engine/report/run.h"

namespace opscope::cli {

/// Whether a run can be saved; makes the store. Nothing to do when it is not wanted.
base::Result<> checkSaving(const SaveOptions& options);

/// Saves the run and tells its number on standard error; when quiet the number alone on standard output,
/// where that is free. When the store does not take it, the run goes to a samples file in the current folder
/// or the one for temporary files, and the error tells where. False then.
bool saveRun(const SaveOptions& options, const report::Document& document, bool outputIsFree,
             Console& console);

}  // namespace opscope::cli
