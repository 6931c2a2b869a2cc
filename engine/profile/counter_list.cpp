// SPDX-License-Identifier: Apache-2.0
#include "engine/profile/counter_list.h"

#include "engine/profile/perf_events.h"
#include "engine/profile/perf_kernel.h"
#include "engine/profile/pfm_names.h"

namespace opscope::profile {

CounterList listCounters() {
  CounterList list;
  SystemPerfKernel kernel;
  const PerfPolicy policy = readPerfPolicy();
  for (const KnownEvent& known : knownEvents()) {
    CounterInfo info{std::string(known.name), std::string(known.description), false, std::nullopt};
    const auto events = parsePerfEvents(known.name);
    if (!events) {
      info.refusal = events.error();
    } else {
      info.isHardware = events->front().isHardware;
      const int counter = kernel.open(events->front().attributes, -1);
      if (counter < 0) {
        info.refusal = explainRefusal(events->front(), -counter, policy);
      } else {
        kernel.close(counter);
      }
    }
    list.events.push_back(std::move(info));
  }
  list.processorEvents = pfmProcessorEvents();
  return list;
}

}  // namespace opscope::profile
