// SPDX-License-Identifier: Apache-2.0
#include "engine/profile/perf_events.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>

#include "engine/base/near_match.h"
#include "engine/profile/pfm_names.h"

namespace opscope::profile {

namespace {

using base::Error;
using base::ErrorCode;

constexpr std::uint64_t cache(std::uint64_t id, std::uint64_t operation, std::uint64_t result) {
  return id | operation << 8U | result << 16U;
}
constexpr std::uint64_t kRead = PERF_COUNT_HW_CACHE_OP_READ;
constexpr std::uint64_t kAccess = PERF_COUNT_HW_CACHE_RESULT_ACCESS;
constexpr std::uint64_t kMiss = PERF_COUNT_HW_CACHE_RESULT_MISS;

// One row an event.
constexpr KnownEvent kKnown[] = {
    {"cycles", "cycles of the processor's clock", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, false},
    {"instructions", "instructions done", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, false},
    {"ref-cycles", "cycles at the processor's nominal clock", PERF_TYPE_HARDWARE,
     PERF_COUNT_HW_REF_CPU_CYCLES, false},
    {"cache-references", "accesses to the last cache", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES,
     false},
    {"cache-misses", "accesses that the last cache could not serve", PERF_TYPE_HARDWARE,
     PERF_COUNT_HW_CACHE_MISSES, false},
    {"branches", "branches done", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, false},
    {"branch-misses", "branches that were guessed wrongly", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES,
     false},
    {"stalled-cycles-frontend", "cycles in which no instructions arrived", PERF_TYPE_HARDWARE,
     PERF_COUNT_HW_STALLED_CYCLES_FRONTEND, false},
    {"stalled-cycles-backend", "cycles in which instructions waited for data or units", PERF_TYPE_HARDWARE,
     PERF_COUNT_HW_STALLED_CYCLES_BACKEND, false},
    {"L1-dcache-loads", "loads from the first data cache", PERF_TYPE_HW_CACHE,
     cache(PERF_COUNT_HW_CACHE_L1D, kRead, kAccess), false},
    {"L1-dcache-load-misses", "loads that it could not serve", PERF_TYPE_HW_CACHE,
     cache(PERF_COUNT_HW_CACHE_L1D, kRead, kMiss), false},
    {"LLC-loads", "loads from the last cache", PERF_TYPE_HW_CACHE,
     cache(PERF_COUNT_HW_CACHE_LL, kRead, kAccess), false},
    {"LLC-load-misses", "loads that went to memory", PERF_TYPE_HW_CACHE,
     cache(PERF_COUNT_HW_CACHE_LL, kRead, kMiss), false},
    {"dTLB-load-misses", "loads whose page had to be looked up", PERF_TYPE_HW_CACHE,
     cache(PERF_COUNT_HW_CACHE_DTLB, kRead, kMiss), false},
    {"task-clock", "time on cores, of all threads", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, false},
    {"cpu-clock", "the same by another clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, false},
    {"page-faults", "pages touched for the first time, or read from disk", PERF_TYPE_SOFTWARE,
     PERF_COUNT_SW_PAGE_FAULTS, false},
    {"minor-faults", "pages touched for the first time", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN,
     false},
    {"major-faults", "pages read from disk", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ, false},
    {"context-switches", "times that a thread gave up its core", PERF_TYPE_SOFTWARE,
     PERF_COUNT_SW_CONTEXT_SWITCHES, true},
    {"cpu-migrations", "moves to another core", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS, true},
};

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](unsigned char c) { return std::tolower(c); });
  return result;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t";
  const std::size_t first = text.find_first_not_of(kBlanks);
  return first == std::string_view::npos ? std::string_view()
                                         : text.substr(first, text.find_last_not_of(kBlanks) + 1 - first);
}

