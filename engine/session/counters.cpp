// SPDX-License-Identifier: Apache-2.0
#include "engine/session/counters.h"

namespace opscope::session {

CounterList listCounters() {
  return profile::listCounters();
}

std::string counterCollector(const std::string& events) {
  return "perf:" + events;
}

}  // namespace opscope::session
