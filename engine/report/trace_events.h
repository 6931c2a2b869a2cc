// SPDX-License-Identifier: Apache-2.0
// The events of a file in Chrome's trace format, one after another, whoever wrote it. Any thread; nothing is
// kept but the text, which the caller owns.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/result.h"

namespace opscope::report {

/// The members of "args" that readers here know; the rest is passed over. Texts live until the visit ends.
struct TraceArguments {
  std::optional<std::int64_t> call, repeat, instruction, depth, step, launch, task, lane, tasks, bytes;
  std::optional<std::int64_t> ownNs, cpuNs;  ///< "own_us", "cpu_us"
  bool failed = false;
  std::string_view name;    ///< of processes and threads
  std::string_view shapes;  ///< ours
  std::string_view device;  ///< ours, as text
  std::string_view kind;
  std::string_view inputDims;   ///< PyTorch's "Input Dims", as JSON
  std::string_view inputTypes;  ///< PyTorch's "Input type", as JSON
  std::vector<std::pair<std::string_view, double>> counters;
  std::vector<std::pair<std::string_view, std::string_view>> counterTexts;
};

/// One event. Texts live until the visit ends.
struct TraceEvent {
  char phase = 0;  ///< 'X', 'B', 'E', 'C', 'M' ...; 0: the event tells none
  std::string_view name;
  std::string_view category;
  std::string_view process;  ///< "pid" as it stands: 7 or "GPU 0"
  std::string_view thread;
  std::optional<std::int64_t> startNs;  ///< "ts"
  std::optional<std::int64_t> durationNs;
  TraceArguments args;
};

class TraceVisitor {
 public:
  virtual ~TraceVisitor() = default;
  virtual base::Result<> visit(const TraceEvent& event) = 0;
};

/// Larger files are refused in words before memory is taken for them.
struct TraceLimits {
  std::size_t bytes = std::size_t{2} << 30;
  std::size_t events = 8'000'000;
};

/// What stands around the events.
struct TraceOutline {
  std::string_view otherData;   ///< JSON text of the member that stands before the events, or empty
  std::size_t eventsBegin = 0;  ///< behind the bracket of the array
  bool isObject = false;
};

/// Nothing when the text is no trace: neither an object with an array "traceEvents" nor an array of objects
/// with "ph".
std::optional<TraceOutline> traceOutline(std::string_view text);

/// How the events ended.
struct TraceEnd {
  std::size_t events = 0;
  bool isCutOff = false;  ///< in mid-event, or an object without its end
};

/// Visits all events. Errors: Format, naming the place; Unsupported beyond the limits; OutOfMemory; the
/// visitor's.
base::Result<TraceEnd> readTraceEvents(std::string_view text, const TraceOutline& outline,
                                       std::string_view fileForMessages, const TraceLimits& limits,
                                       TraceVisitor& visitor);

}  // namespace opscope::report
