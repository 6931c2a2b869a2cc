// SPDX-License-Identifier: Apache-2.0
// The report's calls as CSV. Any thread; pure functions. Behaviour: seed 004, ReportNode::AsCSV.
#pragma once

#include <string>
#include <string_view>

#include "engine/report/report.h"

namespace opscope::report {

/// Byte for byte TVM's CSV: columns by name, texts in quotes, numbers with six digits. Quotes inside texts
/// are doubled (RFC 4180; TVM leaves them), and names of columns that hold a quote, comma or line end are
/// quoted.
std::string toCsv(const Report& report);

/// The text in quotes, with those inside doubled, where it holds a quote, comma or line end; else as it is.
std::string csvField(std::string_view text);

}  // namespace opscope::report
