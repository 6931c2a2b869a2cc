// SPDX-License-Identifier: GPL-3.0-or-later
// The made-up run as it would be with more work: points of a sweep.
#pragma once

#include "engine/report/run_report.h"
#include "engine/report/scaling.h"
#include "tests/ui/support/synthetic_run.h"

namespace opscope::ui::testing {

/// All ops grow with `value`, one with its square.
inline report::Document sweptDocument(std::int64_t value, bool longNames = false) {
  SyntheticOptions options;
  options.repeats = options.repeatsWanted = 6;
  options.longNames = longNames;
  auto run = std::make_shared<report::Run>(*syntheticDocument(options).run);
  for (report::DeviceTotal& total : run->totals) total.totalNs.assign(run->repeats, 0);
  for (const report::Call& call : run->calls) {
    const double factor = call.name == 2 ? double(value * value) : double(value);
    for (std::uint64_t i = call.firstSample; i < call.firstSample + call.sampleCount; ++i) {
      run->ownNs[i] *= factor;
      run->inclusiveNs[i] *= factor;
      run->totals[0].totalNs[run->sampleRepeat[i]] += run->ownNs[i];
    }
  }
  return report::makeDocument(run);
}

inline std::vector<report::ScalingPoint> sweptPoints(const std::vector<std::int64_t>& values,
                                                     bool longNames = false) {
  std::vector<report::ScalingPoint> points;
  for (const std::int64_t value : values) points.push_back({value, sweptDocument(value, longNames)});
  return points;
}

}  // namespace opscope::ui::testing
