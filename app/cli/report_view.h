// SPDX-License-Identifier: Apache-2.0
// Measurements as a person reads them on a terminal: the fitted table, and below it what it comes to. Any
// thread; pure functions.
#pragma once

#include <cstddef>
#include <string>

#include "engine/report/run.h"
#include "engine/report/table.h"

namespace opscope::cli {

/// The table within `width` columns, a blank line, the summary, and what was cut. The first line are the
/// titles.
std::string reportView(const report::Document& document, const report::TableOptions& options,
                       std::size_t width);

/// Total (a median), time in ops and between them (means), and the configuration, each in a line.
std::string summaryText(const report::Document& document);

}  // namespace opscope::cli
