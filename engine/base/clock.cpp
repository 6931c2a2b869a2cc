// SPDX-License-Identifier: Apache-2.0
#include "engine/base/clock.h"

#include <time.h>

#include <fstream>
#include <limits>
#include <string>

namespace opscope::base {

std::int64_t monotonicNs() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

namespace {

/// The flags that Linux prints when the counter neither changes its rate nor stops in sleep states.
[[maybe_unused]] bool x86CounterIsConstant() {
  std::ifstream cpuinfo("/proc/cpuinfo");
  std::string line;
  while (std::getline(cpuinfo, line)) {
    if (line.rfind("flags", 0) == 0) {
      return line.find(" constant_tsc") != std::string::npos &&
             line.find(" nonstop_tsc") != std::string::npos;
    }
  }
  return false;
}

}  // namespace

bool tickCounterUsable() {
#if defined(__x86_64__)
  static const bool usable = x86CounterIsConstant();
  return usable;
#elif defined(__aarch64__)
  return true;  // the generic timer has one fixed rate by the architecture
#else
  return false;
#endif
}

ClockPoint readClockPoint(bool useCounter) {
  ClockPoint best;
  std::uint64_t bestGap = std::numeric_limits<std::uint64_t>::max();
  for (int attempt = 0; attempt < 8; ++attempt) {
    const std::uint64_t before = readTicks(useCounter);
    const std::int64_t ns = monotonicNs();
    const std::uint64_t after = readTicks(useCounter);
    if (after - before < bestGap) {
      bestGap = after - before;
      best = {before + (after - before) / 2, ns};
    }
  }
  return best;
}

TickScale::TickScale(ClockPoint first, ClockPoint last, double fallbackNsPerTick) : m_first(first) {
  const auto ticks = static_cast<std::int64_t>(last.ticks - first.ticks);
  const std::int64_t ns = last.ns - first.ns;
  const bool farEnough = ns >= 1'000'000 && ticks > 0;
  m_nsPerTick = farEnough ? static_cast<double>(ns) / static_cast<double>(ticks) : fallbackNsPerTick;
}

double measuredNsPerTick() {
  static const double value = [] {
    const bool useCounter = tickCounterUsable();
    if (!useCounter) {
      return 1.0;
    }
    const ClockPoint first = readClockPoint(useCounter);
    const timespec pause{0, 10'000'000};
    nanosleep(&pause, nullptr);
    return TickScale(first, readClockPoint(useCounter), 1.0).nsPerTick();
  }();
  return value;
}

std::string_view tickClockName(bool useCounter) {
#if defined(__x86_64__)
  return useCounter ? "time stamp counter" : "steady clock";
#elif defined(__aarch64__)
  return useCounter ? "virtual counter" : "steady clock";
#else
  (void)useCounter;
  return "steady clock";
#endif
}

}  // namespace opscope::base
