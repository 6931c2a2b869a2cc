// SPDX-License-Identifier: Apache-2.0
// Reads around a run what may have disturbed it. Made and used on the measuring thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>

#include "engine/profile/machine_state.h"
#include "engine/profile/noise_rules.h"
#include "engine/profile/run_usage.h"
#include "engine/report/noise_grade.h"
#include "engine/report/run.h"

namespace opscope::profile {

class NoiseWatch {
 public:
  /// `root` stands for "/"; `threadUsage` for what the system counts of the calling thread.
  explicit NoiseWatch(std::filesystem::path root, std::function<ThreadUsage()> threadUsage = readThreadUsage);

  /// Before the first repeat, warm-up included.
  void begin();
  /// Around each recorded repeat, outside of what is timed.
  void beginRepeat() { m_usages.begin(); }
  void endRepeat() { m_usages.end(); }

  /// The thread measures another run until comeBack(): what it waits and moves meanwhile is not of this run.
  /// What is read of the machine and the process goes on.
  void stepAside();
  void comeBack();

  /// The run is over, or looked at as if it were. Comes back first.
  void end();

  /// After end(). `threads`: of the kernel pool; `run` has its totals.
  report::NoiseGrade grade(int threads, const report::Run& run);
  /// As the run began.
  const std::set<std::string>& governors() const { return m_evidence.before.governors; }

 private:
  struct Moment {
    ThreadUsage usage;
    std::int64_t ns = 0;
  };

  MachineReader m_reader;
  std::function<ThreadUsage()> m_threadUsage;
  RepeatUsages m_usages;
  NoiseEvidence m_evidence;
  std::int64_t m_beginNs = 0;
  std::optional<Moment> m_aside;
};

}  // namespace opscope::profile
