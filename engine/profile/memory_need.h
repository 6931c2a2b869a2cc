// SPDX-License-Identifier: Apache-2.0
// Whether the records of a run fit into memory, told before they are made. Any thread.
#pragma once

#include <cstdint>
#include <optional>

#include "engine/base/result.h"

namespace opscope::profile {

/// Memory that the system can give now without swapping and the limit of the process (ulimit -v) allows;
/// nothing where neither is told.
std::optional<std::uint64_t> availableBytes();

/// Errors: InvalidArgument, with how much `repeats` of `recordsPerRepeat` calls need and how many repeats
/// would do, when that is more than 90 % of `available`. Nothing available known: no error.
base::Result<> checkMemoryNeed(std::uint32_t repeats, std::uint64_t recordsPerRepeat,
                               std::optional<std::uint64_t> available);

}  // namespace opscope::profile
