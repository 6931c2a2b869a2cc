// SPDX-License-Identifier: Apache-2.0
// Reads a report's calls from CSV, ours and TVM's. Any thread; pure functions.
// Behaviour: seed 004, ReportNode::AsCSV, the other way round.
#pragma once

#include <string_view>

#include "engine/base/result.h"
#include "engine/report/report.h"

namespace opscope::report {

struct CsvReport {
  Report report;               ///< calls only: CSV holds neither totals nor configuration
  std::size_t mendedRows = 0;  ///< rows whose texts held quotes as TVM leaves them, yet could be taken apart
};

/// Whether the first line has the titles of a report: "Name" and "Duration (us)" or "Count".
bool looksLikeCsvReport(std::string_view text);

/// The known columns get TVM's kinds; of the others, texts stay texts, whole numbers are counts, other
/// numbers ratios (CSV does not tell). TVM leaves quotes within texts as they are: a row that can be taken
/// apart in one way only is read all the same. Errors: Format with row, found and expected.
base::Result<CsvReport> reportFromCsv(std::string_view text, std::string_view fileForMessages);

}  // namespace opscope::report
