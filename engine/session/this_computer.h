// SPDX-License-Identifier: Apache-2.0
// The computer that this program runs on. Any thread; reads /proc and /sys.
#pragma once

#include <optional>
#include <string>

namespace opscope::session {

/// What of it matters to a run that is measured here. Empty where the system does not tell.
struct ComputerState {
  std::string processor;       ///< "Intel(R) Xeon(R) Processor", as runs that are measured here tell it
  std::string governor;        ///< of the cores that may be used: "performance", "powersave and performance"
  bool isSteady = false;       ///< the governor keeps the clock rate as it is
  int cores = 0;               ///< that may be used; 0: not told
  std::optional<double> load;  ///< tasks that ran or could, mean of the last minute
};

ComputerState computerState();

}  // namespace opscope::session
