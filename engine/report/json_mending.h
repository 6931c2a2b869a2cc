// SPDX-License-Identifier: Apache-2.0
// TVM writes texts into its JSON as they are: a quote, backslash or line end in a name breaks the file. Any
// thread; pure function. Behaviour: seed 004, metric_as_json.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace opscope::report {

struct MendedJson {
  std::string text;
  std::size_t mendedTexts = 0;  ///< that had to be escaped
};

/// Escapes the texts of a report's metrics ({"string":"..."}). A text ends at the first quote that is
/// followed by what can only follow a metric. For files that do not parse: in them no text was escaped.
/// Nothing when there is no text to mend, or none ends. The result need not be valid JSON.
std::optional<MendedJson> mendReportJson(std::string_view text);

}  // namespace opscope::report
