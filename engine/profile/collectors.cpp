// SPDX-License-Identifier: Apache-2.0
#include "engine/profile/collectors.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "engine/base/near_match.h"
#include "engine/profile/perf_collector.h"
#include "engine/profile/process_collector.h"

namespace opscope::profile {

namespace {

// One row a kind.
constexpr CollectorKind kKinds[] = {
    {"process", "CPU time and page faults",
     "CPU time of all threads of this process, and pages that it touched first, by call.",
     makeProcessCollector},
    {"perf", "Counters of the processor and the kernel",
     "The events that are named after \"perf:\", by perf_event_open: cycles,instructions,cache-misses.",
     makePerfCollector},
};

}  // namespace

std::span<const CollectorKind> collectorKinds() {
  return kKinds;
}

base::Result<std::unique_ptr<MetricCollector>> makeCollector(std::string_view text) {
  const std::string_view id = text.substr(0, text.find(':'));
  const auto kind = std::ranges::find(kKinds, id, &CollectorKind::id);
  if (kind != std::end(kKinds)) {
    return kind->make(text.size() > id.size() ? text.substr(id.size() + 1) : std::string_view());
  }
  std::vector<std::string> names;
  for (const CollectorKind& known : kKinds) {
    names.emplace_back(known.id);
  }
  const std::string near = base::nearMatch(std::string(id), names);
  return base::Error{base::ErrorCode::InvalidArgument,
                     fmt::format("There is no metric collector \"{}\".", id),
                     fmt::format("Collectors here: {}.", base::joinNames(names)),
                     near.empty() ? std::string() : fmt::format("Did you mean \"{}\"?", near)};
}

}  // namespace opscope::profile
