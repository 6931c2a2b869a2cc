// SPDX-License-Identifier: Apache-2.0
#include "engine/profile/bare_repeats.h"

#include <algorithm>

namespace opscope::profile {

namespace {

constexpr double kShare = 0.2;          // of the time of the recorded repeats
constexpr double kShortNs = 0.25e9;     // nobody minds this much more
constexpr double kIntervalNs = 1e9;     // and this much is well spent on an interval
constexpr double kIntervalRepeats = 6;  // the fewest that give one

}  // namespace

void BareRepeats::plan(double repeatNs) {
  const auto repeats = static_cast<double>(m_repeats);
  double wanted = 0;
  if (m_check == OverheadCheck::Full) {
    wanted = repeats;
  } else if (m_check == OverheadCheck::Auto) {
    const double each = std::max(repeatNs, 1.0);
    wanted = std::max({kShare * repeats, kShortNs / each, std::min(kIntervalRepeats, kIntervalNs / each)});
  }
  m_planned = static_cast<std::uint32_t>(std::min(wanted, repeats));
}

void BareRepeats::fill(report::Overhead& overhead, std::uint32_t complete, double nsPerTick) const {
  for (const Pair& pair : m_pairs) {
    if (pair.repeat < complete) {
      overhead.repeats.push_back(pair.repeat);
      overhead.unhookedNs.push_back(static_cast<double>(pair.ticks) * nsPerTick);
    }
  }
}

}  // namespace opscope::profile
