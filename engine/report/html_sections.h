// SPDX-License-Identifier: Apache-2.0
// The parts of our HTML page below its title. Any thread; pure functions. Empty where a run has nothing to
// show there.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "engine/report/op_table.h"

namespace opscope::report {

/// `<section class="panel CLASSES"><h2>TITLE <small>UNDER</small></h2>CONTENT</section>`; texts are escaped
/// already. Empty without content.
std::string htmlPanel(std::string_view classes, std::string_view title, std::string_view under,
                      std::string_view content);

/// The median total, time in ops and between, noise.
std::string summaryCards(const Run& run, const OpTable& table);

/// Why the run ended early, and its warnings.
std::string warningsPanel(const Run& run);

/// Shares of the kinds of ops as one bar with its legend.
std::string kindsPanel(const OpTable& table, std::string_view classes);

/// The steps of a scenario with their medians.
std::string stepsPanel(const Run& run);

/// Peak, live bytes over the repeat with the peak, and who holds it.
std::string memoryPanel(const Run& run);

/// How well the threads were used, by kernel.
std::string threadsPanel(const Run& run);

/// What was run, where and how: environment and configuration.
std::string factsPanels(const Document& document);

}  // namespace opscope::report
