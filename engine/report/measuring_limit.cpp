// SPDX-License-Identifier: Apache-2.0
#include "engine/report/measuring_limit.h"

#include <algorithm>

namespace opscope::report {

double leastMeasurableNs(const Run& run) {
  constexpr double kTicks = 10;
  return run.timing ? std::max(kTicks * run.timing->tickNs, run.timing->recordingNs) : 0;
}

bool isTooShort(const Run& run, double ns, std::int64_t calls) {
  return ns <= 0 || ns < leastMeasurableNs(run) * static_cast<double>(std::max<std::int64_t>(calls, 1));
}

}  // namespace opscope::report
