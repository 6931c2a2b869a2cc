// SPDX-License-Identifier: Apache-2.0
// What collectors told, in opscope.samples/1, out and in: the columns beside the run's other facts, and the
// values beside each call's samples. For sources of this module only.
#pragma once

#include <string>
#include <vector>

#include "engine/report/json_reader.h"
#include "engine/report/run.h"

namespace opscope::report {

/// Writes `"counters":[{"name":...,"unit":...,"kind":"count","totals":[...]},...]`, of texts also
/// `"texts":[...]`; nothing without counters.
void appendCounterColumns(std::string& out, const Run& run);

/// Reads them, without values. Errors: Format: unknown kinds, a name twice, totals of another number than
/// `repeats`.
base::Result<std::vector<CounterColumn>> counterColumnsFromJson(const JsonFile& file, JsonElement element,
                                                                const JsonPlace& place,
                                                                std::uint32_t repeats);

/// Writes `"counters":[[...],...]` of a call: one array a column, null where nothing was told; nothing
/// without counters.
void appendCallCounters(std::string& out, const Run& run, const Call& call);

/// Appends the values of one call to `counters`; `element` is nullptr for a call without any. Errors: Format
/// for another number of columns, or of values than `samples`.
base::Result<> readCallCounters(const JsonFile& file, const JsonElement* element, const JsonPlace& place,
                                std::uint32_t samples, std::vector<CounterColumn>& counters);

}  // namespace opscope::report
