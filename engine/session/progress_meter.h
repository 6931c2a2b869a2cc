// SPDX-License-Identifier: Apache-2.0
// Decides when progress is told, and what remains. On the worker.
#pragma once

#include <cstdint>
#include <optional>

#include "engine/session/events.h"

namespace opscope::session {

class ProgressMeter {
 public:
  static constexpr std::int64_t kPauseNs = 100'000'000;  ///< at most ten a second

  /// For a request of `warmup` and `repeats` repeats; the first progress is told at once.
  void start(std::uint32_t warmup, std::uint32_t repeats);

  /// `done` repeats of `stage` (WarmingUp, Measuring) took `elapsedNs`; `nowNs` is monotonic. Nothing when
  /// the last progress was told less than kPauseNs ago.
  std::optional<Progress> update(State stage, std::uint32_t done, double elapsedNs, std::int64_t nowNs);

 private:
  std::uint32_t m_warmup = 0;
  std::uint32_t m_repeats = 0;
  double m_warmupRepeatNs = -1;  // of one warm-up repeat; below 0: not known yet
  std::optional<std::int64_t> m_lastNs;
};

}  // namespace opscope::session
