// SPDX-License-Identifier: Apache-2.0
#include "engine/session/progress_meter.h"

namespace opscope::session {

void ProgressMeter::start(std::uint32_t warmup, std::uint32_t repeats) {
  *this = {};
  m_warmup = warmup;
  m_repeats = repeats;
}

std::optional<Progress> ProgressMeter::update(State stage, std::uint32_t done, double elapsedNs,
                                              std::int64_t nowNs) {
  double repeatNs = done > 0 ? elapsedNs / done : -1;
  if (stage == State::WarmingUp && done > 0) {
    m_warmupRepeatNs = repeatNs;
  } else if (stage == State::Measuring && done == 0) {
    repeatNs = m_warmupRepeatNs;
  }
  if (m_lastNs && nowNs - *m_lastNs < kPauseNs) {
    return std::nullopt;
  }
  m_lastNs = nowNs;
  const std::uint64_t total = stage == State::WarmingUp ? m_warmup : m_repeats;
  const std::uint64_t after = stage == State::WarmingUp ? m_repeats : 0;
  Progress progress{stage, done, total, -1};
  if (repeatNs >= 0 && total >= done) {
    progress.remainingSeconds = repeatNs * static_cast<double>(total - done + after) / 1e9;
  }
  return progress;
}

}  // namespace opscope::session
