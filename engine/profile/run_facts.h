// SPDX-License-Identifier: Apache-2.0
// What a profile tells of itself in words, beside the machine's facts. Any thread; a pure function.
#pragma once

#include <string>
#include <vector>

#include "engine/profile/profiler.h"
#include "engine/report/run.h"

namespace opscope::profile {

/// Now, as Run::startedAt has it.
std::string utcNow();

struct Recording {
  bool useCounter = false;  ///< of base::readTicks
  double costNs = 0;        ///< that it adds to a call
  double collectingCostNs = 0;
  std::string tvmVersion;  ///< of the executable, may be empty
};

/// What a run that is complete tells of itself: noise, overhead, the machine's share.
std::vector<report::Fact> findingFacts(const report::Run& run);

std::vector<report::Fact> runFacts(const ProfileSettings& settings, const Recording& recording);

}  // namespace opscope::profile
