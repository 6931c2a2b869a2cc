// SPDX-License-Identifier: Apache-2.0
// What the system did to this process during a run: page faults, switches, moves, waiting. Made and used on
// the measuring thread.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace opscope::profile {

/// Of all threads of this process, since it started.
struct ProcessUsage {
  double cpuS = 0;
  std::int64_t minorFaults = 0;
  std::int64_t majorFaults = 0;
  std::int64_t voluntarySwitches = 0;
  std::int64_t involuntarySwitches = 0;
};
ProcessUsage readProcessUsage();

/// Of the calling thread, since it started.
struct ThreadUsage {
  std::optional<double> waitedS;            ///< ready to run, without a core
  std::optional<std::uint64_t> migrations;  ///< moves to another core
};
ThreadUsage readThreadUsage();

/// What happened within one repeat.
struct RepeatUsage {
  std::uint32_t minorFaults = 0;
  std::uint32_t majorFaults = 0;
  std::uint32_t voluntarySwitches = 0;
  std::uint32_t involuntarySwitches = 0;
};

/// Around each recorded repeat, outside of what is timed.
class RepeatUsages {
 public:
  void begin() { m_before = readProcessUsage(); }
  void end();
  const std::vector<RepeatUsage>& all() const { return m_all; }

 private:
  ProcessUsage m_before;
  std::vector<RepeatUsage> m_all;
};

}  // namespace opscope::profile
