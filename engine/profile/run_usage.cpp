// SPDX-License-Identifier: Apache-2.0
#include "engine/profile/run_usage.h"

#include <sys/resource.h>
#include <time.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>

namespace opscope::profile {

namespace {

constexpr double kNs = 1e-9;

std::uint32_t between(std::int64_t before, std::int64_t after) {
  constexpr std::int64_t kMost = std::numeric_limits<std::uint32_t>::max();
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(after - before, 0, kMost));
}

}  // namespace

ProcessUsage readProcessUsage() {
  ProcessUsage result;
  timespec cpu{};
  if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu) == 0) {
    result.cpuS = static_cast<double>(cpu.tv_sec) + static_cast<double>(cpu.tv_nsec) * kNs;
  }
  rusage usage{};
  if (getrusage(RUSAGE_SELF, &usage) == 0) {
    result.minorFaults = usage.ru_minflt;
    result.majorFaults = usage.ru_majflt;
    result.voluntarySwitches = usage.ru_nvcsw;
    result.involuntarySwitches = usage.ru_nivcsw;
  }
  return result;
}

ThreadUsage readThreadUsage() {
  ThreadUsage usage;
  double ran = 0;
  double waited = 0;
  if (std::ifstream("/proc/thread-self/schedstat") >> ran >> waited) {
    usage.waitedS = waited * kNs;
  }
  std::ifstream scheduling("/proc/thread-self/sched");
  for (std::string line; std::getline(scheduling, line);) {
    constexpr std::string_view kName = "se.nr_migrations";
    if (line.starts_with(kName)) {
      const std::size_t colon = line.find(':');
      usage.migrations =
          colon == std::string::npos ? 0 : std::strtoull(line.c_str() + colon + 1, nullptr, 10);
    }
  }
  return usage;
}

void RepeatUsages::end() {
  const ProcessUsage now = readProcessUsage();
  m_all.push_back({between(m_before.minorFaults, now.minorFaults),
                   between(m_before.majorFaults, now.majorFaults),
                   between(m_before.voluntarySwitches, now.voluntarySwitches),
                   between(m_before.involuntarySwitches, now.involuntarySwitches)});
}

}  // namespace opscope::profile
