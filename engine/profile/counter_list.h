// SPDX-License-Identifier: Apache-2.0
// Which events can be counted on this machine. Any thread, one at a time.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/base/error.h"

namespace opscope::profile {

struct CounterInfo {
  std::string name;
  std::string description;
  bool isHardware = false;
  std::optional<base::Error> refusal;  ///< why it cannot be counted here, and what would allow it
};

struct CounterList {
  std::vector<CounterInfo> events;           ///< those that every machine could have
  std::vector<std::string> processorEvents;  ///< further names, of this processor itself, by libpfm
};

/// Opens each of the events once to see.
CounterList listCounters();

}  // namespace opscope::profile
