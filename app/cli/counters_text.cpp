// SPDX-License-Identifier: Apache-2.0
#include "app/cli/counters_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "app/cli/grid_text.h"

namespace opscope::cli {

namespace {

/// Events with the same reason stand together.
struct Reason {
  std::string detail;
  std::string hint;
  std::vector<std::string> names;
};

std::vector<Reason> reasonsOf(const session::CounterList& list) {
  std::vector<Reason> reasons;
  for (const session::CounterInfo& event : list.events) {
    if (!event.refusal) {
      continue;
    }
    auto reason = std::ranges::find_if(reasons, [&event](const Reason& known) {
      return known.detail == event.refusal->detail && known.hint == event.refusal->hint;
    });
    if (reason == reasons.end()) {
      reason = reasons.insert(reasons.end(), {event.refusal->detail, event.refusal->hint, {}});
    }
    reason->names.push_back(event.name);
  }
  return reasons;
}

}  // namespace

std::string countersText(const session::CounterList& list, std::optional<std::size_t> width) {
  Grid grid;
  grid.columns = {{"Event", false}, {"Here", false}, {"By", false}, {"Counts", false}};
  for (const session::CounterInfo& event : list.events) {
    grid.rows.push_back({event.name, event.refusal ? "no" : "yes", event.isHardware ? "processor" : "kernel",
                         event.description});
  }
  std::string text = toText(grid, width);
  for (const Reason& reason : reasonsOf(list)) {
    text += fmt::format("\nNot here: {}\n  {}\n", fmt::join(reason.names, ", "), reason.detail);
    if (!reason.hint.empty()) {
      text += fmt::format("  {}\n", reason.hint);
    }
  }
  if (!list.processorEvents.empty()) {
    text += fmt::format("\n{} events of this processor itself too, by libpfm's names: {}\n",
                        list.processorEvents.size(), fmt::join(list.processorEvents, ", "));
  }
  return text;
}

}  // namespace opscope::cli
