// SPDX-License-Identifier: Apache-2.0
// The table of ops of our HTML page. Any thread; pure function.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "engine/report/op_table.h"

namespace opscope::report {

/// The first rows of `order` (the longest first), with statistics where there are some; the rest summed up in
/// words. Columns that hold one value for all rows are told below.
std::string opsPanel(const Run& run, const OpTable& table, std::span<const std::uint32_t> order);

}  // namespace opscope::report
