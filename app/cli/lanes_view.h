// SPDX-License-Identifier: Apache-2.0
// How well parallel parts used the threads, as a person reads it. Any thread; pure functions.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "engine/report/run.h"

namespace opscope::cli {

/// A table with a row for each kernel, and below it what it comes to. `run.lanes` is set. Within `width`
/// columns where it is set.
std::string lanesView(const report::Run& run, std::optional<std::size_t> width);

}  // namespace opscope::cli
