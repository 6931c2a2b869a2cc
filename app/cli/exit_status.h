// SPDX-License-Identifier: Apache-2.0
// Exit statuses, part of the command line's contract.
#pragma once

namespace opscope::cli {

inline constexpr int kDone = 0;
inline constexpr int kWorkFailed = 1;   ///< files, inputs, kernels
inline constexpr int kWrongUsage = 2;   ///< the command line itself
inline constexpr int kCheckFailed = 3;  ///< a check that was asked for does not hold
inline constexpr int kInterrupted = 130;

}  // namespace opscope::cli
