// SPDX-License-Identifier: Apache-2.0
// TVM's report as JSON, out and in. Any thread; pure functions.
// Behaviour: seed 004, ReportNode::AsJSON and Report::FromJSON.
#pragma once

#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "engine/report/report.h"

namespace opscope::report {

/// TVM's three keys and nothing else, compact, metrics in the order of the table's columns (configuration as
/// it stands), the shortest digits that read back equal. Texts are escaped (TVM leaves quotes as they are),
/// bytes that are not UTF-8 become U+FFFD. A number that is not finite is left out, since JSON has none.
std::string toJson(const Report& report);

/// Reads what TVM (any version) or toJson wrote. `calls` must be there, `device_metrics` and `configuration`
/// may be missing (old versions), other keys are passed over. Errors: Format, naming the place (for example
/// `calls[3]."Duration (us)"`), what was found and what was expected; OutOfMemory.
base::Result<Report> reportFromJson(std::string_view text, std::string_view fileForMessages);

}  // namespace opscope::report
