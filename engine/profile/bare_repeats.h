// SPDX-License-Identifier: Apache-2.0
// Repeats without the recorder, each beside a recorded one: how many there are, and where. Owned and used by
// the profiler on the machine's thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/profile/overhead_check.h"
#include "engine/report/overhead.h"

namespace opscope::profile {

class BareRepeats {
 public:
  BareRepeats(OverheadCheck check, std::uint32_t repeats) : m_check(check), m_repeats(repeats) {}

  /// How long a repeat takes is known: after the first one.
  void plan(double repeatNs);
  /// How many there will be.
  std::uint32_t planned() const { return m_planned; }

  /// Whether one runs before, or after, the recorded repeat `index`. Turn by turn, so that a drift does not
  /// look like a cost; the partners are spread evenly over the run. None before the first repeat.
  bool runsBefore(std::uint32_t index) const { return hasPartner(index) && turnOf(index) % 2 == 1; }
  bool runsAfter(std::uint32_t index) const { return hasPartner(index) && turnOf(index) % 2 == 0; }

  /// One has run beside the recorded repeat `index`.
  void add(std::uint32_t index, std::uint64_t ticks) { m_pairs.push_back({index, ticks}); }

  /// The pairs whose recorded repeat was complete, that is below `complete`.
  void fill(report::Overhead& overhead, std::uint32_t complete, double nsPerTick) const;

 private:
  struct Pair {
    std::uint32_t repeat = 0;
    std::uint64_t ticks = 0;
  };
  std::uint64_t turnOf(std::uint32_t index) const { return std::uint64_t{index} * m_planned / m_repeats; }
  bool hasPartner(std::uint32_t index) const { return m_planned > 0 && turnOf(index) < turnOf(index + 1); }

  OverheadCheck m_check;
  std::uint32_t m_repeats;
  std::uint32_t m_planned = 0;
  std::vector<Pair> m_pairs;
};

}  // namespace opscope::profile
