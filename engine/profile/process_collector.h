// SPDX-License-Identifier: Apache-2.0
// CPU time of all threads of this process and page faults, by call. Threads and ownership as MetricCollector.
#pragma once

#include "engine/profile/metric_collector.h"

namespace opscope::profile {

/// Columns `CPU time (us)` and `Page faults`; of calls on the CPU only. It takes no options. Errors:
/// InvalidArgument.
base::Result<std::unique_ptr<MetricCollector>> makeProcessCollector(std::string_view options);

}  // namespace opscope::profile
