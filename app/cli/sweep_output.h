// SPDX-License-Identifier: Apache-2.0
// What `sweep` tells, for people and for programs. Any thread; pure functions.
#pragma once

#include <optional>
#include <string>

#include "app/cli/console.h"
#include "app/cli/sweep_options.h"
#include "engine/report/scaling.h"
#include "engine/session/events.h"

namespace opscope::cli {

/// "n=4", for tables and messages.
std::string pointName(const SweepOptions& options, std::int64_t value);

/// The medians of each op at each value, and how they grow; within `width` columns where it is set.
std::string sweepText(const SweepOptions& options, const report::Scaling& scaling, const Console& console,
                      std::optional<std::size_t> width);

/// Schema "opscope.sweep/1".
std::string sweepJson(const SweepOptions& options, const session::SweepFinished& finished,
                      const report::Scaling& scaling);

/// A line for each value and op: the value, Name, Device, Median (us).
std::string sweepCsv(const SweepOptions& options, const report::Scaling& scaling);

}  // namespace opscope::cli
