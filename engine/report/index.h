// SPDX-License-Identifier: Apache-2.0
// Indices into the tables of a run.
#pragma once

#include <cstdint>

namespace opscope::report {

/// An index that points to nothing: no device, no shapes, no call.
inline constexpr std::uint32_t kNone = 0xFFFFFFFFu;

}  // namespace opscope::report
