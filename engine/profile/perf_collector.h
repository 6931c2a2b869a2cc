// SPDX-License-Identifier: Apache-2.0
// Events that the kernel and the processor count, by call: cycles, cache misses, page faults. Threads and
// ownership as MetricCollector. Behaviour: seed 004's collectors of counters, without PAPI.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "engine/profile/metric_collector.h"
#include "engine/profile/perf_kernel.h"

namespace opscope::profile {

/// Counts `events` of the thread that calls init and of the threads that it makes afterwards. One column an
/// event, named as it was asked for; also `IPC` where cycles and instructions are among them, and for each
/// event of misses `NAME per 1,000 instructions`. `kernel` outlives it.
std::unique_ptr<MetricCollector> makePerfCollector(std::vector<PerfEvent> events, PerfKernel& kernel,
                                                   PerfPolicy policy);

/// The same from names as parsePerfEvents takes them, with Linux. Errors: InvalidArgument; when it starts
/// (init), Unsupported with the setting that would allow it.
base::Result<std::unique_ptr<MetricCollector>> makePerfCollector(std::string_view options);

}  // namespace opscope::profile
