// SPDX-License-Identifier: Apache-2.0
// What profiling added to a run, by its own measurement: some repeats have a partner without the recorder.
// Any thread; plain values and pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace opscope::report {

struct Run;

/// As measured. What follows from it is in OverheadFigures.
struct Overhead {
  std::vector<std::uint32_t> repeats;  ///< those with a partner, ascending; indices of Run's repeats
  std::vector<double> unhookedNs;      ///< parallel: total of the partner, which nothing recorded
  double calls = 0;                    ///< recorded calls of a repeat, mean
  bool operator==(const Overhead&) const = default;
};

enum class OverheadOutcome {
  Measured,
  NotMeasurable,  ///< the interval of the differences holds 0, or less than 0
  TooFewPairs,    ///< for an interval: fewer than 6
  NoPairs,
};

/// Everything is finite and at least 0.
struct OverheadFigures {
  OverheadOutcome outcome = OverheadOutcome::NoPairs;
  std::size_t pairs = 0;
  // Measured only: the median of recorded minus unhooked, with its 95 % interval.
  double addedNs = 0;
  double lowNs = 0;
  double highNs = 0;
  double percent = 0;              ///< of the median total of the recorded repeats; at most 100
  double perCallNs = 0;            ///< 0: no calls were recorded
  std::optional<double> atMostNs;  ///< NotMeasurable: the upper end of the interval, where that is above 0
  double calculatedNs = 0;         ///< calls * Timing::recordingNs: by the recorder's own cost
};

/// Empty for a run without an overhead statement.
std::optional<OverheadFigures> overheadFigures(const Run& run);

/// Time outside of kernels, as recorded: the virtual machine, its builtins, and what profiling added.
struct VmShare {
  double ns = 0;       ///< median over the repeats
  double percent = 0;  ///< of the median total
};

/// Empty when no call of a kernel was seen.
std::optional<VmShare> vmShareOf(const Run& run);

/// One sentence without its full stop: "adds 1.2 µs to a repeat (0.9 µs to 1.5 µs, 0.3 %), 35 ns to a call;
/// 10 pairs of repeats with and without". Empty without a statement.
std::string overheadWords(const Run& run);

/// "0.81 ms, 12.0 % of the total". Empty when it is not known.
std::string vmShareWords(const Run& run);

}  // namespace opscope::report