const KnownEvent* findKnown(std::string_view name) {
  constexpr std::string_view kPrefix = "perf::";
  const std::string wanted = lower(name.starts_with(kPrefix) ? name.substr(kPrefix.size()) : name);
  const auto found = std::ranges::find_if(
      kKnown, [&wanted](const KnownEvent& event) { return lower(event.name) == wanted; });
  return found == std::end(kKnown) ? nullptr : found;
}

/// What all events of ours have: threads made later are counted too, and how long it really counted.
void finish(perf_event_attr& attributes) {
  attributes.size = sizeof attributes;
  attributes.inherit = 1;
  attributes.disabled = 0;
  attributes.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
}

PerfEvent eventOf(const KnownEvent& known, std::string_view name) {
  PerfEvent event;
  event.name = name;
  event.attributes.type = known.type;
  event.attributes.config = known.config;
  event.attributes.exclude_kernel = known.inKernel ? 0 : 1;
  event.attributes.exclude_hv = 1;
  event.isHardware = known.type != PERF_TYPE_SOFTWARE;
  event.isTime = known.type == PERF_TYPE_SOFTWARE &&
                 (known.config == PERF_COUNT_SW_TASK_CLOCK || known.config == PERF_COUNT_SW_CPU_CLOCK);
  finish(event.attributes);
  return event;
}

Error unknownEvent(std::string_view name, std::string detail) {
  std::vector<std::string> names;
  for (const KnownEvent& known : kKnown) {
    names.emplace_back(known.name);
  }
  for (std::string& event : pfmProcessorEvents()) {
    names.push_back(std::move(event));
  }
  std::string near = base::nearMatch(lower(name), names);
  if (near.empty()) {
    near = base::nearMatch(std::string(name), names);
  }
  return {ErrorCode::InvalidArgument, fmt::format("There is no event \"{}\" to count.", name),
          std::move(detail),
          near.empty() ? std::string("opscope-cli profile --counters list shows what there is.")
                       : fmt::format("Did you mean \"{}\"?", near)};
}

base::Result<PerfEvent> processorEvent(std::string_view name) {
  PerfEvent event;
  event.name = name;
  std::string problem;
  const std::optional<PfmEncoding> encoding = encodePfmEvent(event.name, problem);
  if (!encoding) {
    return unknownEvent(name, fmt::format("libpfm says: {}.", problem));
  }
  event.attributes.type = encoding->type;
  event.attributes.config = encoding->config;
  event.attributes.config1 = encoding->config1;
  event.attributes.config2 = encoding->config2;
  event.attributes.exclude_user = encoding->excludeUser ? 1 : 0;
  event.attributes.exclude_kernel = encoding->excludeKernel ? 1 : 0;
  event.attributes.exclude_hv = encoding->excludeHypervisor ? 1 : 0;
  event.isHardware = encoding->type != PERF_TYPE_SOFTWARE;
  finish(event.attributes);
  return event;
}

}  // namespace

std::span<const KnownEvent> knownEvents() {
  return kKnown;
}

base::Result<std::vector<PerfEvent>> parsePerfEvents(std::string_view text) {
  std::vector<PerfEvent> events;
  while (!text.empty()) {
    const std::string_view name = trimmed(text.substr(0, text.find(',')));
    text.remove_prefix(
        std::min(text.size(), text.find(',') == std::string_view::npos ? text.size() : text.find(',') + 1));
    if (name.empty()) {
      continue;
    }
    if (std::ranges::find(events, name, &PerfEvent::name) != events.end()) {
      return Error{ErrorCode::InvalidArgument, fmt::format("The event \"{}\" is named twice.", name), "", ""};
    }
    if (const KnownEvent* known = findKnown(name)) {
      events.push_back(eventOf(*known, name));
      continue;
    }
    OPSCOPE_TRY_ASSIGN(events.emplace_back(), processorEvent(name));
  }
  if (events.empty()) {
    return Error{ErrorCode::InvalidArgument, "No event to count is named.", "",
                 "For example: cycles,instructions,cache-misses"};
  }
  return events;
}

}  // namespace opscope::profile
