// SPDX-License-Identifier: Apache-2.0
// Time: the cheap tick counter for the hot path and its mapping to nanoseconds. Any thread; values only.
#pragma once

#include <cstdint>
#include <string_view>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace opscope::base {

/// Nanoseconds of CLOCK_MONOTONIC.
std::int64_t monotonicNs();

/// True when the processor's counter runs at a constant rate on all cores (Linux uses it as its own clock
/// source), so that ticks may be mapped to nanoseconds. Otherwise ticks are nanoseconds of CLOCK_MONOTONIC.
bool tickCounterUsable();

/// Reads ticks as the choice of `tickCounterUsable` says; `useCounter` is its cached answer.
inline std::uint64_t readTicks(bool useCounter) {
#if defined(__x86_64__)
  if (useCounter) {
    return __rdtsc();
  }
#elif defined(__aarch64__)
  if (useCounter) {
    std::uint64_t value;
    asm volatile("mrs %0, cntvct_el0" : "=r"(value));
    return value;
  }
#else
  (void)useCounter;
#endif
  return static_cast<std::uint64_t>(monotonicNs());
}

/// A point where ticks and nanoseconds were read together.
struct ClockPoint {
  std::uint64_t ticks = 0;
  std::int64_t ns = 0;
};

/// Reads both clocks back to back, the closest of several tries.
ClockPoint readClockPoint(bool useCounter);

/// The straight line through two points: maps ticks of a run to nanoseconds since its first point.
class TickScale {
 public:
  /// Points less than 1 ms apart are refused by falling back to `fallbackNsPerTick`.
  TickScale(ClockPoint first, ClockPoint last, double fallbackNsPerTick);
  double nsSinceFirst(std::uint64_t ticks) const {
    return static_cast<double>(static_cast<std::int64_t>(ticks - m_first.ticks)) * m_nsPerTick;
  }
  double nsBetween(std::uint64_t begin, std::uint64_t end) const {
    return static_cast<double>(static_cast<std::int64_t>(end - begin)) * m_nsPerTick;
  }
  double nsPerTick() const { return m_nsPerTick; }

 private:
  ClockPoint m_first;
  double m_nsPerTick = 1.0;
};

/// Nanoseconds per tick, measured once over about 10 ms at the first call and kept.
double measuredNsPerTick();

/// "time stamp counter", "virtual counter" or "steady clock", for reports.
std::string_view tickClockName(bool useCounter);

}  // namespace opscope::base
