// SPDX-License-Identifier: Apache-2.0
// What a run did with memory, as a person reads it: the peak, who holds it, and the sums. Any thread; pure
// functions.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "engine/report/run.h"

namespace opscope::cli {

/// Lines of text; the first one tells the peak. `run.memory` is set. Within `width` columns where it is set.
std::string memoryView(const report::Run& run, std::optional<std::size_t> width);

}  // namespace opscope::cli
