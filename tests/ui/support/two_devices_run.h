// SPDX-License-Identifier: GPL-3.0-or-later
// A made-up run with kernels on a second device. Any thread.
#pragma once

#include "engine/report/run_report.h"
#include "tests/ui/support/synthetic_run.h"

namespace opscope::ui::testing {

/// The made-up run on two devices, with builtins on none.
inline report::Document twoDevicesDocument(const SyntheticOptions& options = {}) {
  auto run = std::make_shared<report::Run>(*syntheticDocument(options).run);
  run->devices = {"cpu0", "cuda0"};
  report::DeviceTotal second{"cuda0", {}};
  for (std::size_t i = 0; i < run->totals[0].totalNs.size(); ++i)
    second.totalNs.push_back(run->totals[0].totalNs[i] * (0.3 + 0.01 * double(i)));
  run->totals.push_back(second);
  for (report::Call& call : run->calls)
    call.device = !call.kernel ? report::kNone : call.name % 3 == 1 ? 1 : 0;
  return report::makeDocument(run);
}

}  // namespace opscope::ui::testing
