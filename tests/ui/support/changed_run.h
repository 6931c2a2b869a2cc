// SPDX-License-Identifier: GPL-3.0-or-later
// The made-up run, changed a little: the new one of two that are compared.
#pragma once

#include "engine/report/run_report.h"
#include "tests/ui/support/synthetic_run.h"

namespace opscope::ui::testing {

/// The made-up run with its first op slower by `factor`, its second by a part of that, its last op under
/// another name.
inline report::Document changedDocument(double factor, const char* lastName = nullptr,
                                        const SyntheticOptions& options = {}) {
  const report::Document original = syntheticDocument(options);
  auto run = std::make_shared<report::Run>(*original.run);
  double added[64] = {};
  for (const report::Call& call : run->calls) {
    if (call.name > 1) continue;
    const double part = call.name == 0 ? factor : 1 + (factor - 1) * 0.2;
    for (std::uint64_t i = call.firstSample; i < call.firstSample + call.sampleCount; ++i) {
      added[run->sampleRepeat[i] % 64] += run->ownNs[i] * (part - 1);
      run->ownNs[i] *= part;
      run->inclusiveNs[i] *= part;
    }
  }
  for (std::size_t repeat = 0; repeat < run->totals[0].totalNs.size(); ++repeat)
    run->totals[0].totalNs[repeat] += added[repeat % 64];
  run->executablePath = "/models/shufflenet.v3.so";
  if (lastName != nullptr) run->names.back() = lastName;
  return report::makeDocument(run);
}

}  // namespace opscope::ui::testing
