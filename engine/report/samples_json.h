// SPDX-License-Identifier: Apache-2.0
// A run with all its samples as JSON, schema "opscope.samples/1". Any thread; pure functions.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "engine/report/run.h"

namespace opscope::report {

inline constexpr std::string_view kSamplesSchema = "opscope.samples/";
inline constexpr int kSamplesVersion = 1;

/// Everything of the run: texts, calls with their samples in ns, spans, totals, environment, warnings; and,
/// for readers other than us, statistics by op (they are computed again when read back). Of a run that was
/// made from a TVM report the report stands there too: its further columns and its percents are nowhere else.
std::string toSamplesJson(const Document& document);

/// Reads what toSamplesJson wrote, with the report that stands there, or else the one made from the run.
/// Errors: those of runFromSamplesJson.
base::Result<Document> documentFromSamplesJson(std::string_view text, std::string_view fileForMessages);

/// Reads the run alone. Errors: Format with place, found and expected; Unsupported when the schema
/// is newer than ours; OutOfMemory.
base::Result<std::shared_ptr<const Run>> runFromSamplesJson(std::string_view text,
                                                            std::string_view fileForMessages);

}  // namespace opscope::report
