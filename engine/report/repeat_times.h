// SPDX-License-Identifier: Apache-2.0
// What some repeats of a run took, op by op: little enough to be told while the run goes on. Any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/report/run.h"

namespace opscope::report {

struct RepeatTimes {
  /// The calls with one name that the report lists.
  struct Op {
    std::string name;
    std::uint32_t calls = 0;    ///< in the repeat that has most of them
    std::vector<double> ownNs;  ///< sum over the calls, of each repeat from opsFirst on; 0: not called
    bool operator==(const Op&) const = default;
  };
  std::uint32_t first = 0;      ///< repeats of the run before these
  std::vector<double> totalNs;  ///< of the first device, one value a repeat
  std::uint32_t opsFirst = 0;   ///< as `first`, of those that the ops tell of: the newest ones
  std::vector<Op> ops;          ///< in the order of their first calls
  bool operator==(const RepeatTimes&) const = default;
};

/// Those of `run` from its repeat `from` on; `first` is the number that repeat has in the whole run, of which
/// `run` may be a piece.
RepeatTimes repeatTimes(const Run& run, std::uint32_t from, std::uint32_t first);

}  // namespace opscope::report
