// SPDX-License-Identifier: Apache-2.0
// Whether calls, samples and spans from outside hold what the rest of the program relies on. Any thread; pure
// functions.
#pragma once

#include <optional>
#include <string>

#include "engine/report/run.h"

namespace opscope::report {

inline constexpr double kMostNs = 1e18;              ///< 31 years: sums stay finite
inline constexpr double kMostCounter = 1e18;         ///< of a counter's value, for the same reason
inline constexpr std::uint32_t kMostDepth = 100000;  ///< of VM frames

struct BodyProblem {
  std::string place;   ///< "sample 3 of call 7", "span 12"
  std::string detail;  ///< "Found -1 ns, expected 0 to 1e18."
};

/// Whether it is a position in the column's texts, or that nothing was told.
bool isTextOf(const CounterColumn& column, double value);

/// Holds calls, ownNs, inclusiveNs, sampleRepeat, counters and spans against each other and against the
/// texts, steps and repeats of `run`. Nothing when all is well.
std::optional<BodyProblem> findBodyProblem(const Run& run);

}  // namespace opscope::report
