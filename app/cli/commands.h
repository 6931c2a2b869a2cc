// SPDX-License-Identifier: Apache-2.0
// The commands. Each does its work, prints, and returns the exit status. Main thread.
#pragma once

#include "app/cli/console.h"
#include "app/cli/interrupts.h"
#include "app/cli/options.h"

namespace opscope::cli {

int inspect(const InspectOptions& options, Console& console, Interrupts& interrupts);
int run(const RunOptions& options, Console& console, Interrupts& interrupts);
int profile(const ProfileOptions& options, Console& console, Interrupts& interrupts);
int time(const TimeOptions& options, Console& console, Interrupts& interrupts);
int diverge(const DivergeOptions& options, Console& console, Interrupts& interrupts);
int compare(const CompareOptions& options, Console& console, Interrupts& interrupts);
int sweep(const SweepOptions& options, Console& console, Interrupts& interrupts);
int report(const ReportOptions& options, Console& console, Interrupts& interrupts);
int runs(const RunsOptions& options, Console& console, Interrupts& interrupts);
int boards(const BoardsOptions& options, Console& console, Interrupts& interrupts);
int check(const CheckBoardOptions& options, Console& console, Interrupts& interrupts);
/// Does not return when the server could be started.
int serve(const ServeOptions& options);

/// Writes to standard output; an error is told and becomes the exit status.
int writeOut(Console& console, std::string_view text);

}  // namespace opscope::cli
