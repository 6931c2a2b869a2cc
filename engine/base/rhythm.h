// SPDX-License-Identifier: Apache-2.0
// When something that costs time is done anew beside a measurement. Plain data; one thread.
#pragma once

#include <algorithm>
#include <cstdint>

#include "engine/base/clock.h"

namespace opscope::base {

/// Times in ns of the monotonic clock. Between two turns lie at least `leastNs`, and forty times what the one
/// before took: at most one fortieth of the time goes into it.
class Rhythm {
 public:
  explicit Rhythm(std::int64_t leastNs) : m_leastNs(leastNs) {}

  bool isDue() const { return monotonicNs() - m_lastNs >= std::max(m_leastNs, kTimesItsCost * m_costNs); }

  /// Does it, and notes how long that took. Gives back what `body` gives.
  template <class Body>
  auto turn(Body&& body) {
    const std::int64_t begin = monotonicNs();
    auto given = body();
    m_lastNs = monotonicNs();
    m_costNs = m_lastNs - begin;
    return given;
  }

 private:
  static constexpr std::int64_t kTimesItsCost = 40;

  std::int64_t m_leastNs;
  std::int64_t m_lastNs = monotonicNs();
  std::int64_t m_costNs = 0;
};

}  // namespace opscope::base
